import Glibc
import TodoCore

/// What comes in through standard input.
enum StandardInput {
  /// Of all of it; a grocery list is far smaller, and memory is bounded.
  static let limit = 16 * 1024 * 1024

  /// The lines that are not empty, with their numbers.
  static func lines() throws -> [(number: Int, text: String)] { try lines(of: bytes()) }

  /// All of it as one text, without the line breaks at its end, and with those that other systems write as this one does.
  static func text() throws -> String {
    guard let text = String(validating: try bytes(), as: UTF8.self) else {
      throw Complaint(
        "not_utf8", .badData, "standard input is not UTF-8",
        hint: "convert it first, for example with iconv -f latin1 -t utf8")
    }
    return String(text.replacing("\r\n", with: "\n").reversed().drop { $0.isNewline }.reversed())
  }

  static func bytes() throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw Complaint("input", .disk, "cannot read standard input", hint: "check where the input comes from")
      }
      bytes += buffer[..<count]
      guard bytes.count <= limit else {
        throw Complaint("too_long", .badData, "standard input is longer than 16 MiB", hint: "add it in parts")
      }
    }
    return bytes
  }

  /// The lines of some bytes.
  static func lines(of bytes: [UInt8]) throws -> [(number: Int, text: String)] {
    try bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      guard let text = String(validating: line, as: UTF8.self) else {
        throw Complaint(
          "not_utf8", .badData, "line \(index + 1) of standard input is not UTF-8",
          hint: "convert it first, for example with iconv -f latin1 -t utf8; nothing was changed")
      }
      return text.allSatisfy(\.isWhitespace) ? nil : (index + 1, text)
    }
  }

  /// Asks on a terminal for what nobody else should see; elsewhere reads all of standard input.
  static func secret(_ question: String, voice: Voice) throws -> String {
    guard voice.isConversation else { return try lines().map(\.text).joined(separator: " ") }
    return withoutEcho { voice.ask(question) ?? "" }
  }

  /// A question that is asked only where somebody types what nobody sees.
  static let again = "the same again: "

  /// Asks on a terminal; elsewhere reads a line of standard input for each question, exactly as it stands there.
  static func secrets(_ questions: [String], _ voice: Voice) throws -> [[UInt8]] {
    if voice.isConversation {
      return withoutEcho { questions.map { Array((voice.ask($0) ?? "").utf8) } }
    }
    let wanted = questions.filter { $0 != again }.count
    let lines = try bytes().split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      line.last == 0x0D ? Array(line.dropLast()) : Array(line)
    }
    let given = lines.last == [] ? lines.dropLast() : lines[...]
    guard given.count == wanted else {
      throw Complaint.usage(
        "standard input has \(counted(given.count, "line")) in place of \(counted(wanted, "passphrase"))",
        hint: "type it on a terminal, or give each passphrase as a line of standard input")
    }
    return Array(given)
  }

  /// Runs `body` while the terminal does not show what is typed. An interrupt leaves the terminal as it was.
  private static func withoutEcho<Result>(_ body: () -> Result) -> Result {
    tcgetattr(STDIN_FILENO, &terminalBefore)
    var silent = terminalBefore
    silent.c_lflag &= ~tcflag_t(ECHO)
    silent.c_lflag |= tcflag_t(ECHONL)
    signal(SIGINT) { _ in
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminalBefore)
      _exit(Exit.interrupted.rawValue)
    }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminalBefore)
      signal(SIGINT, SIG_DFL)
    }
    return body()
  }
}

/// Global because a signal handler has nothing else. Written before the handler is installed, by the only thread that asks.
nonisolated(unsafe) private var terminalBefore = termios()
