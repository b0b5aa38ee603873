import CloudAPI
import GRDB
import Signing

/// Branches that take no new line before their owner has given back what they have (spec §4.5).
extension CloudTransaction {
  /// Keeps an operation for the next sync, with all that goes where it goes. Returns that branch if it is this user's own.
  func noteAwaited(_ operation: QueuedOperation) throws -> BranchID? {
    if operation.goesToInbox {
      try db.execute(
        sql: "UPDATE operations SET awaits_restore = 1 WHERE user = ? AND (kind = 'copy' OR kind = 'delete')",
        arguments: [operation.user])
      return try operation.user == account()?.user ? trunk(.inbox).branch : nil
    }
    try db.execute(
      sql: """
        UPDATE operations SET awaits_restore = 1 WHERE branch = ? AND kind <> 'copy' AND NOT (kind = 'delete' AND user IS NOT NULL)
        """, arguments: [operation.branch])
    return try owner(of: operation.branch) == account()?.user ? operation.branch : nil
  }

  /// What goes to a branch of this user's own waits for no device any more.
  func endAwaiting(_ branch: BranchID) throws {
    try db.execute(
      sql: """
        UPDATE operations SET awaits_restore = 0 WHERE branch = ?1 AND kind <> 'copy' AND NOT (kind = 'delete' AND user IS NOT NULL)
          OR user IS (SELECT user FROM account) AND kind IN ('copy', 'delete')
            AND EXISTS (SELECT 1 FROM branches WHERE id = ?1 AND trunk = 'inbox')
        """, arguments: [branch])
  }

  /// Whether this device alone can say how far its own branch was: nobody else reads it, and this user has no other device.
  func isReadOnlyHere(_ branch: BranchID) throws -> Bool {
    let account = try requireAccount()
    let others =
      try permissions(of: branch)?.body.readers.contains { $0 != account.user } ?? true
    return try !others && isOnlyDevice(account)
  }

  /// Whether an operation waits for an owner; nil where it does not, else whether that is this user.
  func awaitsOwner(_ operation: QueuedOperation) throws -> Bool? {
    let waits = try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations WHERE sequence = ? AND awaits_restore = 1", arguments: [operation.sequence])
    guard waits != nil else { return nil }
    let me = try account()?.user
    return try operation.goesToInbox ? operation.user == me : owner(of: operation.branch) == me
  }

  private func owner(of branch: BranchID) throws -> UserID? { try permissions(of: branch)?.body.owner }
}
