import Formats

extension Complaint {
  init(_ error: CalendarError) {
    switch error {
    case .libraryMissing:
      self.init(
        "library_missing", .tryAgain, "a library that calendars need is not installed",
        hint: "install libical3 and libseccomp2 and try again")
    case .parserEnded:
      self.init(
        "calendar_unreadable", .badData, "reading the calendar took too much time or memory, or failed",
        hint: "split the file, or export it again without what is not a todo")
    }
  }
}
