import Foundation
import GRDB
import TestSupport
import Testing

/// The schema is trusted more than the code: what it can forbid, it forbids.
@Suite struct SchemaTests {
  /// The tables that GRDB and SQLite make for themselves.
  private static let foreign = ["grdb_migrations", "sqlite_sequence"]

  /// Foreign keys without an index: nothing deletes an account or a line, and a profile has a handful of invitations.
  private static let bare = ["permissions(branch, line)", "invites(node)"]

  @Test(arguments: Place.allCases)
  func everyTableIsStrict(_ place: Place) throws {
    try place.read { db in
      let loose = try String.fetchAll(
        db,
        sql:
          "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'"
      )
      #expect(loose.filter { !Self.foreign.contains($0) } == [])
      #expect(try String.fetchAll(db, sql: "SELECT name FROM pragma_table_list WHERE strict").count > 5)
    }
  }

  /// Without an index on the child's columns every change of a parent reads the whole child table.
  @Test(arguments: Place.allCases)
  func everyForeignKeyIsIndexed(_ place: Place) throws {
    try place.read { db in
      var count = 0
      for (table, columns) in try foreignKeys(db) {
        count += 1
        let isIndexed = try indexes(of: table, db).contains { Set($0.prefix(columns.count)) == Set(columns) }
        let key = "\(table)(\(columns.joined(separator: ", ")))"
        #expect(isIndexed || Self.bare.contains(key), "\(key)")
      }
      #expect(count > 5)
    }
  }

  /// An id, hash or key of a wrong length cannot be stored.
  @Test(arguments: Place.allCases)
  func everyColumnOfFixedBytesHasACheck(_ place: Place) throws {
    let names: Set = [
      "user", "device", "cloud_id", "branch", "hash", "log_hash", "read_hash", "first_permissions", "sign_seed",
      "box_secret", "root", "secret", "key", "name_key", "node_key", "author", "operation", "parent", "token",
      "name_token", "content", "sender",
    ]
    try place.read { db in
      let tables = try Row.fetchAll(db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'table'")
      for table in tables {
        let name: String = table[0]
        let keys = Set(try foreignKeys(db).filter { $0.table == name }.flatMap(\.columns))
        for column in try Row.fetchAll(db, sql: "SELECT name, type FROM pragma_table_info(?)", arguments: [name]) {
          let column = (name: column[0] as String, type: column[1] as String)
          guard column.type == "BLOB", names.contains(column.name), !keys.contains(column.name) else { continue }
          #expect((table[1] as String).contains("length(\(column.name))"), "\(name).\(column.name)")
        }
      }
    }
  }

  private func foreignKeys(_ db: Database) throws -> [(table: String, columns: [String])] {
    try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'").flatMap { table in
      let rows = try Row.fetchAll(
        db, sql: "SELECT id, \"from\" FROM pragma_foreign_key_list(?) ORDER BY id, seq", arguments: [table])
      return Dictionary(grouping: rows) { $0[0] as Int }.values.map { (table, $0.map { $0[1] as String }) }
    }
  }

  /// The columns of each index that covers every row that has them, and of the primary key.
  private func indexes(of table: String, _ db: Database) throws -> [[String]] {
    let key = try String.fetchAll(
      db, sql: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", arguments: [table])
    let indexes = try String.fetchAll(db, sql: "SELECT name FROM pragma_index_list(?)", arguments: [table])
    return try [key]
      + indexes.map { index in
        try String.fetchAll(
          db, sql: "SELECT coalesce(name, '') FROM pragma_index_info(?) ORDER BY seqno", arguments: [index])
      }
  }
}

/// Where there is a database of ours.
enum Place: CaseIterable {
  case profile
  case server

  /// Reads a database that was just made.
  func read(_ body: (Database) throws -> Void) throws {
    let world = try World(seed: "schema")
    let device = try world.device("alice")
    let server = world.folder.appending(path: "server/todo-server.sqlite").path
    try withExtendedLifetime((world, device)) {
      try DatabaseQueue(path: self == .profile ? device.path : server).read(body)
    }
  }
}

/// SQLite's own words for what is wrong with a database.
func integrityProblems(_ path: String) throws -> [String] {
  try DatabaseQueue(path: path).read { db in
    try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" }
      + Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map { "foreign key of \($0)" }
  }
}
