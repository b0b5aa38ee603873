private import Confined

/// Why a calendar could not be read. Nothing of the file stands in it.
public enum CalendarError: Error, CaseIterable, Sendable {
  /// libical, or what confines it, is not installed.
  case libraryMissing
  /// The process that reads calendars was ended: it took too much time or memory, or broke.
  case parserEnded
}

/// Takes calendars apart. libical is a large library in C; so who does it, and where, is for the caller to choose.
public protocol CalendarParser: Sendable {
  /// Nil for what is not UTF-8.
  func parse(_ file: [UInt8]) throws(CalendarError) -> ParsedCalendar?
}

/// Takes calendars apart in this process.
public struct DirectCalendarParser: CalendarParser {
  public init() {}

  public func parse(_ file: [UInt8]) throws(CalendarError) -> ParsedCalendar? {
    ParsedCalendar(try Self.lines(of: file))
  }

  /// The bytes of a `ParsedCalendar`.
  static func lines(of file: [UInt8]) throws(CalendarError) -> [UInt8] {
    let library = try ICal.loaded()
    let zones = CalendarZones(file, library).zones
    var output: [UInt8] = []
    for (number, bytes) in UnfoldedLines(file) {
      for var fields in fields(of: MendedLine(bytes), library, zones) {
        fields += Array(repeating: [], count: 3 + ContentLine.wanted.count - fields.count)
        for field in [Array("\(number)".utf8)] + fields { output += field + [0] }
      }
    }
    return output
  }

  private static func fields(
    of line: MendedLine, _ library: ICal, _ zones: [[UInt8]: ICal.OwnZone]
  ) -> [[[UInt8]]] {
    guard let name = line.name else { return [[]] }
    // A rule passes through as it is, so that one that cannot be followed can be told.
    if ["BEGIN", "END", "RRULE"].contains(name) {
      return [[Array(name.utf8), line.value.map { $0 == 0 ? .space : $0 }]]
    }
    let properties = library.properties(of: line, zones)
    return properties.isEmpty ? [[Array(name.utf8)]] : properties
  }
}

/// Takes calendars apart in a process of its own: this program again, with a command that calls `CalendarChild.run()`. So what a hostile calendar
/// does to libical ends there.
public struct CalendarProcess: CalendarParser {
  /// Of the process's address space, in bytes: a file of the largest size, what is made of it, and libical with ICU.
  static let memory = 2 << 30
  /// Of the process's time on a processor. The largest file takes twenty.
  static let seconds = 60
  /// Of a file, in bytes.
  static let fileSize = 64 << 20
  /// Of what comes back for each byte of a file: the shortest line has two, and nothing but its number.
  private static let growth = 16

  private let child: ConfinedProcess

  /// The path of a program, and the arguments with which it runs `CalendarChild`.
  public init(program: String, arguments: [String]) {
    child = ConfinedProcess(program: program, arguments: arguments, patience: 2 * Int64(Self.seconds) * 1000)
  }

  /// A child that died of a signal may have been unlucky: another one is asked, once.
  public func parse(_ file: [UInt8]) throws(CalendarError) -> ParsedCalendar? {
    let limit = file.count * Self.growth
    var (output, status) = child.answer(to: file, limit: limit)
    if output == nil, ConfinedProcess.mayBeAskedAgain(status) {
      (output, status) = child.answer(to: file, limit: limit)
    }
    guard let output else {
      throw ConfinedProcess.exitCode(status) == Int(CalendarChild.missing) ? .libraryMissing : .parserEnded
    }
    return ParsedCalendar(output)
  }
}

/// The process that `CalendarProcess` starts: reads a calendar from standard input, and writes its lines to standard output. It has to be called
/// before anything starts a thread: every descriptor is closed, and threads of the runtime use some.
public enum CalendarChild {
  /// The status that says which libraries are wanted.
  static let missing: Int32 = 2

  /// Takes the calendar apart, and returns the status with which to exit. It gives up what the process may do, for good.
  public static func run() -> Int32 {
    do {
      try Confinement.bound(memory: CalendarProcess.memory, seconds: CalendarProcess.seconds)
      _ = try ICal.loaded()
      try Confinement.finish()
      guard let file = ConfinedStreams.readAll(limit: CalendarProcess.fileSize) else { return 1 }
      return try ConfinedStreams.write(DirectCalendarParser.lines(of: file)) ? 0 : 1
    } catch {
      return error as? CalendarError == .libraryMissing || error as? ConfinementError == .libraryMissing ? missing : 1
    }
  }
}
