import CloudAPI
import GRDB
import Signing

/// A line that is known, and whose row is not here.
struct WantedRow {
  let branch: BranchID
  let line: UInt64
}

/// Rows that the server keeps back. Nobody writes over what they were not shown, and nobody deletes it (spec §5.4, §5.6).
extension CloudTransaction {
  /// Whether the row of some node's last header was kept back. It may hang anywhere: also below what is to be deleted.
  func hasWithheldRows(in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM (\(Self.withheldRows)) WHERE branch = ? LIMIT 1")
    return try Int.fetchOne(statement, arguments: [branch]) != nil
  }

  /// Whether the row of a node's last header was kept back, or came with other contents than it lists: the server took it with those.
  func isWithheld(_ node: Node) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: """
        SELECT 1 FROM (\(Self.withheldRows)) WHERE branch = ?1 AND cloud_id = ?2 UNION ALL
        SELECT 1 FROM quarantine q JOIN node_states s ON s.branch = q.branch AND s.cloud_id = q.cloud_id AND s.line = q.line
        WHERE q.branch = ?1 AND q.cloud_id = ?2 AND q.reason = '\(Refusal.contentMismatch.rawValue)'
        """)
    return try Int.fetchOne(statement, arguments: [node.branch, node.cloudID]) != nil
  }

  /// Lines whose rows were kept back and without which something waits: of roots, of nodes that are to be put, and of all where something is to
  /// be deleted.
  func wantedRows() throws -> [WantedRow] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT w.branch, max(l.number) AS last, l.kind, l.hash, w.cloud_id, s.hash, s.line FROM (
          SELECT id AS branch, cloud_id FROM branches WHERE cloud_id IS NOT NULL
          UNION SELECT branch, cloud_id FROM operations WHERE kind = 'put' AND state = 'pending'
          UNION SELECT branch, cloud_id FROM (\(Self.withheldRows)) WHERE branch IN (
            SELECT branch FROM operations WHERE kind = 'delete' AND state = 'pending')) w
        JOIN lines l ON l.branch = w.branch AND l.cloud_id = w.cloud_id AND l.kind <> 3
        LEFT JOIN node_states s ON s.branch = w.branch AND s.cloud_id = w.cloud_id
        LEFT JOIN quarantine q ON q.branch = w.branch AND q.line = l.number AND q.reason = '\(Refusal.contentMismatch.rawValue)'
        GROUP BY w.branch, w.cloud_id
        HAVING l.kind = 1 AND (s.hash IS NULL OR (s.hash <> l.hash AND s.line < last) OR q.line IS NOT NULL)
        ORDER BY w.branch, last LIMIT \(Limits.requestItems)
        """
    ).map { WantedRow(branch: $0[0], line: UInt64($0[1] as Int64)) }
  }

  /// What came and was not believed for its writer's fault is in quarantine with its bytes: nobody makes a node undeletable by a bad record.
  private static let withheldRows = """
    SELECT q.branch, q.cloud_id FROM quarantine q
    JOIN lines l ON l.branch = q.branch AND l.number = q.line AND l.kind = 1
    WHERE q.reason = '\(Refusal.rowMissing.rawValue)' AND length(q.row) = 0 AND NOT EXISTS (
      SELECT 1 FROM lines n WHERE n.branch = q.branch AND n.cloud_id = q.cloud_id AND n.kind <> 3 AND n.number > q.line)
    """
}
