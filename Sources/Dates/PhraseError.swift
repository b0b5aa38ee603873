/// Why a text is no date, time or repetition.
public enum PhraseError: Error, Equatable, Sendable {
  /// Nothing that is understood.
  case unknown
  /// A day that does not exist, such as 30 February.
  case noSuchDay
  /// A time of day that does not exist, such as 25:00.
  case noSuchTime
  /// `3/4` is in March for some and in April for others, so that no day is written so.
  case slashes
  /// Before the year 1 or after 9999, or so far away that it cannot be meant.
  case outOfRange
}
