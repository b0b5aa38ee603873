/// When something is due or begins: on a day, wherever one is, or at a moment.
public enum When: Hashable, Sendable {
  /// A day of the calendar: the same day in every time zone.
  case day(Day)
  /// Milliseconds since 1970.
  case moment(Int64)
}
