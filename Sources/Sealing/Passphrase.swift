import CSodium
import Signing

/// What opens a profile, as somebody typed it (spec §9.1).
public struct Passphrase: Sendable {
  /// Of what is too easy to try.
  public static let least = 8
  /// In bytes.
  public static let most = 1024

  let bytes: SecretBytes

  /// Takes what was typed, without the end of the line.
  public init(_ typed: [UInt8]) throws(PassphraseError) {
    guard let text = String(validating: typed, as: UTF8.self), !typed.contains(0) else { throw .notText }
    guard !text.allSatisfy(\.isWhitespace) else { throw .empty }
    guard text.count >= Self.least else { throw .short }
    guard typed.count <= Self.most else { throw .long }
    bytes = SecretBytes(typed)
  }

  /// What wraps the database key. Nil where the machine has not so much memory.
  func key(salt: [UInt8], _ cost: PassphraseCost) -> SecretBytes? {
    prepareSodium()
    var key = [UInt8](repeating: 0, count: 32)
    let status = unsafe bytes.withBytes { typed in
      unsafe typed.withMemoryRebound(to: CChar.self) { text in
        unsafe crypto_pwhash(
          &key, 32, text.baseAddress!, UInt64(text.count), salt, UInt64(cost.passes), Int(cost.memory) * 1024,
          crypto_pwhash_ALG_ARGON2ID13)
      }
    }
    return status == 0 ? SecretBytes(key) : nil
  }
}

/// Why a passphrase cannot be one.
public enum PassphraseError: Error, Equatable, Sendable {
  case empty
  /// Fewer than eight characters.
  case short
  /// More than 1024 bytes.
  case long
  /// It is not UTF-8, or has a zero in it.
  case notText
}

/// What it costs to try one passphrase, for its owner and for a thief (spec §9.2).
public struct PassphraseCost: Equatable, Sendable {
  public let passes: UInt32
  /// In KiB.
  public let memory: UInt32

  public init(passes: UInt32, memory: UInt32) {
    self.passes = passes
    self.memory = memory
  }

  /// What is written: about a second of a small computer.
  public static let standard = PassphraseCost(passes: 3, memory: 262_144)
  /// Less is refused, whoever wrote it: the second choice of RFC 9106.
  public static let floor = PassphraseCost(passes: 3, memory: 65_536)
  /// More would keep this machine from doing anything else.
  public static let ceiling = PassphraseCost(passes: 16, memory: 4_194_304)

  func check() throws(KeyFileError) {
    if passes < Self.floor.passes || memory < Self.floor.memory { throw .costTooLow }
    if passes > Self.ceiling.passes || memory > Self.ceiling.memory { throw .costTooHigh }
  }
}
