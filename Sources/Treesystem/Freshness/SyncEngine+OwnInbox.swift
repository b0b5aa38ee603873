import CloudAPI
import Foundation
import GRDB
import Signing

/// A fork of one's own inbox. Its lines decide nothing but what lies there, so its owner goes on with what the server has (spec §4.4).
extension SyncEngine {
  /// Goes back to the last line on which this device and the server agree, where that is the last permissions record or a later one. Returns
  /// false for any other branch, and for a past that differs in more than messages: then the fork stands.
  func goOn(withInbox branch: FollowedBranch, after fork: Contradiction?) throws -> Bool {
    guard let fork, fork.kind == .fork, fork.line > 0 else { return false }
    let common = fork.line - 1
    return try database.write { transaction in
      guard try transaction.trunk(of: branch.id) == .inbox, try transaction.demands(on: branch.id).isEmpty,
        try transaction.permissionsLines(of: branch.id).last.map({ $0 <= common }) == true,
        let hash = try LocalBranchView.storedHash(common, branch.id, transaction)
      else { return false }
      try transaction.giveUpLines(of: branch.id, after: LogHead(line: common, hash: hash))
      return true
    }
  }
}

extension CloudTransaction {
  /// Lets go of the lines of an inbox after one, and of nothing that was read in them: a message that has no line any more stays until its
  /// user takes it out. What has an earlier line is read from the server again.
  fileprivate func giveUpLines(of branch: BranchID, after head: LogHead) throws {
    let last = Int64(head.line)
    try db.execute(
      sql: """
        UPDATE branches SET hollow = 1 WHERE id = ?1 AND EXISTS (SELECT 1 FROM lines a JOIN lines b USING (branch, cloud_id)
          WHERE a.branch = ?1 AND a.number > ?2 AND b.number <= ?2 AND a.kind <> 3 AND b.kind <> 3)
        """, arguments: [branch, last])
    try db.execute(
      sql: """
        DELETE FROM node_states WHERE branch = ?1
          AND cloud_id IN (SELECT cloud_id FROM lines WHERE branch = ?1 AND number > ?2 AND kind <> 3)
        """, arguments: [branch, last])
    for table in ["quarantine", "waiting", "acknowledged"] {
      try db.execute(sql: "DELETE FROM \(table) WHERE branch = ? AND line > ?", arguments: [branch, last])
    }
    try db.execute(sql: "DELETE FROM lines WHERE branch = ? AND number > ?", arguments: [branch, last])
    try moveCursor(of: branch, to: head)
    // What was to cite a line that is gone cites the last that is left. Sealed so, the server can only refuse it; anything else that was sealed it
    // may have, and gets again as it was.
    let refused = try Int64.fetchAll(
      db,
      sql:
        "SELECT sequence FROM operations WHERE branch = ? AND kind = 'delete' AND state = 'sealed' AND read_line > ?",
      arguments: [branch, last])
    try db.execute(
      sql: """
        UPDATE operations SET read_line = ?1, read_hash = ?2 WHERE branch = ?3 AND read_line > ?1
        """, arguments: [last, head.hash, branch])
    for sequence in refused {
      try db.execute(
        sql: "UPDATE operations SET state = 'pending', sealed = NULL, operation = ? WHERE sequence = ?",
        arguments: [OperationID.random(entropy), sequence])
    }
    try db.execute(
      sql: """
        UPDATE findings SET ended = ? WHERE ended IS NULL AND kind = 'fork' AND cited = 0 AND line > ?
          AND branch = (SELECT cloud_id FROM branches WHERE id = ?)
        """, arguments: [clock.now(), last, branch])
  }
}
