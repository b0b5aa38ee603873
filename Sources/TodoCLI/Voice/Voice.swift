import Glibc

/// The one place that prints.
///
/// The voice: lower case, no full stop. What was asked for goes to standard output. What went wrong is two lines on
/// standard error, `todo: error: …` and `todo: hint: …`; with `--json` one object instead. Nothing else speaks.
struct Voice: Sendable {
  var wantsJSON = false
  var isQuiet = false
  /// Whether text is to look as in a pipe, on a terminal too.
  var isPlain = false
  /// What shows what is longer than the terminal is high, as `Pager` takes it.
  var pager = Pager.auto

  /// Whether somebody reads standard output and standard error as they are printed.
  var isConversation: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Whether somebody sees what comes and goes on standard error.
  var isWatched: Bool { isatty(STDERR_FILENO) == 1 && !isQuiet && !wantsJSON && environment("TERM") != "dumb" }

  /// How wide the terminal is that standard error goes to; where it does not say so, as wide as they are as a rule.
  var columns: Int { Self.columns(of: STDERR_FILENO) ?? 80 }

  /// How many lines the terminal shows that somebody reads; nil where nobody does.
  var rows: Int? {
    guard isRead, !isPlain else { return nil }
    return Self.size(of: STDOUT_FILENO).flatMap { $0.ws_row > 0 ? Int($0.ws_row) : nil }
  }

  private static func columns(of descriptor: Int32) -> Int? {
    size(of: descriptor).flatMap { $0.ws_col > 0 ? Int($0.ws_col) : nil }
  }

  private static func size(of descriptor: Int32) -> winsize? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 ? size : nil
  }

  /// Whether a person reads what is shown.
  var isRead: Bool { isatty(STDOUT_FILENO) == 1 && !wantsJSON }

  private func style(of descriptor: Int32) -> Style {
    let isPlain = environment("NO_COLOR").map { !$0.isEmpty } ?? false || environment("TERM") == "dumb"
    return Style(isColoured: isatty(descriptor) == 1 && !isPlain && !self.isPlain)
  }

  /// Prints a command's page.
  func tell(_ page: some Page) throws {
    if isQuiet { return }
    if wantsJSON {
      let schema = JSON.Member(key: "schema", value: 1)
      try write(JSON.object([schema] + page.members).encoded + "\n", to: STDOUT_FILENO)
      return
    }
    let lines = fitted(page.lines(style(of: STDOUT_FILENO)))
    if !lines.isEmpty { try show(lines.joined(separator: "\n") + "\n", isPaged: page.isPaged) }
    if isatty(STDERR_FILENO) == 1 { for hint in page.hints { note("hint: \(hint)") } }
  }

  /// Lines that are longer than the terminal is wide are broken between words; in a pipe they stay as they are.
  private func fitted(_ lines: [String]) -> [String] {
    guard !isPlain, isatty(STDOUT_FILENO) == 1, let width = Self.columns(of: STDOUT_FILENO) else { return lines }
    return lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { wrapped(String($0), to: width) }
  }

  /// Prints text that somebody asked for in this very form: help.
  func tell(text: String) throws { try show(text.hasSuffix("\n") ? text : text + "\n") }

  /// Prints text; on a terminal that is not so high, page by page.
  private func show(_ text: String, isPaged: Bool = true) throws {
    let isLong = rows.map { rows in text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) >= rows } ?? false
    if isLong, isPaged, isatty(STDIN_FILENO) == 1, environment("TERM") != "dumb",
      let pager = Pager(pager, environment: environment), pager.show(text)
    {
      return
    }
    try write(text, to: STDOUT_FILENO)
  }

  /// Prints one line of several that come in their time. False: nobody reads them any more.
  func tell(line: (Style) -> String, json: JSON) throws -> Bool {
    if isQuiet { return !isReaderGone }
    try write((wantsJSON ? json.encoded : line(style(of: STDOUT_FILENO))) + "\n", to: STDOUT_FILENO)
    return !isReaderGone
  }

  /// Whether what standard output goes to was closed.
  var isReaderGone: Bool {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return poll(&output, 1, 0) > 0 && output.revents & Int16(POLLERR | POLLNVAL | POLLHUP) != 0
  }

  /// Says one more thing to a person.
  func note(_ text: String) {
    if isQuiet || wantsJSON { return }
    prompt("todo: \(harmless(text))\n")
  }

  /// Asks, and reads one line. Nil at the end of input, where nobody has pressed return.
  /// - Parameter lines: what the question is about.
  func ask(_ question: String, below lines: [String] = []) -> String? {
    prompt(lines.map { harmless($0) + "\n" }.joined() + harmless(question))
    let answer = readLine()
    if answer == nil { prompt("\n") }
    return answer
  }

  /// Shows a row that the next one replaces.
  func show(row: String) { prompt("\r\u{1B}[K\(harmless(row))") }

  /// Takes the row away that was shown last.
  func clearRow() { prompt("\r\u{1B}[K") }

  /// Takes all away that the terminal shows, and what it would scroll back to.
  func clearScreen() { prompt("\u{1B}[H\u{1B}[2J\u{1B}[3J") }

  /// Says on standard error, as it stands: only what is above asks for that, and makes harmless what others may have written.
  private func prompt(_ text: String) { try? write(text, to: STDERR_FILENO) }

  /// Asks a question; anything but yes is no.
  func agrees(_ question: String) -> Bool {
    ["y", "yes"].contains(ask("\(question) [y/N] ")?.lowercased() ?? "")
  }

  /// Says why a command failed. Even `--quiet` does.
  func complain(_ complaint: Complaint) {
    if wantsJSON {
      try? write(complaint.json.encoded + "\n", to: STDERR_FILENO)
      return
    }
    let style = style(of: STDERR_FILENO)
    let error = "todo: \(style.bad("error:")) \(harmless(complaint.message))\n"
    try? write(error + "todo: hint: \(harmless(complaint.hint))\n", to: STDERR_FILENO)
  }

  /// Writes all of it, or says why not. A reader that has gone is no error of ours.
  private func write(_ text: String, to descriptor: Int32) throws {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EPIPE {
        return
      } else if errno != EINTR {
        throw Complaint(
          "output", errno == ENOSPC ? .cannotWrite : .disk, "cannot write to standard output",
          hint: "the change itself is stored; check where the output goes")
      }
    }
  }
}

/// A variable of the environment.
func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
