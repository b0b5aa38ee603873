import CloudAPI
import Foundation
import GRDB
import Signing

/// How many bytes each person makes this server keep. Triggers count, in the transaction of the change itself, so no way of storing or
/// dropping anything can forget to.
///
/// Whoever brought something pays for it until it goes: a line and its place in the indexes with 256 bytes, a record with its length, a
/// content with its length for each node that lists it, a file with its length and at least 64 KiB: for its uploader as long as no node lists
/// it, and once for everyone who listed it in any node. What somebody's edit carries over stays with whoever brought it. What is given back
/// without an author who has an account here is paid for by who gives it back.
enum UsageSchema {
  static func create(_ db: Database) throws {
    try db.execute(sql: tables)
    try fill(db)
    try db.execute(sql: triggers)
    try db.execute(
      sql: "UPDATE payers SET bytes = coalesce((SELECT r.bytes FROM (\(atFirst)) r WHERE r.payer = payers.payer), 0)")
  }

  /// Those that are there already were given back by nobody knows whom.
  static func countLostKeyrings(_ db: Database) throws {
    try db.execute(sql: "ALTER TABLE lost_keyring_entries ADD COLUMN payer INTEGER")
    try db.execute(sql: lostKeyringTriggers)
  }

  private static let tables = """
    CREATE TABLE payers (
      payer INTEGER PRIMARY KEY,
      user BLOB NOT NULL UNIQUE CHECK (length(user) = 20),
      bytes INTEGER NOT NULL DEFAULT 0 CHECK (bytes >= 0)
    ) STRICT;
    INSERT INTO payers (user) SELECT user FROM accounts ORDER BY user;
    ALTER TABLE lines ADD COLUMN payer INTEGER;
    ALTER TABLE nodes ADD COLUMN payer INTEGER;
    ALTER TABLE permissions ADD COLUMN payer INTEGER;
    ALTER TABLE content_references ADD COLUMN payer INTEGER;
    ALTER TABLE file_references ADD COLUMN payer INTEGER;
    CREATE INDEX file_references_by_payer ON file_references (file, payer);
    """

  /// Each payer's bytes, from the rows themselves.
  static let recount = bytes(and: "UNION ALL SELECT payer, length(record) FROM lost_keyring_entries")

  /// Before keyrings without accounts counted.
  private static let atFirst = bytes(and: "")

  private static func bytes(and more: String) -> String {
    """
    SELECT payer, sum(bytes) AS bytes FROM (
      SELECT payer, 256 AS bytes FROM lines
      UNION ALL SELECT payer, length(record) FROM nodes
      UNION ALL SELECT payer, length(record) FROM permissions
      UNION ALL SELECT p.payer, length(k.record) FROM keyring_entries k JOIN payers p USING (user)
      UNION ALL SELECT r.payer, length(c.bytes) FROM content_references r JOIN contents c USING (content, hash)
      UNION ALL SELECT r.payer, max(f.length, 65536)
        FROM (SELECT DISTINCT payer, file FROM file_references) r JOIN files f USING (file)
      UNION ALL SELECT p.payer, max(f.length, 65536) FROM files f JOIN payers p USING (user) WHERE f.unlisted IS NOT NULL
      \(more)
    ) WHERE payer IS NOT NULL GROUP BY payer
    """
  }

  private static func trigger(_ name: String, _ event: String, _ condition: String = "", _ changes: String...) -> String
  {
    """
    CREATE TRIGGER \(name) AFTER \(event) \(condition.isEmpty ? "" : "WHEN \(condition)") BEGIN
      \(changes.map { "UPDATE payers SET bytes = bytes \($0);" }.joined(separator: "\n  "))
    END;
    """
  }

  private static let content =
    "(SELECT length(bytes) FROM contents WHERE content = %.content AND hash = %.hash) WHERE payer = %.payer"
  private static let file = "(SELECT max(length, 65536) FROM files WHERE file = %.file) WHERE payer = %.payer"
  private static let upload = "max(%.length, 65536) WHERE user = %.user"

  private static func of(_ row: String, _ change: String) -> String { change.replacingOccurrences(of: "%", with: row) }

  private static let lostKeyringTriggers = [
    trigger(
      "lost_keyring_counted", "INSERT ON lost_keyring_entries", "", "+ length(NEW.record) WHERE payer = NEW.payer"),
    trigger(
      "lost_keyring_dropped", "DELETE ON lost_keyring_entries", "", "- length(OLD.record) WHERE payer = OLD.payer"),
  ].joined(separator: "\n")

  private static let triggers: String = [
    trigger("line_counted", "INSERT ON lines", "", "+ 256 WHERE payer = NEW.payer"),
    trigger("line_dropped", "DELETE ON lines", "", "- 256 WHERE payer = OLD.payer"),
    trigger("node_counted", "INSERT ON nodes", "", "+ length(NEW.record) WHERE payer = NEW.payer"),
    trigger("node_dropped", "DELETE ON nodes", "", "- length(OLD.record) WHERE payer = OLD.payer"),
    trigger(
      "node_replaced", "UPDATE OF record, payer ON nodes", "", "- length(OLD.record) WHERE payer = OLD.payer",
      "+ length(NEW.record) WHERE payer = NEW.payer"),
    trigger("permissions_counted", "INSERT ON permissions", "", "+ length(NEW.record) WHERE payer = NEW.payer"),
    trigger("permissions_dropped", "DELETE ON permissions", "", "- length(OLD.record) WHERE payer = OLD.payer"),
    trigger("keyring_entry_counted", "INSERT ON keyring_entries", "", "+ length(NEW.record) WHERE user = NEW.user"),
    trigger("content_counted", "INSERT ON content_references", "", "+ " + of("NEW", content)),
    trigger("content_dropped", "DELETE ON content_references", "", "- " + of("OLD", content)),
    trigger(
      "file_counted", "INSERT ON file_references",
      "1 = (SELECT count(*) FROM (SELECT 1 FROM file_references WHERE file = NEW.file AND payer = NEW.payer LIMIT 2))",
      "+ " + of("NEW", file)),
    trigger(
      "file_dropped", "DELETE ON file_references",
      "NOT EXISTS (SELECT 1 FROM file_references WHERE file = OLD.file AND payer = OLD.payer)", "- " + of("OLD", file)),
    trigger("upload_counted", "INSERT ON files", "NEW.unlisted IS NOT NULL", "+ " + of("NEW", upload)),
    trigger("upload_dropped", "DELETE ON files", "OLD.unlisted IS NOT NULL", "- " + of("OLD", upload)),
    trigger(
      "upload_listed", "UPDATE OF unlisted ON files", "OLD.unlisted IS NOT NULL AND NEW.unlisted IS NULL",
      "- " + of("OLD", upload)),
    trigger(
      "upload_left", "UPDATE OF unlisted ON files", "OLD.unlisted IS NULL AND NEW.unlisted IS NOT NULL",
      "+ " + of("NEW", upload)),
  ].joined(separator: "\n")

  /// Who brought what is there already, as its record says; a file is its uploader's, as it was before this.
  private static func fill(_ db: Database) throws {
    let payer = "(SELECT payer FROM payers WHERE user = ?)"
    for row in try Row.fetchAll(db, sql: "SELECT branch, cloud_id FROM nodes") {
      let key: StatementArguments = [row["branch"] as Data, row["cloud_id"] as Data]
      guard
        let node = try Row.fetchOne(
          db, sql: "SELECT kind, line, record FROM nodes WHERE branch = ? AND cloud_id = ?", arguments: key),
        let user = author(of: node["record"], isHeader: node["kind"] == 1)
      else { continue }
      for table in ["nodes", "content_references"] {
        try db.execute(
          sql: "UPDATE \(table) SET payer = \(payer) WHERE branch = ? AND cloud_id = ?", arguments: [user.blob] + key)
      }
      try db.execute(
        sql: "UPDATE lines SET payer = \(payer) WHERE branch = ? AND line = ?",
        arguments: [user.blob, row["branch"] as Data, node["line"] as Int64])
    }
    for row in try Row.fetchAll(db, sql: "SELECT branch, version, line FROM permissions") {
      let (branch, version, line) = (row["branch"] as Data, row["version"] as Int64, row["line"] as Int64)
      let record = try Data.fetchOne(
        db, sql: "SELECT record FROM permissions WHERE branch = ? AND version = ?", arguments: [branch, version])
      let body = record.flatMap { try? PermissionsBody(decoding: SignedRecord(encoded: Array($0)).body) }
      guard let user = body?.author.user else { continue }
      try db.execute(
        sql: "UPDATE permissions SET payer = \(payer) WHERE branch = ? AND version = ?",
        arguments: [user.blob, branch, version])
      try db.execute(
        sql: "UPDATE lines SET payer = \(payer) WHERE branch = ? AND line = ?", arguments: [user.blob, branch, line])
    }
    try db.execute(
      sql: """
        UPDATE file_references SET payer =
          (SELECT payer FROM files JOIN payers USING (user) WHERE files.file = file_references.file)
        """)
  }

  private static func author(of record: Data, isHeader: Bool) -> UserID? {
    guard let body = try? SignedRecord(encoded: Array(record)).body else { return nil }
    if isHeader { return try? HeaderBody(decoding: body).author.user }
    return try? TombstoneBody(decoding: body).author.user
  }
}
