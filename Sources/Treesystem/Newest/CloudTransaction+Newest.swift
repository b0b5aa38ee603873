import CloudAPI
import GRDB
import Signing

/// What a server told as the newest of a trunk, until the trunk was read to its head.
extension CloudTransaction {
  /// Whether anything is shown of which it is not known yet that it is the latest.
  public func hasProvisional() throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT 1 FROM provisional LIMIT 1") != nil
  }

  /// Remembers what is shown, to be judged when the trunk was read. Returns its number.
  func rememberNewest(_ line: Line, in branch: BranchID, upTo head: UInt64) throws -> Int64 {
    try db.execute(
      sql: "INSERT OR REPLACE INTO provisional (branch, cloud_id, line, hash, head) VALUES (?, ?, ?, ?, ?)",
      arguments: [branch, line.cloudID, Int64(clamping: line.number), line.hash, Int64(clamping: head)])
    return db.lastInsertedRowID
  }

  func forgetProvisional(_ number: Int64) throws {
    try db.execute(sql: "DELETE FROM provisional WHERE id = ?", arguments: [number])
  }

  /// A trunk was read to its head: what was shown before is there now, or is over. Where the server told something as the newest that
  /// by its own log was not, that is noted.
  func endProvisional(of branch: BranchID, _ head: LogHead) throws {
    let told = try Row.fetchAll(
      db, sql: "SELECT line, cloud_id, hash, head FROM provisional WHERE branch = ? ORDER BY line", arguments: [branch])
    if told.isEmpty { return }
    for row in told {
      let line = Line(number: UInt64(row[0] as Int64), kind: .header, cloudID: row[1], hash: row[2])
      if let found = try lie(about: line, toldAt: row[3], in: branch, head) { try note(found, of: branch) }
    }
    try db.execute(sql: "DELETE FROM provisional WHERE branch = ?", arguments: [branch])
  }

  private func lie(
    about line: Line, toldAt end: Int64, in branch: BranchID, _ head: LogHead
  ) throws -> Contradiction? {
    if Defence.newestLine.isDown { return nil }
    guard line.number <= head.line else {
      return Contradiction(kind: .rollback, line: head.line + 1, known: nil, told: head.hash)
    }
    let known = try LocalBranchView.storedHash(line.number, branch, self)
    let stands = try Int.fetchOne(
      db, sql: "SELECT 1 FROM lines WHERE branch = ? AND number = ? AND hash = ?",
      arguments: [branch, Int64(line.number), line.hash])
    guard stands != nil else { return Contradiction(kind: .fork, line: line.number, known: known, told: line.hash) }
    // The log had a later line of the node by then, which the server kept back.
    let later = try Row.fetchOne(
      db,
      sql: """
        SELECT number, log_hash FROM lines WHERE branch = ? AND cloud_id = ? AND kind <> 3 AND number > ? AND number <= ?
        ORDER BY number DESC LIMIT 1
        """, arguments: [branch, line.cloudID, Int64(line.number), end])
    return later.map {
      Contradiction(kind: .omission, line: UInt64($0[0] as Int64), known: $0[1], told: line.hash)
    }
  }
}

extension Schema {
  /// Of trunks that are being read from their first line. Apps hang what they show of it below these rows.
  static let provisional = """
    CREATE TABLE provisional (
      id INTEGER PRIMARY KEY,
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      -- where the server says that it stands
      line INTEGER NOT NULL CHECK (line > 0),
      hash BLOB NOT NULL CHECK (length(hash) = 32),
      -- how far the log was by the same answer
      head INTEGER NOT NULL CHECK (head >= line),
      UNIQUE (branch, cloud_id)
    ) STRICT;
    """
}
