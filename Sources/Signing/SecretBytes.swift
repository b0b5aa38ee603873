import CSodium

/// Bytes that must not be printed, and are erased when nobody needs them any more.
public final class SecretBytes: Sendable {
  private let bytes: [UInt8]

  /// Takes over secret bytes.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// How many there are.
  public var count: Int { bytes.count }

  /// Lends the bytes to `body`, which must not keep them. Public because storage has to write them down.
  public func withBytes<Result, Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Result) throws(Failure) -> Result {
    try body(bytes)
  }

  deinit {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe sodium_memzero(UnsafeMutableRawPointer(mutating: base), buffer.count)
    }
  }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes: Equatable {
  /// Takes the same time wherever they differ.
  public static func == (a: SecretBytes, b: SecretBytes) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe sodium_memcmp(a.bytes, b.bytes, a.count) == 0
  }
}
