import CloudAPI
import Foundation
import GRDB
import Signing

extension Schema {
  /// False for a row that was set aside and that nobody can make a node of: who reads the branch for the first time has nothing of it. Of those
  /// from before, nobody knows.
  /// Since when a branch that hangs in home is in its user's trash, in milliseconds since 1970.
  static let trashedPointers = """
    ALTER TABLE nodes ADD COLUMN trashed_at INTEGER CHECK (trashed_at > 0);
    ALTER TABLE removed ADD COLUMN trashed_at INTEGER CHECK (trashed_at > 0);
    CREATE INDEX nodes_in_trash ON nodes (pointer) WHERE trashed_at IS NOT NULL;
    """

  static let placedRows = "ALTER TABLE quarantine ADD COLUMN placed INTEGER NOT NULL DEFAULT 1 CHECK (placed IN (0, 1))"

  /// The user who signed the first header of a node's present life, or of its last one; null where this device never had that header,
  /// because the server keeps only the latest row.
  static func noteFounders(_ db: Database) throws {
    try db.execute(sql: "ALTER TABLE node_states ADD COLUMN founder BLOB CHECK (length(founder) = 20)")
    let rows = try Row.fetchAll(db, sql: "SELECT branch, cloud_id, header FROM node_states WHERE header IS NOT NULL")
    for row in rows {
      let record = try SignedRecord(encoded: Array(row[2] as Data))
      guard let header = try? HeaderBody(decoding: record.body), header.beginsLife else { continue }
      try db.execute(
        sql: "UPDATE node_states SET founder = ? WHERE branch = ? AND cloud_id = ?",
        arguments: [header.author.user, row[0] as Int64, row[1] as Data])
    }
  }
}

extension HeaderBody {
  /// True for a node's first header, and for the one with which it came back.
  var beginsLife: Bool { version == 1 || revived == version }
}
