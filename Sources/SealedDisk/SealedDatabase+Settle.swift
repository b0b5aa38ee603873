import GRDBSQLite
import Glibc
import Sealing

extension SealedDatabase {
  /// Brings everything into the one file, and closes it. Throws `SealFailure.busy` where any other connection has it open: to put
  /// another file in its place would part that one from what it believes to write. Whoever opens it from now on has to be kept out.
  func settle(_ key: DatabaseKey?) throws(SealFailure) {
    let access = try access(key)
    for attempt in 1... {
      do throws(SealFailure) {
        try withExtendedLifetime(access) { () throws(SealFailure) in try settleOnce(access?.address ?? path) }
        break
      } catch .busy where attempt < Self.attempts {
        // Who only looks is gone in a moment.
        usleep(50_000)
      }
    }
    // SQLite removes the log that it has emptied; a log with something in it belongs to this very file.
    if try log.size() > 0 { throw .busy }
  }

  private static let attempts = 60

  private func settleOnce(_ address: String) throws(SealFailure) {
    var connection: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE
    defer { sqlite3_close(connection) }
    try Self.check(sqlite3_open_v2(address, &connection, flags, nil))
    // Before anything is read: so the first reading takes the whole database for itself.
    _ = try Self.number(connection, "PRAGMA locking_mode = EXCLUSIVE")
    _ = try Self.number(connection, "PRAGMA synchronous = FULL")
    _ = try Self.number(connection, "SELECT count(*) FROM sqlite_schema")
    // A sealed database has a log from the beginning, and pages of the one size.
    _ = try Self.number(connection, "PRAGMA journal_mode = WAL")
    guard try Self.number(connection, "PRAGMA page_size") == Int32(UnitLayout.page) else { throw .damaged }
    guard try Self.number(connection, "PRAGMA wal_checkpoint(TRUNCATE)") == 0 else { throw .busy }
  }

  /// The first value of the first row, as a number.
  private static func number(_ connection: OpaquePointer?, _ sql: String) throws(SealFailure) -> Int32 {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    try check(sqlite3_prepare_v2(connection, sql, -1, &statement, nil))
    let code = sqlite3_step(statement)
    guard code == SQLITE_ROW else {
      try check(code == SQLITE_DONE ? SQLITE_OK : code)
      return 0
    }
    return sqlite3_column_int(statement, 0)
  }

  private static func check(_ code: Int32) throws(SealFailure) {
    switch code & 0xFF {
    case SQLITE_OK: return
    case SQLITE_BUSY, SQLITE_LOCKED: throw .busy
    case SQLITE_CORRUPT, SQLITE_NOTADB: throw .damaged
    default: throw code == Code.data ? .damaged : .database(code)
    }
  }
}
