public import Signing

/// Sixty digits that two people compare over another way than the server: they are the same on both sides if each has the
/// other's identity, and nobody stands between them (spec §2.4).
public struct SafetyNumber: Hashable, Sendable, CustomStringConvertible {
  /// Twelve groups of five digits.
  public let groups: [String]

  /// The number of two users, in whichever order.
  public init(of one: UserID, and other: UserID) {
    groups = [one, other].map(Self.groups).sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
  }

  /// Six groups: each is five bytes of the digest, big-endian, modulo 100,000.
  private static func groups(of user: UserID) -> [String] {
    let bytes = digest(.safetyNumber, user.bytes).bytes
    return stride(from: 0, to: 30, by: 5).map { start in
      let number = bytes[start..<start + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 100_000
      let digits = String(number)
      return String(repeating: "0", count: 5 - digits.count) + digits
    }
  }

  /// Whether somebody typed this number, with spaces anywhere.
  public func matches(_ text: String) -> Bool {
    let typed = text.unicodeScalars.filter { !$0.properties.isWhitespace && $0 != "-" }
    return String(String.UnicodeScalarView(typed)) == groups.joined()
  }

  public var description: String { groups.joined(separator: " ") }
}
