import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

extension Sealer {
  /// Seals a node's present content. Its metadata is carried over while key and name stay the same.
  func sealPut(_ operation: QueuedOperation) throws -> WirePut? {
    guard let queued = try operation.node.flatMap({ try transaction.node($0) }), let cloudID = queued.cloudID,
      let facts = try branches.facts(of: queued.branch), let branchKey = facts.key
    else { return nil }
    let permissions = facts.permissions
    let node = try transaction.giveWay(queued, telling: delegate)
    let before = try transaction.stateToFollow(of: cloudID, in: node.branch)
    // A message is its sender's, and nobody else puts it again.
    guard before?.header?.recipient == nil else { return nil }
    let lives = try before != nil && LocalTree(transaction: transaction, branch: node.branch, line: .max).lives(cloudID)
    let keep = before?.header.flatMap { $0.epoch == permissions.body.epoch ? $0 : nil }
    let key = try nodeKey(of: node, cloudID, branchKey, keep: keep)
    // Of what is gone the server has no contents left.
    let isOpen =
      try lives && !transaction.isQuarantined(cloudID, in: node.branch)
      && !transaction.isBare(cloudID, in: node.branch)
    var put = WirePut()
    let content = try content(of: node)
    var references: [ContentReference] = []
    for (section, plain) in try sections(of: node, content) {
      if section == .metadata, let keep, let carried = keep.content(.metadata), isOpen, try nameIsKept(node, keep),
        keep.lists(content?.file)
      {
        references.append(carried)
        continue
      }
      let (reference, content) = seal(plain, section, key)
      references.append(reference)
      put.contents.append(content)
    }
    if let file = content?.file {
      references.append(try list(file, of: node, after: lives ? before?.header : nil, &put))
    }
    let header = HeaderBody(
      branch: permissions.body.branch, cloudID: cloudID, parent: try parentID(of: node),
      nameToken: try token(of: node), version: (before?.lines ?? 0) + 1, previous: before?.hash ?? .zeros,
      permissions: permissions.hash, epoch: permissions.body.epoch,
      wrappedKey: keep?.wrappedKey ?? branchKey.wrap(key, transaction.entropy), keyCommitment: key.commitment,
      contents: references, author: try author(in: node.branch), operation: operation.operation,
      revived: life(before, lives: lives), expires: try transaction.signedExpiry(of: node.id))
    put.header = SignedRecord(signing: header, with: identity.signingKey).wire
    return put
  }

  /// A node that was deleted, or went with one above it, says with which version it came back.
  private func life(_ before: NodeState?, lives: Bool) -> UInt64 {
    guard let before else { return 0 }
    // It came back with a record that was not believed, right after its tombstone.
    if before.lastTombstone > 0, !before.isDeleted { return before.lastTombstone + 1 }
    return lives ? before.header?.revived ?? 0 : before.lines + 1
  }

  private func nodeKey(
    of node: Node, _ cloudID: CloudID, _ branchKey: BranchKey, keep: HeaderBody?
  ) throws -> NodeKey {
    if let keep, let known = try keptKey(of: node, cloudID, branchKey, keep) {
      // A profile that was put back may know the one and not the other.
      if try nameKey(of: node.id) == nil { try setKeys(of: node, known.secret) }
      return known
    }
    let secret = SecretBytes(transaction.entropy.bytes(32))
    try setKeys(of: node, secret)
    return NodeKey(branch: branchKey.branch, node: cloudID, secret: secret)
  }

  /// The node's key, and a name key unless it has one. A node that others know by one gets none here (spec §5.4).
  private func setKeys(of node: Node, _ secret: SecretBytes) throws {
    guard try !transaction.lacksNameKey(node) else { throw Refusal.rowMissing }
    let nameKey = SecretBytes(transaction.entropy.bytes(32))
    let update = try transaction.db.cachedStatement(
      sql: "UPDATE nodes SET node_key = ?1, name_key = iif(?4, ?2, coalesce(name_key, ?2)) WHERE id = ?3")
    try update.execute(arguments: [secret.column, nameKey.column, node.id, Defect.nameKeyRedrawn.isPlanted])
  }

  /// The key of the header before. A node that was in another branch meanwhile has that one's key.
  private func keptKey(
    of node: Node, _ cloudID: CloudID, _ branchKey: BranchKey, _ keep: HeaderBody
  ) throws -> NodeKey? {
    let kept = try transaction.db.cachedStatement(
      sql: "SELECT node_key FROM nodes WHERE id = ? AND node_key IS NOT NULL")
    let known = try Data.fetchOne(kept, arguments: [node.id])
      .map { NodeKey(branch: branchKey.branch, node: cloudID, secret: SecretBytes(column: $0)) }
    if known?.commitment == keep.keyCommitment { return known }
    guard let before = branchKey.unwrap(keep.wrappedKey, of: cloudID, commitment: keep.keyCommitment) else {
      return known
    }
    try transaction.db.execute(
      sql: "UPDATE nodes SET node_key = ? WHERE id = ?", arguments: [before.secret.column, node.id])
    return before
  }

  /// What the app has to say of a node. Pointers and trunk roots are the framework's own and have nothing of the app's.
  private func content(of node: Node) throws -> NodeData? {
    if node.pointer != nil || (node.isBranchRoot && node.trunk != nil) { return nil }
    guard node.trunk == .home, let origin = try transaction.origin(of: node.id) else {
      return try delegate.content(of: node, in: transaction)
    }
    return NodeData(message: origin.sealed, file: try transaction.file(of: node.id))
  }

  /// What is sealed and goes with the node: its file does not.
  private func sections(of node: Node, _ content: NodeData?) throws -> [(Section, [UInt8])] {
    let metadata = try (Section.metadata, encode(self.metadata(of: node, content?.file)))
    guard let content else { return [metadata] }
    let history: [(Section, [UInt8])] = content.history.isEmpty ? [] : [(.history, content.history)]
    return [metadata] + (content.file == nil ? [(.data, content.data)] : []) + history
  }

  private func metadata(of node: Node, _ file: NodeFile?) throws -> SealedNodeMetadata {
    var metadata = SealedNodeMetadata()
    if let file { metadata.file = file.key.wire }
    if node.trunk == .home, let origin = try transaction.origin(of: node.id) { metadata.origin = origin.wire }
    metadata.name = node.name
    metadata.nameKey = try nameKey(of: node.id) ?? Data()
    if let branch = node.pointer, let cloudID = try transaction.cloudID(of: branch),
      let first = try transaction.firstPermissions(of: branch)
    {
      metadata.pointer.branch = data(cloudID.bytes)
      metadata.pointer.firstPermissions = data(first.bytes)
      metadata.pointer.alias = try transaction.alias(of: node) ?? ""
      metadata.pointer.trashedAt = try transaction.trashedAt(of: node) ?? 0
    }
    return metadata
  }

  private func nameIsKept(_ node: Node, _ before: HeaderBody?) throws -> Bool {
    try node.pointer == nil && (node.parent == nil || token(of: node) == before?.nameToken)
  }

  func parentID(of node: Node) throws -> CloudID? { try node.parent.flatMap { try transaction.node($0)?.cloudID } }

  private func token(of node: Node) throws -> Hash32? {
    guard let parent = node.parent else { return nil }
    guard let key = try nameKey(of: parent) else { throw TreeError.noParent }
    return nameToken(node.name, key: SecretBytes(column: key))
  }

  private func nameKey(of node: NodeID) throws -> Data? {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT name_key FROM nodes WHERE id = ? AND name_key IS NOT NULL")
    return try Data.fetchOne(statement, arguments: [node])
  }

  private func seal(_ plain: [UInt8], _ section: Section, _ key: NodeKey) -> (ContentReference, WireContent) {
    let id = ContentID.random(transaction.entropy)
    let sealed = key.seal(
      plain, content: id, section: section.rawValue, device: identity.device, transaction.entropy)
    let reference = ContentReference(
      content: id, section: section, device: identity.device, length: UInt64(sealed.count),
      hash: digest(.contentHash, sealed))
    let content = WireContent.with {
      $0.content = data(id.bytes)
      $0.ciphertext = data(sealed)
    }
    return (reference, content)
  }
}
