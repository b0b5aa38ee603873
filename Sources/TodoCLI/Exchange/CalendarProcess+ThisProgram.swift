import Formats

/// `todo read-calendar` is what this program starts to read a calendar: a process that can do nothing else. Nobody types it, and no command of
/// people's is parsed for it.
extension CalendarProcess {
  private static let word = "read-calendar"

  /// This program again. Nil where the system does not say which it is.
  static var ofThisProgram: CalendarProcess? {
    BackgroundSync.program().map { CalendarProcess(program: $0, arguments: [word]) }
  }

  /// Whether this process was started to read a calendar.
  static func isAsked(by arguments: [String]) -> Bool { arguments.count == 2 && arguments[1] == word }
}
