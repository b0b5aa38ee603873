import Dates
import Foundation
import Testing

@testable import Formats

/// The process that takes calendars apart: the same lines as without it, and nothing that a file does harms whoever asked.
@Suite struct CalendarProcessTests {
  private let file = Array(
    "BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nSUMMARY:mi\r\n lk\r\nDUE:20261201\r\nEND:VTODO\r\nEND:VCALENDAR\r\n".utf8)

  private static let program = (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
    .resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "todo")

  /// The program, which stands beside these tests.
  private func todo() -> CalendarProcess {
    CalendarProcess(program: Self.program.path, arguments: ["read-calendar"])
  }

  /// A child that does something else.
  private func shell(_ script: String) -> CalendarProcess {
    CalendarProcess(program: "/bin/sh", arguments: ["-c", "cat > /dev/null; \(script)"])
  }

  @Test func itReadsTheSameLines() throws {
    let calendars = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Calendars")
    let files = try FileManager.default.contentsOfDirectory(at: calendars, includingPropertiesForKeys: nil)
    #expect(files.count == 5)
    for file in try [self.file, []] + files.map({ Array(try Data(contentsOf: $0)) }) {
      #expect(try todo().parse(file)?.bytes == DirectCalendarParser().parse(file)?.bytes)
    }
  }

  @Test func whatIsNoUnicodeIsSaidToBe() throws {
    #expect(try todo().parse(Array("SUMMARY:gr".utf8) + [0xFC]) == nil)
    #expect(try shell("printf '1\\000SUMMARY\\000\\377\\000'").parse(file) == nil)
  }

  /// Whoever has broken it can say what a file can say, and no more.
  @Test(arguments: [
    "1\\0000", "x\\000DUE\\00020261201T120000\\00099999999999999999999\\000Z",
    "9\\000DURATION\\0009223372036854775807 9",
    "\\000\\000\\000\\000\\000", "1\\000BEGIN\\000VTODO\\0001\\000END\\000VTODO",
  ])
  func whatAChildSaysIsNotTrusted(_ text: String) throws {
    let calendar = try #require(try shell("printf '\(text)'").parse(file))
    #expect(ICalendar.read(calendar, zone: .utc) { _ in nil }.todos == [])
  }

  @Test(arguments: ["exit 1", "exit 77", "kill -SEGV $$", "cat /dev/zero"])
  func aChildThatBreaksReadsNothing(script: String) {
    #expect(throws: CalendarError.parserEnded) { try shell(script).parse(file) }
  }

  @Test func aLibraryThatIsMissingIsSaidToBe() {
    #expect(throws: CalendarError.libraryMissing) { try shell("exit 2").parse(file) }
    let nobody = CalendarProcess(program: "/nowhere/todo", arguments: [])
    #expect(throws: CalendarError.parserEnded) { try nobody.parse(file) }
  }

  @Test func itIsConfinedBeforeItReads() throws {
    let (child, input) = (Process(), Pipe())
    child.executableURL = Self.program
    child.arguments = ["read-calendar"]
    child.standardInput = input
    child.standardOutput = FileHandle.nullDevice
    try child.run()
    // A server among the tests has this process ignore gentler signals, and what it starts as well.
    defer { kill(child.processIdentifier, SIGKILL) }
    var state: [Substring] = []
    for _ in 0..<500 where !state.contains("Seccomp:\t2") {
      usleep(20_000)
      state = try String(contentsOfFile: "/proc/\(child.processIdentifier)/status", encoding: .utf8).split(
        separator: "\n")
    }
    #expect(state.contains("Seccomp:\t2") && state.contains("NoNewPrivs:\t1"))
  }
}
