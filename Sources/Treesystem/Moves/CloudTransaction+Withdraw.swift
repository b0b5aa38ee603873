import CloudAPI
import Foundation
import GRDB
import Signing

/// A node that arrives in a branch where its deletion waits: it is there now, and the deletion is over.
extension CloudTransaction {
  /// Withdraws the deletions of a node that came to a branch, as long as they are not on their way, and joins into it what was kept.
  func withdrawDeletions(of node: Node, _ cloudID: CloudID, in branch: BranchID) throws {
    if try hasRemovals(in: branch) { try takeKept(of: node, cloudID, in: branch) }
    let waiting = try Int64.fetchAll(
      db,
      sql: """
        SELECT sequence FROM operations o WHERE branch = ? AND cloud_id = ? AND kind = 'delete' AND state <> 'sealed'
          AND user IS NULL AND NOT EXISTS (
            SELECT 1 FROM departures d WHERE d.operation = o.sequence AND d.cloud_id = o.cloud_id)
        """, arguments: [branch, cloudID])
    for sequence in waiting {
      let left = try departures(of: CloudOperation(sequence: sequence))
      // What went with it hangs below it again.
      if try !restore(sequence, telling: app) {
        try db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [sequence])
      }
      try queueTombstones(again: left, in: branch)
    }
  }

  /// Who signed the version that was kept. With which device is not known any more, so none of its writes counts as that device's own.
  private func unknownDevice(of user: UserID) -> Author {
    Author(user: user, device: .random(entropy), keyringPosition: 0, read: LogHead(line: 0, hash: .zeros))
  }

  /// Joins what was kept of a node when it was deleted here. Where it goes with another one it has to be out of that first, or comes after.
  private func takeKept(of node: Node, _ cloudID: CloudID, in branch: BranchID) throws {
    let kept = try Row.fetchOne(
      db,
      sql: """
        SELECT r.data, r.history, r.author, o.sequence, o.cloud_id, o.state FROM removed r
        JOIN operations o ON o.sequence = r.operation WHERE r.branch = ? AND r.cloud_id = ?
        """, arguments: [branch, cloudID])
    guard let kept else { return }
    let deletion = CloudOperation(sequence: kept[3])
    let isSealed = kept[5] as String == QueuedOperation.State.sealed.rawValue
    if kept[4] as CloudID? != cloudID, let upload = try uploadOperation(of: node.id) {
      let (first, second) = isSealed ? (deletion, upload) : (upload, deletion)
      try addDependencies([first], to: second)
    }
    if isSealed { return }
    if let app, let bytes = kept[0] as Data? {
      let content = NodeData(data: Array(bytes), history: Array((kept[1] as Data?) ?? Data()))
      try app.carry(content, by: (kept[2] as UserID?).map { unknownDevice(of: $0) }, into: node.id, in: self)
    }
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO tags (node, identifier, tag)
        SELECT ?, identifier, tag FROM removed_tags WHERE branch = ? AND cloud_id = ?
        """, arguments: [node.id, branch, cloudID])
    try db.execute(sql: "DELETE FROM removed WHERE branch = ? AND cloud_id = ?", arguments: [branch, cloudID])
  }
}

extension CloudTransaction {
  /// A node as it is once it is decided what becomes of it, and of what is below it, where somebody took that to another branch: what a
  /// verb does, it does to what is. Nil: it went.
  func settled(_ id: NodeID) throws -> Node? {
    guard let node = try node(id) else { throw TreeError.noSuchNode }
    guard let app else { return node }
    guard try pendingRelocations().contains(where: { $0.branch == node.branch }) else { return node }
    let members = try Set(subtree(of: node).compactMap(\.cloudID))
    try RelocationSettler(transaction: self, delegate: app)
      .settle { $0.branch == node.branch && members.contains($0.cloudID) }
    return try self.node(id)
  }
}
