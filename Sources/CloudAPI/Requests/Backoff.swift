/// How long to leave a server alone that was not there: twice as long with each failure in a row, and half of it left to
/// chance, so that everybody does not come back at once.
public struct Backoff: Hashable, Sendable {
  /// After the first failure, in milliseconds.
  public let shortest: Int64
  /// However many there were, in milliseconds.
  public let longest: Int64
  /// In a row.
  public private(set) var failures: Int

  /// More of them make no pause longer, and doubling so often stays within 64 bits.
  private static let doublings = 20

  public init(shortest: Int64, longest: Int64, failures: Int = 0) {
    self.shortest = shortest
    self.longest = longest
    self.failures = failures
  }

  /// One more failure.
  public mutating func fail() { failures += 1 }

  /// The server was there.
  public mutating func succeed() { failures = 0 }

  /// How long to wait now, in milliseconds.
  /// - Parameter random: any number, drawn anew for each pause.
  public func pause(_ random: UInt64) -> Int64 {
    let whole = min(longest, shortest << min(max(failures - 1, 0), Self.doublings))
    return whole / 2 + Int64(random % UInt64(max(1, whole / 2)))
  }
}
