/// Who writes: a profile's random 8 bytes, by which its stamps differ from those of all others.
public struct Replica: Hashable, Comparable, Sendable {
  /// One length, so that nobody can make one that is greater than all others.
  static let length = 8

  /// The bytes as a big-endian number, which orders as they do.
  private let number: UInt64

  /// Returns nil unless there are 8 bytes.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The 8 bytes.
  public var bytes: [UInt8] { bigEndian(number) }

  public static func < (a: Replica, b: Replica) -> Bool { a.number < b.number }
}

/// A number in 8 bytes.
func bigEndian(_ number: UInt64) -> [UInt8] {
  stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
}
