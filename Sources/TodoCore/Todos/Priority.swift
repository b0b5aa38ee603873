/// How much a todo matters.
public enum Priority: String, Sendable, CaseIterable, Comparable {
  case low
  case medium
  case high

  public static func < (a: Priority, b: Priority) -> Bool {
    guard let first = allCases.firstIndex(of: a), let second = allCases.firstIndex(of: b) else { return false }
    return first < second
  }
}
