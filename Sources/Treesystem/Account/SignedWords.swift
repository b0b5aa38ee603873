public import CloudAPI
import GRDB
public import Signing

/// Whose words some bytes are, apart from the node that holds them: their device's own signature (spec §7.8).
public struct SignedWords: Hashable, Sendable {
  /// The position of their keyring that they knew.
  public let keyringPosition: UInt32
  /// Which of their devices signed.
  public let device: DeviceID
  /// Its signature over the words, their user, their device and the position.
  public let signature: Signature

  /// Reads the 84 bytes that `bytes` writes; nil for any others.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 84, let device = DeviceID(bytes: bytes[4..<20]), let signature = Signature(bytes: bytes[20...])
    else { return nil }
    keyringPosition = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    self.device = device
    self.signature = signature
  }

  init(_ words: [UInt8], _ domain: Domain, of user: UserID, device: DeviceID, at position: UInt32, with key: SigningKey)
  {
    (keyringPosition, self.device) = (position, device)
    signature = key.sign(domain, Self.body(words, of: user, device, position))
  }

  /// The position, the device and the signature.
  public var bytes: [UInt8] { Self.bigEndian(keyringPosition) + device.bytes + signature.bytes }

  /// Whether the user of this keyring signed these words, by a device that was theirs at the position.
  public func hold(_ words: [UInt8], _ domain: Domain, by keyring: Keyring) -> Bool {
    guard keyringPosition <= keyring.position, let device = keyring.device(device, at: keyringPosition) else {
      return false
    }
    return device.signKey.verifies(signature, domain, Self.body(words, of: keyring.user, device.id, keyringPosition))
  }

  private static func body(_ words: [UInt8], of user: UserID, _ device: DeviceID, _ position: UInt32) -> [UInt8] {
    user.bytes + device.bytes + bigEndian(position) + words
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }
}

extension CloudTransaction {
  /// Signs words as this device; nil without an account. The domain is of these words alone.
  public func sign(_ words: [UInt8], _ domain: Domain) throws -> SignedWords? {
    guard try account() != nil else { return nil }
    let identity = try identity()
    return SignedWords(
      words, domain, of: identity.user, device: identity.device, at: try keyringPosition(identity.user),
      with: identity.signingKey)
  }

  /// Has a user's keyring asked for with this sync or the next, once, where it is not known up to a position.
  public func wantKeyring(of user: UserID, upTo position: UInt32) throws {
    guard try keyringPosition(user) < position else { return }
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO wanted_keyrings (user) SELECT ?1 WHERE (SELECT count(*) FROM wanted_keyrings) < ?2
        """, arguments: [user, Limits.requestItems])
  }

  func hasWantedKeyrings() throws -> Bool {
    try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM wanted_keyrings)") ?? false
  }

  /// Whose keyrings are wanted; from now on they are not.
  func takeWantedKeyrings() throws -> [UserID] {
    try UserID.fetchAll(db, sql: "DELETE FROM wanted_keyrings RETURNING user")
  }
}
