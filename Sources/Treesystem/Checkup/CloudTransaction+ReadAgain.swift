import CloudAPI
import Foundation
import GRDB
import Signing

extension CloudTransaction {
  /// The branches whose lines name what is not here and was not put aside either.
  public func branchesWithMissingRows() throws -> [BranchID] {
    try BranchID.fetchAll(
      db,
      sql: """
        SELECT DISTINCT branch FROM (
          SELECT l.branch, max(l.number) AS last, l.kind, l.hash, l.cloud_id, count(*) AS lines FROM lines l
          WHERE l.kind <> 3 GROUP BY l.branch, l.cloud_id) l
        LEFT JOIN node_states s USING (branch, cloud_id)
        -- one that is ahead of its lines is a change of one's own that was confirmed and not read yet
        WHERE l.kind = 1 AND (s.hash IS NULL OR (s.hash <> l.hash AND s.version <= l.lines))
          AND NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.branch = l.branch AND q.line = l.last)
          AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.branch = l.branch AND w.line = l.last)
          AND NOT EXISTS (SELECT 1 FROM owed o WHERE o.branch = l.branch AND o.cloud_id = l.cloud_id)
        ORDER BY branch
        """)
  }

  /// The branches that are not here as the server should have them: reading them from their first line again may help. What this user
  /// may not read any more is none of them.
  public func branchesToReadAgain() throws -> [BranchID] {
    let ill = try quarantined().map(\.branch) + branchesWithMissingRows() + branchesWithBrokenLog()
    let denied = try troubles().filter { $0.reason == .branchDenied }.map(\.branch)
    return Set(ill).subtracting(denied).sorted { $0.rawValue < $1.rawValue }
  }

  /// Has the next sync read a branch again, because nodes of it were forgotten that live.
  func noteHollow(_ branch: BranchID) throws {
    try db.execute(sql: "UPDATE branches SET hollow = 1 WHERE id = ?", arguments: [branch])
  }

  /// The branches that hang on the tree again after their nodes were forgotten.
  func hollowBranches() throws -> [BranchID] {
    try BranchID.fetchAll(
      db,
      sql: """
        SELECT id FROM branches b WHERE hollow = 1
          AND (trunk IS NOT NULL OR EXISTS (SELECT 1 FROM nodes WHERE pointer = b.id))
        """)
  }

  func setFilled(_ branch: BranchID) throws {
    try db.execute(sql: "UPDATE branches SET hollow = 0 WHERE id = ?", arguments: [branch])
  }

  /// Writes a branch's log as the server tells it, up to what was read here. Throws `fork` where it does not lead to the
  /// cursor, nor to the last line that is kept: one of them has to vouch for it.
  func restoreLog(of branch: BranchID, _ lines: [RestoredLine], end: LogHead) throws {
    let kept = try LocalBranchView.storedHash(end.line, branch, self)
    guard try cursor(of: branch)?.hash == end.hash || kept == end.hash else { throw Refusal.fork }
    try db.execute(sql: "DELETE FROM lines WHERE branch = ?", arguments: [branch])
    for restored in lines {
      try insertLine(restored.line, of: branch, head: restored.head)
      guard let record = restored.permissions else { continue }
      try db.execute(
        sql: "UPDATE permissions SET record = ?, hash = ? WHERE branch = ? AND line = ?",
        arguments: [Data(record.encoded), record.hash, branch, Int64(restored.line.number)])
    }
    try moveCursor(of: branch, to: end)
    try forgetSpoiltHeaders(in: branch)
  }

  /// What is no longer the header that it was counts as missing, and is read again like anything that is.
  private func forgetSpoiltHeaders(in branch: BranchID) throws {
    let rows = try Row.fetchAll(
      db, sql: "SELECT cloud_id, hash, header FROM node_states WHERE branch = ? AND header IS NOT NULL",
      arguments: [branch])
    for row in rows {
      let found = try? SignedRecord(encoded: Array(row[2] as Data)).hash
      if found == row[1] as Hash32 { continue }
      try db.execute(
        sql: "DELETE FROM node_states WHERE branch = ? AND cloud_id = ?", arguments: [branch, row[0] as CloudID])
    }
  }
}

/// A line as the server tells it again, and where the log stands with it.
struct RestoredLine {
  let line: Line
  let head: LogHead
  /// The record itself where it is one of permissions.
  let permissions: SignedRecord?
}
