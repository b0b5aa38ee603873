import CloudAPI
import Signing

/// A branch as storage has it now: what `verify` has to know.
struct StoredBranch: BranchView, TreeView {
  let branch: CloudID
  let head: LogHead
  let permissions: PermissionsInForce?
  let firstPermissions: Hash32?
  let storage: any CloudStorageReader
  let memory: Memory
  let places: KnownPlaces

  /// `firstPermissions` is what a keyring names, for a trunk that is being made.
  init(
    _ branch: CloudID, in storage: any CloudStorageReader, _ memory: Memory, firstPermissions: Hash32? = nil,
    places: KnownPlaces = KnownPlaces()
  ) throws {
    self.branch = branch
    self.storage = storage
    self.memory = memory
    self.firstPermissions = firstPermissions
    self.places = places
    head = try storage.head(of: branch) ?? LogHead(startOf: branch)
    permissions = try storage.permissions(of: branch).map { try memory.permissions($0) }
  }

  func logHash(at line: UInt64) throws -> Hash32? { try storage.logHash(of: branch, at: line) }

  func wasInForce(_ permissions: Hash32) throws -> Bool {
    try storage.permissions(of: branch, named: permissions) != nil
  }

  func node(_ cloudID: CloudID) throws -> NodeState? {
    guard let node = try storage.node(cloudID, in: branch) else { return nil }
    let header = node.kind == .header ? try node.header() : nil
    return NodeState(
      lines: node.lines, hash: node.hash, isDeleted: node.kind == .tombstone, header: header, isGone: node.isGone,
      lastTombstone: node.kind == .tombstone ? node.lines : 0)
  }

  func keyring(_ user: UserID) throws -> Keyring? { try memory.anyKeyring(of: user, in: storage) }

  func verifies(_ key: PublicKey, _ signature: Signature, _ domain: Domain, _ body: [UInt8]) -> Bool {
    memory.signatures.verifies(key, signature, domain, body)
  }

  func enclosingPermissions(_ enclosing: Enclosing) throws -> PermissionsInForce?? {
    .some(
      try storage.permissions(of: enclosing.branch, named: enclosing.permissions).map { try memory.permissions($0) })
  }

  func parent(of cloudID: CloudID) throws -> CloudID?? {
    guard let place = try places.place(of: cloudID, in: branch, storage), place.isLive else { return .none }
    return .some(place.parent)
  }

  func child(of parent: CloudID, token: Hash32) throws -> CloudID? {
    try storage.liveChild(of: parent, token: token, in: branch)
  }
}

extension StoredNode {
  /// The header in the row.
  func header() throws -> HeaderBody {
    guard let header = try? HeaderBody(decoding: record.body) else { throw StorageFailure.damaged }
    return header
  }
}
