import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

extension CloudTransaction {
  /// Hangs a node and all below it elsewhere, and queues what the server has to be told. Whether it may go there is the caller's to ask.
  func relocate(_ node: Node, below parent: Node, named name: String) throws {
    guard node.branch != parent.branch else {
      try place(node.id, below: parent.id, named: name)
      return try queueUpload(of: node.id)
    }
    try relocate(node, to: parent.branch, below: parent.id, named: name)
  }

  /// Takes a node and all below it to another branch, of which it becomes the root if there is nothing that it hangs below. A node whose
  /// id belongs to something else there gets a new one.
  ///
  /// A pointer stays in its branch (spec §3.8), and so does one below the node: it hangs where the node hung.
  func relocate(_ node: Node, to branch: BranchID, below parent: NodeID?, named name: String) throws {
    guard node.pointer == nil else { return }
    let staying = try node.parent.flatMap { try self.node($0) }.map { try leaveNested(below: node, at: $0) }
    let leaving = try subtree(of: node).map { member in
      Leaving(
        node: member, parent: try sentParent(of: member), isSent: try isOnServer(member),
        isEdited: try hasUnconfirmedPut(member, in: member.branch),
        arrival: parent == nil && member.id == node.id ? node.cloudID : try arrivalID(of: member, in: branch))
    }
    // A branch has one root at any moment.
    if parent != nil { try place(node.id, below: parent, named: name) }
    for member in leaving { try hop(member.node, to: branch, as: member.arrival) }
    try place(node.id, below: parent, named: name)
    for member in leaving { try queueUpload(of: member.node.id) }
    for member in leaving { try tellRenumbered(member.node) }
    for member in try leaving.compactMap({ try self.node($0.node.id) }) { try arrive(member, in: branch) }
    try queueTombstones(for: leaving.filter(\.isSent))
    if let staying, let departure = try node.cloudID.flatMap({ try departure(of: $0, in: node.branch) }) {
      try addDependencies(staying, to: departure.operation)
    }
    // Of a branch that was never made nothing stays: what was to be nested there begins where its content is now.
    let outer = try trunk(of: branch) == nil ? branch : nil
    for nested in leaving.compactMap(\.node.pointer) { try begin(nested, in: outer) }
  }

  /// Hangs the pointers below a node elsewhere in its branch. Returns their uploads.
  @discardableResult
  func leaveNested(
    below node: Node, at place: Node, where isKept: (Node) throws -> Bool = { _ in true }
  ) throws -> [CloudOperation] {
    try subtree(of: node).filter { try $0.pointer != nil && isKept($0) }.compactMap { pointer in
      try relocate(pointer, below: place, named: freeName(pointer.name, for: pointer.cloudID, below: place.id))
      return try uploadOperation(of: pointer.id)
    }
  }

  private func place(_ id: NodeID, below parent: NodeID?, named name: String) throws {
    try db.execute(
      sql: "UPDATE nodes SET parent = ?, name = ?, placed = 1 WHERE id = ?", arguments: [parent, name, id])
  }

  /// Takes one node and what is queued of it to another branch. Bytes that were sealed for the old one stay there, and what
  /// comes of them has nothing to do with the node any more.
  private func hop(_ node: Node, to branch: BranchID, as cloudID: CloudID?) throws {
    try db.execute(
      sql: "UPDATE operations SET node = NULL WHERE node = ? AND kind = 'put' AND state = 'sealed'",
      arguments: [node.id])
    try db.execute(
      sql: """
        UPDATE operations SET branch = ?, cloud_id = ?, state = 'pending', reason = NULL
        WHERE node = ? AND kind = 'put' AND state <> 'sealed'
        """, arguments: [branch, cloudID, node.id])
    // A deletion that the node survived is over.
    let survived = try Int64.fetchAll(
      db,
      sql:
        "SELECT sequence FROM operations WHERE branch = ? AND cloud_id = ? AND kind = 'delete' AND state = 'pending'",
      arguments: [node.branch, node.cloudID])
    for sequence in survived { try cancelTombstone(CloudOperation(sequence: sequence), in: node.branch) }
    try db.execute(
      sql: "UPDATE nodes SET branch = ?, cloud_id = ?, placed = 1 WHERE id = ?",
      arguments: [branch, cloudID, node.id])
  }

  /// Tells the app if a node has another id than it had.
  func tellRenumbered(_ before: Node) throws {
    guard let app, let old = before.cloudID, let now = try node(before.id), now.cloudID != old else { return }
    try app.renumbered(now, from: old, in: self)
  }

  /// What a node hangs below on the server, or will once what is on its way has arrived.
  private func sentParent(of node: Node) throws -> CloudID? {
    guard let cloudID = node.cloudID else { return nil }
    if let header = try state(of: cloudID, in: node.branch)?.header { return header.parent }
    let sealed = try Data.fetchOne(
      db,
      sql: """
        SELECT sealed FROM operations WHERE branch = ? AND cloud_id = ? AND kind = 'put' AND state = 'sealed'
        ORDER BY sequence DESC LIMIT 1
        """, arguments: [node.branch, cloudID])
    return try sealed.flatMap {
      try HeaderBody(decoding: Array(WireOperation(serializedBytes: $0).put.header.body)).parent
    }
  }
}

/// A node as it stood in the branch that it leaves.
struct Leaving {
  let node: Node
  /// Where the server has it.
  let parent: CloudID?
  let isSent: Bool
  let isEdited: Bool
  /// Its id in the branch that it goes to.
  let arrival: CloudID?
}

extension CloudTransaction {
  /// Queues one tombstone for everything that hangs below one node according to the server. They wait for what they need (`PushPlan`).
  func queueTombstones(for leaving: [Leaving]) throws {
    for member in leaving {
      guard let cloudID = member.node.cloudID else { continue }
      let branch = member.node.branch
      let operation = try tombstone(above: member.parent, in: branch) ?? enqueueTombstone(of: cloudID, in: branch)
      try insertDeparture(
        of: cloudID, from: branch, node: member.node.id, operation: operation, parent: member.parent,
        name: member.node.name, isEdited: member.isEdited)
    }
  }

  /// The tombstone that takes a node with it, because it is queued for one above.
  private func tombstone(above parent: CloudID?, in branch: BranchID) throws -> CloudOperation? {
    var above = parent
    for _ in 0...Limits.depth {
      guard let here = above else { return nil }
      if let departure = try departure(of: here, in: branch) { return departure.operation }
      above = try state(of: here, in: branch)?.header?.parent
    }
    return nil
  }

  private func enqueueTombstone(of cloudID: CloudID, in branch: BranchID) throws -> CloudOperation {
    let operation = try enqueue(
      .delete, branch: branch, node: nil, cloudID: cloudID, read: cursor(of: branch))
    try waitForPuts(below: cloudID, in: branch, operation)
    return operation
  }

  /// What the server has below a node, and what went elsewhere in the branch by a change that waits, must have gone before
  /// the node goes.
  func waitForPuts(below cloudID: CloudID, in branch: BranchID, _ operation: CloudOperation) throws {
    try db.execute(
      sql: """
        WITH RECURSIVE below (cloud_id) AS (
          SELECT cloud_id FROM node_states WHERE branch = ?1 AND parent = ?2 AND deleted = 0
          UNION SELECT s.cloud_id FROM node_states s JOIN below b ON s.parent = b.cloud_id
          WHERE s.branch = ?1 AND s.deleted = 0)
        INSERT OR IGNORE INTO dependencies SELECT ?3, o.sequence FROM below
          JOIN operations o ON o.branch = ?1 AND o.cloud_id = below.cloud_id AND o.kind = 'put'
        """, arguments: [branch, cloudID, operation.sequence])
  }

  /// A node is in a branch, again perhaps: then it has not gone from there.
  private func arrive(_ node: Node, in branch: BranchID) throws {
    guard let cloudID = node.cloudID else { return }
    try withdrawDeletions(of: node, cloudID, in: branch)
    guard let departure = try departure(of: cloudID, in: branch) else { return }
    try removeDeparture(departure)
    let isSealed =
      try Int.fetchOne(
        db, sql: "SELECT 1 FROM operations WHERE sequence = ? AND state = 'sealed'",
        arguments: [departure.operation.sequence]) != nil
    if departure.isTop {
      if !isSealed { try cancelTombstone(departure.operation, in: branch) }
    } else if let upload = try uploadOperation(of: node.id) {
      // It has to be out of what goes, or, where that is on its way, to come after it.
      let (first, second) = isSealed ? (departure.operation, upload) : (upload, departure.operation)
      try addDependencies([first], to: second)
    }
  }

  /// Takes a tombstone out of the queue. What went with its node and did not come back gets tombstones of its own.
  func cancelTombstone(_ operation: CloudOperation, in branch: BranchID) throws {
    let left = try departures(of: operation)
    try db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [operation.sequence])
    try queueTombstones(again: left, in: branch)
  }

  /// Gives those that are still away tombstones of their own.
  func queueTombstones(again left: [Departure], in branch: BranchID) throws {
    for departure in left {
      guard try departure.isAlive(in: self) else { continue }
      let above = try state(of: departure.cloudID, in: branch)?.header?.parent
      let operation =
        try tombstone(above: above, in: branch) ?? enqueueTombstone(of: departure.cloudID, in: branch)
      try insertDeparture(
        of: departure.cloudID, from: branch, node: departure.node, operation: operation, parent: departure.parent,
        name: departure.name, isEdited: departure.isEdited)
    }
  }
}

extension CloudTransaction {
  /// What went out from below a node has to be gone before the node goes.
  func waitForDepartures(below cloudID: CloudID, in branch: BranchID, _ operation: CloudOperation) throws {
    let left = try departures(atOrBelow: cloudID, in: branch).map(\.operation)
    try addDependencies(left.filter { $0 != operation }, to: operation)
  }

  /// A node that went elsewhere is no more: where it was it is deleted as well, as it was read there until now.
  func endDepartures(of node: Node) throws {
    for departure in try departures(of: node.id) {
      try keep(node, departedBy: departure)
      guard departure.isTop, let read = try cursor(of: departure.branch) else { continue }
      try db.execute(
        sql: "UPDATE operations SET read_line = ?, read_hash = ? WHERE sequence = ?",
        arguments: [Int64(read.line), read.hash, departure.operation.sequence])
    }
  }
}

extension Departure {
  /// Whether the server still has the node where it left.
  func isAlive(in transaction: CloudTransaction) throws -> Bool {
    guard try transaction.state(of: cloudID, in: branch) != nil else { return false }
    return try LocalTree(transaction: transaction, branch: branch, line: .max).lives(cloudID)
  }
}
