import CloudAPI
import Foundation
import GRDB
import Signing

/// A node that a tombstone deletes.
struct Grave {
  let cloudID: CloudID
  /// Who signed the tombstone; nil for what went with a node that came back without it.
  let author: Author?
}

/// What deletions of others do here. What was written here and not confirmed outlives them: it is put again, with its path.
extension PageReader {
  /// Judges the tombstones that came, now that it is known what hung where. Returns the nodes that they delete, with who signed that.
  func believe(_ tombstones: [IncomingRow], in view: LocalBranchView) throws -> [Grave] {
    try tombstones.compactMap { row in
      let tombstone = try row.asTombstone()
      let line = Line(
        number: row.wire.line, kind: .tombstone, cloudID: tombstone.body.cloudID, hash: tombstone.hash)
      // It came back since: then its new life says what went.
      if let known = try transaction.state(of: line.cloudID, in: view.id), known.lines > tombstone.body.version {
        return nil
      }
      do {
        try LocalTree(transaction: transaction, branch: view.id, line: line.number).requireSeen(below: tombstone.body)
      } catch let refusal as Refusal {
        try transaction.quarantine(line, encode(row.wire), in: view.id, refusal)
        return nil
      }
      try transaction.setDeleted(tombstone, line: line.number, in: view.id)
      var isMoved = false
      try transaction.answering(line.cloudID, in: view.id) {
        isMoved = try relocations.take(tombstone.body, in: view.id)
        if isMoved { try transaction.forgetRemoved(with: line.cloudID, in: view.id) }
      }
      return isMoved ? nil : Grave(cloudID: line.cloudID, author: tombstone.body.author)
    }
  }

  /// Somebody deleted a node and somebody put it again, perhaps without having had all of it: whoever reads it from now on has
  /// what was put, and of what is here only what was not sent is joined into that. As something else it is another node.
  func beginAnew(_ cloudID: CloudID, as form: NodeForm, in branch: BranchID) throws {
    guard let node = try transaction.node(cloudID, in: branch) else { return }
    if try !node.isBranchRoot && transaction.form(of: node) != form {
      guard try !transaction.nodesWithUnsentBelow(in: branch).contains(node.id) else { return }
      _ = try delegate.deliver(.deleted(node), in: transaction)
      return try transaction.forget(node)
    }
    guard node.pointer == nil, try !transaction.hasUnconfirmedPut(node, in: branch) else { return }
    try transaction.markNodeAsNeedsDownload(node.id, components: [.metadata, .data, .history])
  }

  /// Takes away what was deleted, and what hung below a node before that went and came back.
  func bury(_ graves: [Grave], _ revived: [CloudID], in view: LocalBranchView) throws {
    guard !graves.isEmpty || !revived.isEmpty else { return }
    let kept = try transaction.nodesWithUnsentBelow(in: view.id)
    for grave in graves where !Defect.tombstoneLost.isPlanted {
      let cloudID = grave.cloudID
      try transaction.endRemovals(of: cloudID, in: view.id)
      try transaction.forgetQuarantine(of: cloudID, in: view.id, before: view.head.line)
      guard let node = try transaction.node(cloudID, in: view.id) else { continue }
      try transaction.answering(cloudID, in: view.id) { try bury(node, by: grave.author, kept, view) }
    }
    for cloudID in revived {
      guard let node = try transaction.node(cloudID, in: view.id) else { continue }
      try transaction.answering(cloudID, in: view.id) { try buryChildren(of: node, by: nil, kept, view) }
    }
  }

  /// Whoever reads the branch for the first time has nothing of a node whose last row cannot be believed. Whoever has it from before puts it
  /// again, unless it was deleted before that row; and who may only read shows what the branch has.
  func replaceUnbelieved(in view: LocalBranchView) throws {
    let rows = try unbelievable(in: view.id)
    if try rows.isEmpty || transaction.isClosed(view.id) || isKeptBack(in: view.id) { return }
    let kept = try transaction.nodesWithUnsentBelow(in: view.id)
    let mayWrite = try transaction.mayWrite(view.id)
    // Who is about to leave a list or to end it puts nothing, and may think again.
    let mayOnlyRead = try !mayWrite && !transaction.isLeaving(view.id) && !transaction.isClosing(view.id)
    for (cloudID, isPlaceless) in rows {
      guard let node = try transaction.node(cloudID, in: view.id), !node.isBranchRoot, node.trunk == nil else {
        continue
      }
      if try isPlaceless && mayOnlyRead || isOfFormerLife(node) {
        try buryWhole(node, kept, view)
      } else if try isPlaceless && mayWrite && !transaction.hasUnconfirmedPut(node, in: view.id) {
        try transaction.queueUpload(of: node.id)
      }
    }
  }

  /// Takes away what is here of a node from before it was deleted and put again. Returns whether nothing stays of it.
  func buryFormerLife(of cloudID: CloudID, in view: LocalBranchView) throws -> Bool {
    guard let node = try transaction.node(cloudID, in: view.id), try isOfFormerLife(node) else { return false }
    let kept = try transaction.nodesWithUnsentBelow(in: view.id)
    guard !kept.contains(node.id) else { return false }
    return try buryWhole(node, kept, view)
  }

  /// Takes away a node with all below it. What the branch has of that is read again, as by who never had it. Returns whether nothing stays of it.
  @discardableResult
  private func buryWhole(_ node: Node, _ kept: Set<NodeID>, _ view: LocalBranchView) throws -> Bool {
    let isDone = try transaction.answering(node.cloudID, in: view.id) { try bury(node, by: nil, kept, view) }
    guard try isDone && transaction.node(node.id) == nil else { return false }
    try transaction.noteHollow(view.id)
    return true
  }

  /// Whether a node is here from before it was deleted and put again.
  func isOfFormerLife(_ node: Node) throws -> Bool {
    let life = try Int64.fetchOne(
      transaction.db, sql: "SELECT revived FROM node_states WHERE branch = ? AND cloud_id = ?",
      arguments: [node.branch, node.cloudID])
    return try life ?? 0 > 0 && transaction.wantsContent(of: node)
  }

  private func bury(_ node: Node, by author: Author?, _ kept: Set<NodeID>, _ view: LocalBranchView) throws {
    // Where this device has read another past, what it sent there may be nowhere else: this user decides.
    if !kept.contains(node.id), let branch = node.pointer, try transaction.hasFork(of: branch) { return }
    if kept.contains(node.id), let branch = node.pointer {
      // Whether what waits there brings it back, only its branch can tell, which is read after home.
      if node.trunk == .home { return try transaction.forgetAlias(of: node) }
      if try transaction.takesNothing(branch) { return }
    }
    if node.isBranchRoot || kept.contains(node.id) {
      if kept.contains(node.id) { try transaction.putAgain(node) }
      return try buryChildren(of: node, by: author, kept, view)
    }
    if try transaction.wouldStrand(node) { return }
    try relocations.sendHome(atOrBelow: node)
    guard let node = try transaction.node(node.id), node.branch == view.id else { return }
    _ = try delegate.receive(.deleted(author.map(node.signed) ?? node), in: transaction)
    try transaction.forget(node)
  }

  private func buryChildren(
    of node: Node, by author: Author?, _ kept: Set<NodeID>, _ view: LocalBranchView
  ) throws {
    let tree = LocalTree(transaction: transaction, branch: view.id, line: view.head.line + 1)
    for child in try transaction.children(of: node.id) {
      guard let cloudID = child.cloudID, try !tree.lives(cloudID) else { continue }
      // What the server never saw hangs here because somebody wants it to.
      if try transaction.state(of: cloudID, in: view.id) == nil, !kept.contains(child.id) { continue }
      try bury(child, by: transaction.deleter(of: child) ?? author, kept, view)
    }
  }
}

extension CloudTransaction {
  /// The nodes of a branch with changes that the log does not have, and everything above these. A pointer counts for the
  /// branch that hangs there: what was written on a list must not go with a list that was removed elsewhere.
  func nodesWithUnsentBelow(in branch: BranchID) throws -> Set<NodeID> {
    var kept: Set<NodeID> = []
    let candidates = try NodeID.fetchAll(
      db,
      sql: """
        SELECT node FROM operations WHERE branch = ?1 AND kind = 'put' AND node IS NOT NULL
        UNION SELECT n.id FROM nodes n WHERE n.branch = ?1 AND n.pointer IS NOT NULL
          AND EXISTS (SELECT 1 FROM operations o WHERE o.branch = n.pointer AND o.kind = 'put')
        """, arguments: [branch])
    let dropped = try acknowledgedNodes(missingIn: branch)
    for id in dropped.union(candidates) {
      guard let node = try node(id) else { continue }
      guard
        try dropped.contains(id) || node.pointer.map(isWrittenOn) ?? false || hasUnconfirmedPut(node, in: branch)
      else { continue }
      var above: Node? = node
      while let here = above, kept.insert(here.id).inserted { above = try here.parent.flatMap { try self.node($0) } }
    }
    return kept
  }

  /// Whether nothing of a branch can be sent: its past is another than the server's, or its owner has ended it. A pointer that is put
  /// again for what waits there would be deleted again, for ever.
  func takesNothing(_ branch: BranchID) throws -> Bool {
    try isClosed(branch) || forkedBranches().contains(branch)
  }

  /// A deletion or an invitation that waits is nothing to keep a branch for.
  func isWrittenOn(_ branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations WHERE branch = ? AND kind = 'put' LIMIT 1", arguments: [branch]) != nil
  }

  func form(of node: Node) throws -> NodeForm {
    if node.pointer != nil { return .bare }
    return try file(of: node.id) == nil ? .document : .file
  }

  /// Queues a node that somebody deleted to be put under its cloudID again, and what it hangs below if that is gone too.
  func putAgain(_ node: Node) throws {
    var above: Node? = node
    while let here = above, let cloudID = here.cloudID {
      let tree = LocalTree(transaction: self, branch: here.branch, line: .max)
      if here.id != node.id, try tree.lives(cloudID) { return }
      let queued = try Int.fetchOne(
        db, sql: "SELECT 1 FROM operations WHERE node = ? AND kind = 'put'", arguments: [here.id])
      if queued == nil { try queueDataUpload(forNodeID: here.id) }
      above = try here.parent.flatMap { try self.node($0) }
    }
  }
}
