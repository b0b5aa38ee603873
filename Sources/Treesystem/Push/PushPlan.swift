import CloudAPI
import Foundation
import GRDB
import Signing

/// Which queued operations can go now. What is not in the plan waits for one that is, or for something else to arrive.
struct PushPlan {
  let transaction: CloudTransaction
  /// How many operations make a batch.
  let limit: Int
  /// Branches that have to be read before anything of theirs is sent again.
  var held: Set<BranchID> = []

  /// The next operations, in order, at most one batch.
  func next() throws -> [QueuedOperation] {
    let candidates = try Row.fetchCursor(
      transaction.db,
      sql: """
        SELECT * FROM operations o WHERE state <> 'refused'
          AND NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.operation = o.sequence)
          AND NOT EXISTS (SELECT 1 FROM operations e WHERE e.branch = o.branch AND e.cloud_id IS o.cloud_id
            AND (e.kind = 'permit') = (o.kind = 'permit') AND e.sequence < o.sequence
            AND e.state <> 'refused')
        ORDER BY sequence
        """)
    var ready: [QueuedOperation] = []
    while let row = try candidates.next(), ready.count < limit {
      let operation = CloudTransaction.operation(row)
      if held.contains(operation.branch) { continue }
      if try isReady(operation) { ready.append(operation) }
    }
    return ready
  }

  private func isReady(_ operation: QueuedOperation) throws -> Bool {
    if operation.state == .sealed { return true }
    if try isBlockedByRemoval(operation) { return false }
    let hasPermissions = try hasPermissions(operation.branch)
    switch operation.kind {
    case .permit: return try operation.user == nil || (hasPermissions && hasKey(operation.branch))
    case .delete: return hasPermissions
    case .put: return try hasPermissions && hasKey(operation.branch) && isPlaced(operation)
    case .copy: return try isSent(operation.node)
    }
  }

  /// While a removal waits, nothing of its branch overtakes it.
  private func isBlockedByRemoval(_ operation: QueuedOperation) throws -> Bool {
    guard operation.kind != .permit else { return false }
    return try Int.fetchOne(
      transaction.db,
      sql: "SELECT 1 FROM operations WHERE branch = ? AND kind = 'permit' AND letters = 0 AND state <> 'refused'",
      arguments: [operation.branch]) != nil
  }

  private func hasPermissions(_ branch: BranchID) throws -> Bool {
    let statement = try transaction.db.cachedStatement(sql: "SELECT 1 FROM permissions WHERE branch = ? LIMIT 1")
    return try Int.fetchOne(statement, arguments: [branch]) != nil
  }

  /// Without the key of the epoch in force a change waits. It is not done, and it is not lost.
  private func hasKey(_ branch: BranchID) throws -> Bool {
    guard let epoch = try transaction.permissions(of: branch)?.body.epoch else { return false }
    return try transaction.branchKey(of: branch, epoch: epoch) != nil
  }

  /// The parent is on the server, and for a pointer the branch that hangs there.
  private func isPlaced(_ operation: QueuedOperation) throws -> Bool {
    // A node that is gone by now has nothing left to send, and the sealer says so.
    guard let node = try operation.node.flatMap({ try transaction.node($0) }) else { return true }
    if let branch = node.pointer, try transaction.firstPermissions(of: branch) == nil { return false }
    return try node.parent == nil || isSent(node.parent)
  }

  private func isSent(_ id: NodeID?) throws -> Bool {
    guard let node = try id.flatMap({ try transaction.node($0) }), let cloudID = node.cloudID else { return false }
    guard let state = try transaction.state(of: cloudID, in: node.branch) else { return false }
    return !state.isDeleted
  }
}
