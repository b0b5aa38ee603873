/// A value that is exactly `length` bytes: ids, hashes and public keys.
///
/// It exists only with the right length, so nothing that holds one has to check again.
public protocol FixedBytes: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The length in bytes.
  static var length: Int { get }
  /// The bytes, `length` of them.
  var bytes: [UInt8] { get }
  /// Returns nil unless `bytes` has exactly `length` elements.
  init?(bytes: some Collection<UInt8>)
}

extension FixedBytes {
  /// Draws a new random value.
  public static func random(_ entropy: some Entropy) -> Self {
    Self(exactly: entropy.bytes(length))
  }

  /// For bytes whose length follows from how they were made. A wrong length is a defect of this program.
  package init(exactly bytes: [UInt8]) {
    guard let value = Self(bytes: bytes) else { preconditionFailure("\(Self.self) of \(bytes.count) bytes") }
    self = value
  }

  public static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }

  /// Lower-case base16.
  public var description: String { Base16.encode(bytes) }
}
