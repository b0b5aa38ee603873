import GRDB

extension CloudTransaction {
  /// How many rows refer to something that is not there. There should be none.
  public func danglingRows() throws -> Int { try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count }

  /// The migrations that made the tables as they are, in order.
  public func schemaVersions() throws -> [String] {
    try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid")
  }

  /// The version of SQLite.
  public func storeVersion() throws -> String { try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "?" }

  /// How many pages the database has.
  public func pageCount() throws -> Int { try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0 }
}
