public import Signing

/// A person's verified keyring: their handle, devices and user keys at every position (spec §2.2).
public struct Keyring: Sendable {
  /// A device that the keyring names.
  public struct Device: Hashable, Sendable {
    public let id: DeviceID
    public let signKey: PublicKey
    public let boxKey: PublicKey
    /// The entry that added it, and by whom (nil: the root).
    public let added: UInt32
    public let addedBy: DeviceID?
    /// The entry that ended it.
    public internal(set) var ended: UInt32?

    /// Whether it is active at a position.
    public func isActive(at position: UInt32) -> Bool { added <= position && position < (ended ?? .max) }
  }

  /// The public half of one generation of the user key.
  public struct Generation: Hashable, Sendable {
    public let number: UInt32
    public let publicKey: PublicKey
    /// The entry that made it.
    public let position: UInt32
    public let sealed: [KeyringChange.SealedUserKey]
    public let older: [UInt8]
  }

  public let user: UserID
  public internal(set) var entries: [SignedRecord] = []
  public internal(set) var head = Hash32.zeros
  public internal(set) var handle = ""
  public internal(set) var rootKey: PublicKey
  public internal(set) var rootBoxKey: PublicKey
  public internal(set) var devices: [DeviceID: Device] = [:]
  public internal(set) var generations: [Generation] = []
  public internal(set) var trunks: KeyringChange.Trunks?
  /// The last entry, where it deleted the account.
  public internal(set) var deleted: UInt32?
  var sealedToNewDevices: [DeviceID: KeyringChange.NewDevice] = [:]

  /// The position of the last entry.
  public var position: UInt32 { UInt32(entries.count) }

  /// Verifies a whole keyring. `complete` asks for the four entries of sign-up at least.
  public init(user: UserID, entries: [SignedRecord], complete: Bool = true) throws(Refusal) {
    try self.init(of: user, entries, isStored: false)
    if complete { try requireTrunks() }
  }

  /// Reads a keyring back from one's own tables. Its signatures were found good before it was stored.
  package init(stored entries: [SignedRecord], of user: UserID) throws(Refusal) {
    try self.init(of: user, entries, isStored: true)
  }

  private init(of user: UserID, _ entries: [SignedRecord], isStored: Bool) throws(Refusal) {
    self.user = user
    guard let first = entries.first else { throw .trunksMissing }
    let body = try Unverified<KeyringEntryBody>(first).body
    guard body.user == user || Defence.entryUser.isDown else { throw .userMismatch }
    guard body.position == 1, body.previous == .zeros else { throw .chainBroken }
    guard body.signer == nil, case .setHandle(_, let root?, let box?) = body.change,
      UserID(root: root) == user || Defence.rootKey.isDown
    else {
      throw .rootMismatch
    }
    rootKey = root
    rootBoxKey = box
    try append(entries, isStored: isStored)
  }

  /// Verifies and appends later entries.
  public mutating func append(_ records: [SignedRecord]) throws(Refusal) { try append(records, isStored: false) }

  /// Appends later entries from one's own tables.
  package mutating func append(stored records: [SignedRecord]) throws(Refusal) { try append(records, isStored: true) }

  private mutating func append(_ records: [SignedRecord], isStored: Bool) throws(Refusal) {
    var next = self
    for record in records { try next.append(record, isStored: isStored) }
    self = next
  }

  /// Refuses a keyring that ends before its trunks.
  public func requireTrunks() throws(Refusal) {
    guard trunks != nil && !generations.isEmpty || Defence.keyringComplete.isDown else { throw .trunksMissing }
  }

  /// The device, if it is active at `position` (now, where nil).
  public func device(_ id: DeviceID, at position: UInt32? = nil) -> Device? {
    devices[id].flatMap { $0.isActive(at: position ?? self.position) ? $0 : nil }
  }

  /// The devices that are active now.
  public var activeDevices: [Device] {
    devices.values.filter { $0.isActive(at: position) }.sorted { $0.id < $1.id }
  }

  /// How many devices are no more.
  public var endedDevices: Int { devices.values.count { $0.ended != nil } }

  /// The generation of the user key that is current at `position`.
  public func generation(at position: UInt32) -> Generation? { generations.last { $0.position <= position } }

  /// What was sealed to a device when it was added; nil if nothing was.
  public func userKeySealed(toNew device: DeviceID) -> (generation: UInt32, sealed: [UInt8])? {
    sealedToNewDevices[device].flatMap { $0.generation == 0 ? nil : ($0.generation, $0.sealedUserKey) }
  }
}

/// What may be a handle: it stands in commands, so it is short and plain.
public func isValidHandle(_ handle: String) -> Bool {
  let letters = Array(handle.utf8)
  guard let first = letters.first, letters.count <= 32, isPlain(first) else { return false }
  return letters.allSatisfy { isPlain($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
}

private func isPlain(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
