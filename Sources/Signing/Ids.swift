/// A person: the hash of their root public key, so no server can swap the key (spec §1.6).
public struct UserID: FixedBytes {
  public static let length = 20
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
  /// The userID of a root public key.
  public init(root: PublicKey) {
    self.init(exactly: digest(.userID, root.bytes, length: Self.length))
  }
  /// Reads the 32 characters of lower-case base32 that `description` writes.
  public init?(text: String) {
    guard let bytes = Base32.decode(text) else { return nil }
    self.init(bytes: bytes)
  }
  public var description: String { Base32.encode(bytes) }
}

/// One of a person's devices: the hash of its two public keys (spec §1.6).
public struct DeviceID: FixedBytes {
  public static let length = 16
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
  /// The id of the device with these keys.
  public init(signKey: PublicKey, boxKey: PublicKey) {
    self.init(exactly: digest(.deviceID, signKey.bytes + boxKey.bytes, length: Self.length))
  }
}

/// A node's permanent id, made by the client. A branch's id is its root's.
public struct CloudID: FixedBytes {
  public static let length = 16
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
  /// The id of a user's trunk; `name` is `home`, `prefs`, `outbox` or `inbox`.
  public init(user: UserID, trunk name: String) {
    self.init(exactly: digest(.trunk, user.bytes + Array(name.utf8), length: Self.length))
  }
  /// The id of the pointer that takes the place of a node which was made a branch (spec §3.9): two who do this make one node.
  public init(pointerIn outer: CloudID, toMade branch: CloudID) {
    self.init(exactly: digest(.pointer, outer.bytes + branch.bytes, length: Self.length))
  }
  /// An id that follows from something, so that several devices make one node, for nobody but who has the key (spec §1.6).
  public init(derived domain: Domain, _ bytes: [UInt8], by key: SecretBytes) {
    self.init(exactly: Array(keyed(key, domain, bytes).prefix(Self.length)))
  }
  /// The id of the node that a message is taken out of the inbox to, by the record hash of its header (spec §8.6).
  public init(ofMessage header: Hash32) {
    self.init(exactly: digest(.origin, header.bytes, length: Self.length))
  }
  /// The id of the one node of a branch that is named after a user (spec §3.6).
  public init(ownNodeOf user: UserID, in branch: CloudID) {
    self.init(exactly: digest(.ownNode, branch.bytes + user.bytes, length: Self.length))
  }
}

/// Names one queued change, so that sending it twice does it once.
public struct OperationID: FixedBytes {
  public static let length = 16
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
}

/// Names a new device's wish to be added to an account (spec §2.6).
public struct LoginID: FixedBytes {
  public static let length = 16
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
}

/// Names one sealing of one section.
public struct ContentID: FixedBytes {
  public static let length = 16
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
}

/// A 32-byte hash: a record hash, a log hash, a commitment or a name token.
public struct Hash32: FixedBytes {
  public static let length = 32
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
  /// What stands where there is no record before.
  public static let zeros = Hash32(exactly: [UInt8](repeating: 0, count: 32))
}

/// An Ed25519 or X25519 public key.
public struct PublicKey: FixedBytes {
  public static let length = 32
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
}

/// An Ed25519 signature.
public struct Signature: FixedBytes {
  public static let length = 64
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }
}
