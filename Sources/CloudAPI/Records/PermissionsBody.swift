public import Signing
import SwiftProtobuf

/// Who may do what on a branch, and its key for those who may read (spec §3).
public struct PermissionsBody: RecordBody, Equatable {
  public static let domain = Domain.permissions

  public var branch: CloudID
  public var owner: UserID
  public var version: UInt64
  public var previous: Hash32
  public var epoch: UInt64
  public var commitment: Hash32
  /// Sorted by user, anyone first.
  public var entries: [PermissionsEntry]
  public var olderKeys: [OlderKey]
  public var author: Author
  /// Only in the first record of a nested branch.
  public var enclosing: Enclosing?
  /// Milliseconds since 1970 by the author's clock, informative; 0: not said.
  public var created: Int64
  /// Where the owner changes: the successor's `OwnershipTransferBody`, signed by them.
  public var transfer: SignedRecord?
  /// Whether the owner ends the branch for everybody: no record follows this one.
  public var isClosed: Bool

  public init(
    branch: CloudID, owner: UserID, version: UInt64, previous: Hash32, epoch: UInt64, commitment: Hash32,
    entries: [PermissionsEntry], olderKeys: [OlderKey], author: Author, enclosing: Enclosing? = nil,
    created: Int64 = 0, transfer: SignedRecord? = nil, isClosed: Bool = false
  ) {
    self.branch = branch
    self.owner = owner
    self.version = version
    self.previous = previous
    self.epoch = epoch
    self.commitment = commitment
    self.entries = entries
    self.olderKeys = olderKeys
    self.author = author
    self.enclosing = enclosing
    self.created = created
    self.transfer = transfer
    self.isClosed = isClosed
  }

  /// The entry of a user; nil stands for anyone.
  public func entry(of user: UserID?) -> PermissionsEntry? { entries.first { $0.user == user } }

  /// A user's own letters and anyone's; none for somebody who is refused.
  public func letters(of user: UserID) -> Letters {
    refuses(user) ? [] : (entry(of: user)?.letters ?? []).union(entry(of: nil)?.letters ?? [])
  }

  /// Whether a user's own entry has no letters: then anyone's do not count for them (spec §3.6).
  public func refuses(_ user: UserID) -> Bool { entry(of: user)?.letters.isEmpty == true }

  public init(decoding bytes: [UInt8]) throws(Refusal) {
    let wire = try decodeRecord(WirePermissionsRecord.self, bytes)
    try requireSuite(wire.suite)
    guard wire.entries.count <= Limits.permissionsEntries else { throw .limitExceeded }
    guard wire.created <= UInt64(Int64.max) else { throw .malformed }
    var entries: [PermissionsEntry] = []
    for entry in wire.entries { entries.append(try PermissionsEntry(entry)) }
    var olderKeys: [OlderKey] = []
    for key in wire.olderKeys { olderKeys.append(OlderKey(epoch: try counter(key.epoch), sealed: Array(key.sealed))) }
    self.init(
      branch: try fixed(wire.branch), owner: try fixed(wire.owner), version: try counter(wire.version),
      previous: try fixed(wire.previous), epoch: try counter(wire.epoch),
      commitment: try fixed(wire.branchKeyCommitment),
      entries: entries, olderKeys: olderKeys, author: try Author(wire.author),
      enclosing: wire.hasEnclosing ? try Enclosing(wire.enclosing) : nil, created: Int64(wire.created),
      transfer: wire.hasTransfer ? try SignedRecord(wire.transfer) : nil, isClosed: wire.closed)
  }

  public var encoded: [UInt8] {
    encode(
      WirePermissionsRecord.with {
        $0.suite = 1
        $0.branch = data(branch.bytes)
        $0.owner = data(owner.bytes)
        $0.version = version
        $0.previous = data(previous.bytes)
        $0.epoch = epoch
        $0.branchKeyCommitment = data(commitment.bytes)
        $0.entries = entries.map(\.wire)
        $0.olderKeys = olderKeys.map { older in
          WireOlderKey.with {
            $0.epoch = older.epoch
            $0.sealed = data(older.sealed)
          }
        }
        $0.author = author.wire
        if let enclosing { $0.enclosing = enclosing.wire }
        $0.created = UInt64(max(0, created))
        if let transfer { $0.transfer = transfer.wire }
        $0.closed = isClosed
      })
  }
}

/// One user's share of a permissions record.
public struct PermissionsEntry: Hashable, Sendable {
  /// Nil stands for anyone.
  public var user: UserID?
  public var letters: Letters
  /// The position of the user's keyring that the signer had seen; 0 for anyone.
  public var keyringPosition: UInt32
  /// The user key that `sealedKey` is sealed to.
  public var generation: UInt32
  /// Empty without `r`.
  public var sealedKey: [UInt8]

  public init(user: UserID?, letters: Letters, keyringPosition: UInt32, generation: UInt32, sealedKey: [UInt8]) {
    self.user = user
    self.letters = letters
    self.keyringPosition = keyringPosition
    self.generation = generation
    self.sealedKey = sealedKey
  }

  init(_ wire: WirePermissionsEntry) throws(Refusal) {
    self.init(
      user: try optional(wire.user), letters: Letters(rawValue: wire.letters),
      keyringPosition: wire.keyringPosition, generation: wire.generation, sealedKey: Array(wire.sealedKey))
  }

  var wire: WirePermissionsEntry {
    WirePermissionsEntry.with {
      $0.user = data(user?.bytes ?? [])
      $0.letters = letters.rawValue
      $0.keyringPosition = keyringPosition
      $0.generation = generation
      $0.sealedKey = data(sealedKey)
    }
  }
}

/// An earlier epoch's branch key under the present one.
public struct OlderKey: Hashable, Sendable {
  public var epoch: UInt64
  public var sealed: [UInt8]

  public init(epoch: UInt64, sealed: [UInt8]) {
    self.epoch = epoch
    self.sealed = sealed
  }
}

/// Where a nested branch was made: the record of the enclosing branch that let its signer make it.
public struct Enclosing: Hashable, Sendable {
  public var branch: CloudID
  public var permissionsVersion: UInt64
  public var permissions: Hash32
  public var owner: UserID

  public init(branch: CloudID, permissionsVersion: UInt64, permissions: Hash32, owner: UserID) {
    self.branch = branch
    self.permissionsVersion = permissionsVersion
    self.permissions = permissions
    self.owner = owner
  }

  init(_ wire: WireEnclosing) throws(Refusal) {
    self.init(
      branch: try fixed(wire.branch), permissionsVersion: try counter(wire.permissionsVersion),
      permissions: try fixed(wire.permissions), owner: try fixed(wire.owner))
  }

  var wire: WireEnclosing {
    WireEnclosing.with {
      $0.branch = data(branch.bytes)
      $0.permissionsVersion = permissionsVersion
      $0.permissions = data(permissions.bytes)
      $0.owner = data(owner.bytes)
    }
  }
}
