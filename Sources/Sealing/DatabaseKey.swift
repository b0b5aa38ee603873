public import Signing

/// Names a database key without telling anything about it (spec §9.1).
public struct DatabaseKeyID: FixedBytes {
  public static let length = 16
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
}

/// What seals a profile's database (spec §9.1).
public struct DatabaseKey: Sendable {
  /// What of a database is sealed.
  public enum File: UInt8, Sendable {
    case database = 1
    case log = 2
  }

  public let id: DatabaseKeyID
  /// 32 bytes.
  public let secret: SecretBytes

  /// Names a key that was kept somewhere. Returns nil unless `secret` has 32 bytes.
  public init?(id: DatabaseKeyID, secret: SecretBytes) {
    guard secret.count == 32 else { return nil }
    self.id = id
    self.secret = secret.guarded()
  }

  /// Draws a new key.
  public init(_ entropy: some Entropy) {
    id = .random(entropy)
    secret = SecretBytes(entropy.bytes(32)).guarded()
  }

  /// Seals a unit of a file, which gets `Seal.overhead` bytes longer (spec §9.4).
  public func seal(_ plain: [UInt8], unit: UInt64, of file: File, _ entropy: some Entropy) -> [UInt8] {
    Seal.seal(plain, under: secret, .databaseUnit, context: Self.context(unit, file), entropy)
  }

  /// Opens a unit; nil if it is torn, from elsewhere, or was changed.
  public func open(_ sealed: [UInt8], unit: UInt64, of file: File) -> [UInt8]? {
    Seal.open(sealed, under: secret, .databaseUnit, context: Self.context(unit, file))
  }

  private static func context(_ unit: UInt64, _ file: File) -> [UInt8] { [file.rawValue] + BigEndian.bytes(unit) }
}
