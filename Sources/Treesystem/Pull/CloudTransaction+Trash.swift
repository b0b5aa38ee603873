import GRDB
import Signing

/// What is asked before a branch stays in this user's trash (spec §7.14).
extension CloudTransaction {
  /// Whether the branch at a pointer is in the trash.
  func isInTrash(_ cloudID: CloudID, in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM nodes WHERE branch = ? AND cloud_id = ? AND trashed_at IS NOT NULL")
    return try Int.fetchOne(statement, arguments: [branch, cloudID]) != nil
  }

  /// Whether something waits here that was done in a branch.
  func hasChange(in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM operations WHERE branch = ? LIMIT 1")
    return try Int.fetchOne(statement, arguments: [branch]) != nil
  }

  /// The pointer to a branch that was put into the trash here, which the server has not been told yet.
  func pointerOnWayToTrash(to branch: BranchID) throws -> Node? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT id FROM nodes WHERE trashed_at IS NOT NULL AND pointer = ?
          AND EXISTS (SELECT 1 FROM operations o WHERE o.node = nodes.id) LIMIT 1
        """)
    return try NodeID.fetchOne(statement, arguments: [branch]).flatMap { try node($0) }
  }
}
