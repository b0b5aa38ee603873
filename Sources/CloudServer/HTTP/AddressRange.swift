#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An address, or those that begin like it: `10.0.0.7`, `172.16.0.0/12`, `fd00::/8`.
public struct AddressRange: Equatable, Sendable {
  private let bytes: [UInt8]
  /// How many of its bits count.
  private let bits: Int

  /// Nil: that is no address.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bytes = Self.bytes(of: String(parts[0])) else { return nil }
    let bits = parts.count == 1 ? 8 * bytes.count : Int(parts[1])
    guard let bits, (0...8 * bytes.count).contains(bits) else { return nil }
    (self.bytes, self.bits) = (bytes, bits)
  }

  func contains(_ address: String) -> Bool {
    guard let other = Self.bytes(of: address), other.count == bytes.count else { return false }
    return (0..<bits).allSatisfy { (bytes[$0 / 8] ^ other[$0 / 8]) & (0x80 >> UInt8($0 % 8)) == 0 }
  }

  private static func bytes(of address: String) -> [UInt8]? {
    let isLong = address.contains(":")
    var bytes = [UInt8](repeating: 0, count: isLong ? 16 : 4)
    return unsafe inet_pton(isLong ? AF_INET6 : AF_INET, address, &bytes) == 1 ? bytes : nil
  }
}
