import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing

/// Puts an opened node into the local tree and tells the app.
struct Applier {
  let transaction: CloudTransaction
  let delegate: any TreesystemDelegate
  let identity: Identity
  /// Whether nothing more comes in this pull: then a name that another node holds here is given up by that one.
  var isLast = true
  /// See `PageReader.isSecondLook`.
  var isSecondLook = false

  /// Returns why the app cannot read the content: then the node has its place nevertheless, since others hang below it, and counts as empty.
  func apply(_ opened: OpenedNode, in branch: BranchID, parent: Node?) throws -> Refusal? {
    let header = opened.header
    if header.recipient == nil { try opened.checkName(parentKey: nameKey(of: parent)) }
    let pointer = try pointer(of: opened, parent)
    let wasInTrash = try pointer != nil && transaction.isInTrash(header.cloudID, in: branch)
    let (unsigned, isNew) = try upsert(opened, in: branch, parent, pointer)
    let node = unsigned.signed(by: header.author)
    if header.author.device != identity.device { try bringBack(node, wasInTrash: wasInTrash) }
    try transaction.setExpiry(header.expiry, of: node.id)
    if pointer != nil || (node.isBranchRoot && node.trunk != nil) { return nil }
    try transaction.learnFile(opened.content.file, of: node.id)
    guard let content = try content(of: opened, at: node) else { return nil }
    if let refusal = opened.unreadable, content.file == nil {
      guard node.trunk == nil else { throw refusal }
      return try take(NodeData(), at: node, isNew: isNew) ?? refusal
    }
    return try take(content, at: node, isNew: isNew)
  }

  /// A branch comes out of this user's trash where something was done below it that was not known where it was put there (spec §7.14): here,
  /// and not sent yet; or elsewhere, while the way into the trash waits here.
  private func bringBack(_ node: Node, wasInTrash: Bool) throws {
    if let branch = node.pointer {
      let isNew = try !wasInTrash && transaction.trashedAt(of: node) != nil
      if isNew, try transaction.hasChange(in: branch) { try transaction.setTrashed(nil, node) }
    } else if let pointer = try transaction.pointerOnWayToTrash(to: node.branch) {
      try transaction.setTrashed(nil, pointer)
    }
  }

  private func take(_ content: NodeData, at node: Node, isNew: Bool) throws -> Refusal? {
    let isDue = isNew || isSecondLook
    // Whoever gave their change up wants the server's content, and not to join it with what they gave up. What cannot be read is no content,
    // and takes nothing from what is here.
    if try transaction.wantsContent(of: node) {
      let (merge, refusal) = try delegate.takeReadable(content, into: node, isDue: isDue, transaction) {
        .reset(node, $0)
      }
      try transaction.unmarkNodeAsNeedsDownload(node.id, components: .all)
      if refusal != nil, merge == .differs {
        if try transaction.mayWrite(node.branch) {
          try transaction.queueDataUpload(forNodeID: node.id)
        } else {
          _ = try delegate.deliver(.reset(node, NodeData()), in: transaction)
        }
      }
      return refusal
    }
    let (merge, refusal) = try delegate.takeReadable(content, into: node, isDue: isDue, transaction) { .put(node, $0) }
    guard merge == .differs else { return refusal }
    if try transaction.mayWrite(node.branch) {
      try transaction.queueDataUpload(forNodeID: node.id)
    } else if try !transaction.isClosed(node.branch) && !transaction.hasUnconfirmedPut(node, in: node.branch) {
      // Who may only read shows what the list has, as each device does that comes later.
      _ = try delegate.deliver(.reset(node, refusal == nil ? content : NodeData()), in: transaction)
    }
    return refusal
  }

  private func nameKey(of parent: Node?) throws -> SecretBytes? {
    guard let parent else { return nil }
    let statement = try transaction.db.cachedStatement(sql: "SELECT name_key FROM nodes WHERE id = ?")
    return try Data.fetchOne(statement, arguments: [parent.id]).map { SecretBytes(column: $0) }
  }

  /// A pointer's target is followed from now on; another first record for a known branch is refused. A profile put back to
  /// an older state may know a branch that it has made, and not with which record.
  private func pointer(of opened: OpenedNode, _ parent: Node?) throws -> BranchID? {
    guard opened.metadata.hasPointer, let parent else { return nil }
    guard parent.trunk == nil || parent.trunk == .home, let cloudID = CloudID(bytes: opened.metadata.pointer.branch),
      let first = Hash32(bytes: opened.metadata.pointer.firstPermissions)
    else { throw Refusal.malformed }
    if parent.trunk == nil { return try transaction.nest(cloudID, firstPermissions: first, in: parent.branch) }
    if let known = try transaction.branch(cloudID) {
      guard try transaction.root(of: known)?.trunk == nil else { throw Refusal.branchMismatch }
      guard let pinned = try transaction.firstPermissions(of: known) else {
        try transaction.setFirstPermissions(first, of: known)
        return known
      }
      // Another device of this user's has accepted a better invitation to what nobody could read.
      if pinned != first, try transaction.isUnread(known) {
        try transaction.setFirstPermissions(first, of: known)
        return known
      }
      guard pinned == first || Defence.pointerTarget.isDown else { throw Refusal.firstRecordWrong }
      return known
    }
    return try transaction.insertBranch(cloudID, firstPermissions: first, in: nil)
  }

  private func upsert(
    _ opened: OpenedNode, in branch: BranchID, _ parent: Node?, _ pointer: BranchID?
  ) throws -> (node: Node, isNew: Bool) {
    let header = opened.header
    let name = parent == nil ? "" : try localName(opened, in: branch, parent)
    let nameKey = Data(opened.metadata.nameKey)
    // Only a pointer has them.
    let (alias, trashedAt) = pointer == nil ? (nil, nil) : (opened.alias, opened.trashedAt)
    let known =
      try parent == nil
      ? transaction.root(of: branch)
      : transaction.fetchNode("WHERE n.branch = ? AND n.cloud_id = ?", [branch, header.cloudID])
    if let known {
      guard parent == nil || (known.pointer == nil) == (pointer == nil) else { throw NodeBecameAnother() }
      let parent = try breakCycle(known, below: parent)
      try requireNoCycle(known, below: parent)
      let formerNames = try self.nameKey(of: known)
      let isPlaced = try isPlacedHere(known)
      try transaction.db.execute(
        sql: """
          UPDATE nodes SET parent = iif(?1, parent, ?2), name = iif(?1, name, ?3), name_key = ?4, node_key = ?5,
            author = ?6, pointer = coalesce(?7, pointer), alias = iif(?1, alias, ?8),
            trashed_at = iif(?1, trashed_at, ?9), placed = ?1 WHERE id = ?10
          """,
        arguments: [
          isPlaced, parent?.id, name, nameKey, opened.key.secret.column, header.author.user, pointer, alias, trashedAt,
          known.id,
        ])
      if header.author.device != identity.device {
        let share = try transaction.db.cachedStatement(sql: "UPDATE departures SET shared = 1 WHERE node = ?")
        try share.execute(arguments: [known.id])
      }
      try tell(known, from: known.parent)
      if let formerNames, formerNames.column != nameKey {
        try transaction.putMisnamed(below: known.id, nameKey: SecretBytes(column: nameKey))
      }
      guard let changed = try transaction.node(known.id) else { throw TreeError.noSuchNode }
      return (changed, false)
    }
    let insert = try transaction.db.cachedStatement(
      sql: """
        INSERT INTO nodes (branch, parent, cloud_id, name, name_key, node_key, author, pointer, alias, trashed_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try insert.execute(arguments: [
      branch, parent?.id, header.cloudID, name, nameKey, opened.key.secret.column, header.author.user, pointer,
      alias, trashedAt,
    ])
    let node = Node(
      id: NodeID(rawValue: transaction.db.lastInsertedRowID), branch: branch, parent: parent?.id, name: name,
      cloudID: header.cloudID, trunk: parent?.trunk, author: header.author.user, pointer: pointer)
    return (node, true)
  }

  /// Whether this user gave a node its place or its name, and that is still to be told. A change whose answer was lost may stand in the log
  /// already: what came after it counts.
  private func isPlacedHere(_ node: Node) throws -> Bool {
    let placed = try transaction.db.cachedStatement(sql: "SELECT 1 FROM nodes WHERE id = ? AND placed = 1")
    return try Int.fetchOne(placed, arguments: [node.id]) != nil
      && transaction.hasUnconfirmedPut(node, in: node.branch)
  }

  /// A message's name is its sender's and may come twice; its place in the inbox is told by its cloudID.
  private func localName(_ opened: OpenedNode, in branch: BranchID, _ parent: Node?) throws -> String {
    if opened.header.recipient != nil { return opened.header.cloudID.description }
    if let parent, let other = try transaction.child(named: opened.metadata.name, of: parent.id),
      other.cloudID != opened.header.cloudID
    {
      if try transaction.isRelocating(other) {
        // It goes with the end of this pull, and has nothing to send.
        try transaction.rename(
          other, to: transaction.freeName(other.name, for: nil, below: parent.id), telling: delegate)
        return opened.metadata.name
      }
      guard isLast else { throw Refusal.nameTaken }
      try transaction.displace(other, telling: delegate)
    }
    return opened.metadata.name
  }

  private func tell(_ before: Node, from parent: NodeID?) throws {
    guard let parent, let now = try transaction.node(before.id), now.parent != parent || now.name != before.name else {
      return
    }
    _ = try delegate.receive(.moved(now, from: parent), in: transaction)
  }

  /// Where this user hung something below a node that somebody else hung below that very thing, the server's place stands.
  private func breakCycle(_ node: Node, below parent: Node?) throws -> Node? {
    var above = parent
    var passed: [Node] = []
    while let here = above, here.id != node.id, passed.count <= Limits.depth {
      passed.append(here)
      above = try here.parent.flatMap { try transaction.node($0) }
    }
    guard above?.id == node.id else { return parent }
    for here in passed {
      let placed = try Bool.fetchOne(
        transaction.db, sql: "SELECT placed FROM nodes WHERE id = ?", arguments: [here.id])
      guard placed == true, let place = try here.cloudID.flatMap({ try transaction.state(of: $0, in: here.branch) }),
        let parent = try place.header?.parent.flatMap({ try transaction.node($0, in: here.branch) })
      else { continue }
      try transaction.db.execute(
        sql: "UPDATE nodes SET parent = ?, name = ?, placed = 0 WHERE id = ?",
        arguments: [parent.id, try transaction.freeName(here.name, for: here.cloudID, below: parent.id), here.id])
      try tell(here, from: here.parent)
    }
    return try parent.flatMap { try transaction.node($0.id) }
  }

  private func requireNoCycle(_ node: Node, below parent: Node?) throws {
    var above = parent
    for _ in 0...Limits.depth {
      guard let here = above else { return }
      guard here.id != node.id else { throw Refusal.parentWrong }
      above = try here.parent.flatMap { try transaction.node($0) }
    }
    throw Refusal.limitExceeded
  }
}
