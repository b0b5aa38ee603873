import CloudAPI
import Foundation
import GRDB
import Signing

extension SQLiteTransaction {
  private static let columns = "cloud_id, line, lines, kind, hash, record, parent, name_token, gone"

  /// The live nodes below one, however deep. A tree has no cycles, and UNION would end one all the same.
  private static let below = """
    WITH RECURSIVE below (cloud_id) AS (
      SELECT cloud_id FROM nodes WHERE branch = :branch AND parent = :node AND kind = 1 AND gone = 0
      UNION
      SELECT child.cloud_id FROM below JOIN nodes AS child ON child.parent = below.cloud_id
      WHERE child.branch = :branch AND child.kind = 1 AND child.gone = 0
    )
    SELECT cloud_id FROM below
    """

  func node(_ cloudID: CloudID, in branch: CloudID) throws -> StoredNode? {
    try row("SELECT \(Self.columns) FROM nodes WHERE branch = ? AND cloud_id = ?", [branch.blob, cloudID.blob])
      .map { try node($0) }
  }

  func node(at line: UInt64, of branch: CloudID) throws -> StoredNode? {
    guard let number = Self.column(line) else { return nil }
    return try row("SELECT \(Self.columns) FROM nodes WHERE branch = ? AND line = ?", [branch.blob, number])
      .map { try node($0) }
  }

  func nodes(of branch: CloudID) throws -> [StoredNode] {
    try rows("SELECT \(Self.columns) FROM nodes WHERE branch = ?", [branch.blob]).map { try node($0) }
  }

  func setGone(_ isGone: Bool, _ cloudID: CloudID, in branch: CloudID) throws {
    try run(
      "UPDATE nodes SET gone = ? WHERE branch = ? AND cloud_id = ?", [isGone ? 1 : 0, branch.blob, cloudID.blob])
    unsettle(cloudID, in: branch)
    unsettle(try parent(of: cloudID, in: branch), in: branch)
  }

  func liveChild(of parent: CloudID, token: Hash32, in branch: CloudID) throws -> CloudID? {
    try row(
      "SELECT cloud_id FROM nodes WHERE branch = ? AND parent = ? AND name_token = ? AND kind = 1 AND gone = 0",
      [branch.blob, parent.blob, token.blob])?.fixed("cloud_id")
  }

  func newestChildren(of parent: CloudID, in branch: CloudID, limit: Int) throws -> [CloudID] {
    try rows(
      """
      SELECT cloud_id FROM nodes WHERE branch = ? AND parent = ? AND kind = 1 AND gone = 0
      ORDER BY line DESC LIMIT ?
      """, [branch.blob, parent.blob, limit]
    ).map { try $0.fixed("cloud_id") }
  }

  func messageCount(in inbox: CloudID, by sender: UserID) throws -> Int {
    let row = try row(
      """
      SELECT count(*) AS number FROM messages JOIN nodes USING (branch, cloud_id)
      WHERE branch = ? AND sender = ? AND kind = 1 AND gone = 0
      """, [inbox.blob, sender.blob])
    return try row.map { Int(try $0.number("number")) } ?? 0
  }

  func noteMessage(_ cloudID: CloudID, in inbox: CloudID, by sender: UserID) throws {
    try run(
      "INSERT OR REPLACE INTO messages (branch, cloud_id, sender) VALUES (?, ?, ?)",
      [inbox.blob, cloudID.blob, sender.blob])
  }

  func messageLines(in inbox: CloudID, by sender: UserID, onDay day: Int64) throws -> Int {
    let row = try row(
      "SELECT lines FROM message_days WHERE branch = ? AND sender = ? AND day = ?", [inbox.blob, sender.blob, day])
    return try row.map { Int(try $0.number("lines")) } ?? 0
  }

  func countMessageLine(in inbox: CloudID, by sender: UserID, onDay day: Int64) throws {
    try run(
      """
      INSERT INTO message_days (branch, sender, day, lines) VALUES (?, ?, ?, 1) ON CONFLICT (branch, sender)
      DO UPDATE SET lines = CASE WHEN day = excluded.day THEN lines ELSE 0 END + 1, day = excluded.day
      """, [inbox.blob, sender.blob, day])
  }

  func store(_ node: StoredNode, in branch: CloudID, by author: UserID?) throws {
    guard let line = Self.column(node.line), let lines = Self.column(node.lines) else { throw StorageFailure.damaged }
    try meter.count(bytes: node.record.body.count)
    let before = try parent(of: node.cloudID, in: branch)
    try run(
      """
      INSERT INTO nodes (branch, \(Self.columns), newest, payer)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, \(Self.newestWith), \(Self.payer))
      ON CONFLICT (branch, cloud_id) DO UPDATE SET line = excluded.line, lines = excluded.lines,
        kind = excluded.kind, hash = excluded.hash, record = excluded.record, parent = excluded.parent,
        name_token = excluded.name_token, gone = excluded.gone, newest = excluded.newest,
        payer = excluded.payer
      """,
      [
        branch.blob, node.cloudID.blob, line, lines, Int64(node.kind.rawValue), node.hash.blob,
        Data(node.record.encoded), node.parent?.blob, node.nameToken?.blob, node.isGone ? 1 : 0, line,
        branch.blob, node.cloudID.blob, author?.blob,
      ])
    unsettle(node.parent, in: branch)
    if before != node.parent {
      unsettle(before, in: branch)
      unsettled.noteMove()
    }
  }

  func remove(_ cloudID: CloudID, in branch: CloudID) throws {
    let ids = try rows(Self.below, ["branch": branch.blob, "node": cloudID.blob])
      .map { row -> CloudID in try row.fixed("cloud_id") }
    try inShares(ids) { ids in
      try run(
        "UPDATE nodes SET gone = 1 WHERE branch = ? AND cloud_id IN (\(Self.places(ids.count)))",
        StatementArguments([branch.blob] + ids.map(\.blob)))
    }
    try inShares([cloudID] + ids) { ids in
      try dropContents(of: ids, in: branch)
      for table in ["messages", "expiries"] {
        try run(
          "DELETE FROM \(table) WHERE branch = ? AND cloud_id IN (\(Self.places(ids.count)))",
          StatementArguments([branch.blob] + ids.map(\.blob)))
      }
    }
  }

  private func parent(of cloudID: CloudID, in branch: CloudID) throws -> CloudID? {
    try row("SELECT parent FROM nodes WHERE branch = ? AND cloud_id = ?", [branch.blob, cloudID.blob])?
      .optional("parent")
  }

  private func node(_ row: Row) throws -> StoredNode {
    StoredNode(
      cloudID: try row.fixed("cloud_id"), line: try row.number("line"), lines: try row.number("lines"),
      kind: try Self.kind(row), hash: try row.fixed("hash"), record: try record(row),
      parent: try row.optional("parent"),
      nameToken: try row.optional("name_token"), isGone: try row.number("gone") == 1)
  }
}
