import Foundation
import GRDB
import Treesystem

/// The tables that tell who wrote what.
enum DeedTables {
  static let migration = AppMigration(name: "todo-17-deeds") { db in
    try db.execute(sql: tables)
    let rows = try Row.fetchCursor(db, sql: "SELECT node, document FROM todos")
    var writers: [(node: Int64, writer: Data)] = []
    while let row = try rows.next() {
      guard let latest = try? Document(bytes: Array(row[1] as Data)).latest else { continue }
      writers.append((row[0], Data(latest.stamp.replica.bytes)))
    }
    let update = try db.makeStatement(sql: "UPDATE todos SET writer = ? WHERE node = ?")
    for (node, writer) in writers { try update.execute(arguments: [writer, node]) }
  }

  private static let tables = """
    -- whose replicas are known
    CREATE TABLE writers (
      replica BLOB PRIMARY KEY CHECK (length(replica) = 8),
      user BLOB NOT NULL CHECK (length(user) = 20)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO writers SELECT replica.bytes, account.user FROM replica, account;
    -- writes that were never seen under the signature of their writer's device, and who passed them on
    CREATE TABLE carried (
      node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
      field INTEGER NOT NULL,
      time INTEGER NOT NULL,
      replica BLOB NOT NULL CHECK (length(replica) = 8),
      signer BLOB NOT NULL CHECK (length(signer) = 20),
      PRIMARY KEY (node, field, time, replica)
    ) STRICT, WITHOUT ROWID;
    -- of the last write of all
    ALTER TABLE todos ADD COLUMN writer BLOB CHECK (length(writer) = 8);
    ALTER TABLE todos ADD COLUMN via BLOB CHECK (length(via) = 20);
    ALTER TABLE news ADD COLUMN via BLOB CHECK (length(via) = 20);
    CREATE TRIGGER writers_left AFTER DELETE ON account BEGIN
      DELETE FROM writers;
      DELETE FROM carried;
      UPDATE todos SET via = NULL WHERE via IS NOT NULL;
    END;
    """
}
