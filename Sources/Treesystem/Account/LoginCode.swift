import CloudAPI
import Sealing
import Signing
import SwiftProtobuf

/// Eight digits that a new device and one of the account show, and that are the same on both if nobody stands between them (spec §2.6).
public struct LoginCode: Hashable, Sendable, CustomStringConvertible {
  private static let digits = 8
  let number: UInt64

  init(user: UserID, device: DeviceID, login: LoginID, nonce: [UInt8], opening: [UInt8]) {
    let hash = digest(.loginCode, user.bytes + device.bytes + login.bytes + nonce + opening)
    number = BigEndian.read(Array(hash.bytes.prefix(8))) % 100_000_000
  }

  /// Reads what `description` writes, with spaces or without the dash. Nil for anything else.
  public init?(text: String) {
    let typed = text.filter { $0 != "-" && $0 != " " }
    guard typed.count == Self.digits, typed.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt64(typed) else {
      return nil
    }
    self.number = number
  }

  /// `1234-5678`
  public var description: String {
    let text = String(number)
    let all = String(repeating: "0", count: Self.digits - text.count) + text
    return "\(all.prefix(4))-\(all.suffix(4))"
  }
}

/// What a new device says of itself. Its bytes are what both sides hash.
struct LoginOpening {
  let bytes: [UInt8]
  let signKey: PublicKey
  let boxKey: PublicKey
  let name: String

  /// Of a new device.
  init(signKey: PublicKey, boxKey: PublicKey, name: String, _ entropy: some Entropy) {
    let message = SealedLoginOpening.with {
      $0.signKey = data(signKey.bytes)
      $0.boxKey = data(boxKey.bytes)
      $0.nonce = data(entropy.bytes(32))
      $0.name = name
    }
    (self.signKey, self.boxKey, self.name) = (signKey, boxKey, name)
    bytes = encode(message)
  }

  /// Reads what came; refuses what a commitment does not stand for.
  init(bytes: [UInt8], of login: LoginID, commitment: Hash32) throws(Refusal) {
    guard Self.commitment(to: bytes, login) == commitment || Defence.loginCommitment.isDown else {
      throw .contentMismatch
    }
    let message = try decode(SealedLoginOpening.self, bytes)
    guard message.nonce.count == 32, message.name.utf8.count <= Limits.deviceNameBytes else { throw .malformed }
    (signKey, boxKey, name) = (try fixed(message.signKey), try fixed(message.boxKey), message.name)
    self.bytes = bytes
  }

  var device: DeviceID { DeviceID(signKey: signKey, boxKey: boxKey) }

  func commitment(for login: LoginID) -> Hash32 { Self.commitment(to: bytes, login) }

  private static func commitment(to bytes: [UInt8], _ login: LoginID) -> Hash32 {
    digest(.loginCommitment, login.bytes + bytes)
  }
}

/// The generations of a user key as they are handed to a new device.
enum HandedUserKeys {
  private static let length = 36

  static func bytes(of keys: [UserKey]) -> SecretBytes {
    SecretBytes(keys.flatMap { key in BigEndian.bytes(key.generation) + key.box.secret.copied() })
  }

  /// Those that it can read: each is believed only if it fits the keyring.
  static func read(_ bytes: SecretBytes) -> [UserKey] {
    let bytes = bytes.copied()
    guard bytes.count.isMultiple(of: length) else { return [] }
    return stride(from: 0, to: bytes.count, by: length).map { start in
      let generation = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      return UserKey(generation: generation, box: BoxKey(secret: SecretBytes(Array(bytes[start + 4..<start + length]))))
    }
  }
}
