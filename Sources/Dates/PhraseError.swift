/// Why a text is no date, time or repetition.
public enum PhraseError: Error, Equatable, Sendable {
  /// Nothing that is understood.
  case unknown
  /// A day or time that does not exist, such as 30 February or 25:00.
  case noSuchDay
  /// `3/4` is in March for some and in April for others.
  case ambiguous
  /// Before the year 1 or after 9999, or so far away that it cannot be meant.
  case outOfRange
}
