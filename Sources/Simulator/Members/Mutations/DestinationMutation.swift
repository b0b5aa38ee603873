import GRDB
import Signing
import Treesystem

/// A deletion that says that the node went to another branch, where this user may not write.
struct DestinationMutation: Mutation {
  let name = "destination"
  let deeds: [Deed] = [.moveToList, .remove, .emptyTrash, .sync]

  func change(_ forge: Forge) throws -> String? {
    let db = forge.transaction.db
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT o.sequence, o.branch, o.cloud_id, b.cloud_id FROM operations o JOIN branches b ON b.id = o.branch
        WHERE o.kind = 'delete' AND o.state = 'pending' AND o.user IS NULL AND b.trunk IS NULL
          AND o.cloud_id <> b.cloud_id ORDER BY o.sequence
        """)
    guard let row = forge.member.dice.pick(rows) else { return nil }
    let here: CloudID = row[3]
    let foreign = forge.member.authorship.places.map(\.branch).filter { $0 != here }
    guard let branch = forge.member.dice.pick(foreign) else { return nil }
    let root = try place(branch, db)
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO departures (branch, cloud_id, node, operation, parent, name, edited)
        VALUES (?, ?, ?, ?, NULL, 'x', 0)
        """, arguments: [row[1] as Int64, row[2] as CloudID, root, row[0] as Int64])
    try db.execute(sql: "DELETE FROM removed WHERE operation = ?", arguments: [row[0] as Int64])
    return "\("\(row[2] as CloudID)".prefix(6)) went to \("\(branch)".prefix(6))"
  }

  /// Something that stands for a node of that branch here.
  private func place(_ branch: CloudID, _ db: Database) throws -> Int64 {
    let known = try Int64.fetchOne(
      db, sql: "SELECT n.id FROM nodes n JOIN branches b ON b.id = n.branch WHERE b.cloud_id = ? AND n.parent IS NULL",
      arguments: [branch])
    if let known { return known }
    try db.execute(sql: "INSERT OR IGNORE INTO branches (cloud_id) VALUES (?)", arguments: [branch])
    let row = try Int64.fetchOne(db, sql: "SELECT id FROM branches WHERE cloud_id = ?", arguments: [branch])
    try db.execute(
      sql: "INSERT INTO nodes (branch, cloud_id, name) VALUES (?, ?, '')", arguments: [row, branch])
    return db.lastInsertedRowID
  }
}
