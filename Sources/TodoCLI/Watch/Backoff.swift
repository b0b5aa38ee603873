/// How long to wait before trying again: longer with each failure, and not all at the same moment.
struct Backoff {
  /// In a row.
  private(set) var failures = 0

  static let shortest = 500.0
  static let longest = 60_000.0

  mutating func fail() { failures += 1 }
  mutating func succeed() { failures = 0 }

  /// In milliseconds.
  /// - Parameter chance: between 0 and 1.
  func pause(chance: Double) -> Int64 {
    let doubled = Self.shortest * Double(1 << min(max(failures - 1, 0), 10))
    return Int64(min(doubled, Self.longest) * (0.5 + chance / 2))
  }
}
