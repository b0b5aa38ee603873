import GRDBSQLite

/// SQLite's codes for what fails, which its header computes where Swift cannot read them.
enum Code {
  static let read = SQLITE_IOERR | 1 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let write = SQLITE_IOERR | 3 << 8
  static let truncate = SQLITE_IOERR | 6 << 8
  /// What was read is not what was written.
  static let data = SQLITE_IOERR | 32 << 8
}
