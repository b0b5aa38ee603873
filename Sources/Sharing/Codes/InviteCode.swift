public import Signing

/// A code that lets whoever has it into a list, once (spec §8.3): `7K2Q-MXPA-HJ4S-9VWD-3TQE-C0RN.alice`, and the server after an `@`.
///
/// It holds 100 random bits and 20 that find a slip of the pen. Both sides prove to each other that they know it, so it goes over
/// a way that the server does not see.
public struct InviteCode: Hashable, Sendable {
  /// Crockford's base32: without I, L, O and U, which look like others or make words.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  /// Characters that are random, and those that check them.
  private static let (length, checks) = (20, 4)

  /// Twenty values of five bits.
  let values: [UInt8]
  /// Who made it.
  public let handle: String

  /// Draws a new one.
  public init(of handle: String, _ entropy: some Entropy) {
    values = entropy.bytes(Self.length).map { $0 & 31 }
    self.handle = handle
  }

  init(values: [UInt8], handle: String) {
    self.values = values
    self.handle = handle
  }

  /// Reads what `text` writes, in any case, with O for 0 and I or L for 1. Nil if something was typed wrong.
  public init?(text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let typed = parts[0].uppercased().filter { $0 != "-" }.map { ["O": "0", "I": "1", "L": "1"][$0] ?? $0 }
    let all = String(typed).utf8.compactMap { Self.digits.firstIndex(of: $0).map { UInt8($0) } }
    guard typed.count == Self.length + Self.checks, all.count == typed.count else { return nil }
    values = Array(all.prefix(Self.length))
    handle = parts[1].lowercased()
    guard Array(all.suffix(Self.checks)) == checkValues else { return nil }
  }

  /// Six groups of four, and who made it. The server's name comes behind.
  public var text: String {
    let characters = (values + checkValues).map { Character(UnicodeScalar(Self.digits[Int($0)])) }
    let groups = stride(from: 0, to: characters.count, by: 4).map { String(characters[$0..<$0 + 4]) }
    return "\(groups.joined(separator: "-")).\(handle)"
  }

  /// The first group of four.
  var beginning: String { String(text.prefix(4)) }

  /// Whether text is as long as a code, in its letters: somebody perhaps means one, and has left out what follows.
  public static func isBare(_ text: String) -> Bool {
    let typed = text.uppercased().filter { $0 != "-" }
    return typed.count == length + checks && text.contains("-")
      && typed.utf8.allSatisfy { digits.contains($0) || "OIL".utf8.contains($0) }
  }

  private var checkValues: [UInt8] {
    digest(.codeCheck, values + Array(handle.utf8)).bytes.prefix(Self.checks).map { $0 & 31 }
  }

  /// What the server and the two may know it by.
  public var id: [UInt8] { digest(.codeID, values, length: 16) }

  private var key: SecretBytes { SecretBytes(digest(.codeKey, values).bytes) }

  /// What whoever claims the code sends to the inviter.
  func claim(by claimant: UserID, to inviter: UserID) -> [UInt8] {
    keyed(key, .codeClaim, inviter.bytes + claimant.bytes)
  }

  /// What the inviter answers with.
  func answer(by inviter: UserID, to claimant: UserID, branch: CloudID) -> [UInt8] {
    keyed(key, .codeAnswer, inviter.bytes + claimant.bytes + branch.bytes)
  }
}
