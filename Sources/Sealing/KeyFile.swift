public import Signing

/// A database key under a passphrase, as it lies beside the database (spec §9.2).
public struct KeyFile: Equatable, Sendable {
  /// In bytes.
  public static let length = 129
  private static let magic = Array("todo/v1/key-file".utf8)
  private static let suite: UInt8 = 1

  /// Of the key that it holds.
  public let id: DatabaseKeyID
  private let salt: [UInt8]
  private let cost: PassphraseCost
  private let sealed: [UInt8]

  /// Wraps a key. Takes as long as opening it does.
  public init(
    _ key: DatabaseKey, under passphrase: Passphrase, cost: PassphraseCost = .standard, _ entropy: some Entropy
  ) throws(KeyFileError) {
    try cost.check()
    id = key.id
    salt = entropy.bytes(16)
    self.cost = cost
    guard let wrapping = passphrase.key(salt: salt, cost) else { throw .noMemory }
    let head = Self.head(id, salt, cost)
    sealed = Seal.seal(key.secret.copied(), under: wrapping, .databaseKey, context: head, entropy)
  }

  /// Reads a file, and refuses it before anything is derived from it.
  public init(encoded: [UInt8]) throws(KeyFileError) {
    guard encoded.count == Self.length, encoded.starts(with: Self.magic),
      let id = DatabaseKeyID(bytes: encoded[17..<33])
    else { throw .malformed }
    guard encoded[16] == Self.suite else { throw .newer }
    self.id = id
    salt = Array(encoded[33..<49])
    cost = PassphraseCost(
      passes: UInt32(BigEndian.read(encoded[49..<53])), memory: UInt32(BigEndian.read(encoded[53..<57])))
    sealed = Array(encoded[57...])
    try cost.check()
  }

  /// The bytes of the file.
  public var encoded: [UInt8] { Self.head(id, salt, cost) + sealed }

  /// The key, for whoever knows the passphrase.
  public func open(_ passphrase: Passphrase) throws(KeyFileError) -> DatabaseKey {
    guard let wrapping = passphrase.key(salt: salt, cost) else { throw .noMemory }
    guard let secret = Seal.open(sealed, under: wrapping, .databaseKey, context: Self.head(id, salt, cost)),
      let key = DatabaseKey(id: id, secret: SecretBytes(secret))
    else { throw .keyUnopenable }
    return key
  }

  private static func head(_ id: DatabaseKeyID, _ salt: [UInt8], _ cost: PassphraseCost) -> [UInt8] {
    magic + [suite] + id.bytes + salt + BigEndian.bytes(cost.passes) + BigEndian.bytes(cost.memory)
  }
}

/// Why a key file is of no use.
public enum KeyFileError: String, Error, CaseIterable, Sendable {
  case malformed
  /// It was written by a newer version of this program.
  case newer
  /// Passphrases could be tried too cheaply: this program never wrote it.
  case costTooLow = "cost-too-low"
  /// It would take more than this program lets it.
  case costTooHigh = "cost-too-high"
  /// The passphrase is wrong, or the file was changed.
  case keyUnopenable = "key-unopenable"
  /// This machine has not enough memory to try a passphrase.
  case noMemory = "no-memory"
}
