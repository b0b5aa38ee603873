import CloudAPI
import Foundation
import GRDB
import Signing

extension SQLiteTransaction {
  func head(of branch: CloudID) throws -> LogHead? {
    guard let row = try row("SELECT line, log_hash FROM branches WHERE branch = ?", [branch.blob]) else { return nil }
    return LogHead(line: try row.number("line"), hash: try row.fixed("log_hash"))
  }

  func logHash(of branch: CloudID, at line: UInt64) throws -> Hash32? {
    if line == 0 { return LogHead(startOf: branch).hash }
    guard let number = Self.column(line) else { return nil }
    return try row("SELECT log_hash FROM lines WHERE branch = ? AND line = ?", [branch.blob, number])?
      .fixed("log_hash")
  }

  func lines(of branch: CloudID, after line: UInt64, limit: Int) throws -> [Line] {
    guard let number = Self.column(line) else { return [] }
    return try rows(
      "SELECT line, kind, cloud_id, hash FROM lines WHERE branch = ? AND line > ? ORDER BY line LIMIT ?",
      [branch.blob, number, limit]
    ).map { row in
      Line(
        number: try row.number("line"), kind: try Self.kind(row), cloudID: try row.fixed("cloud_id"),
        hash: try row.fixed("hash"))
    }
  }

  func head(of branch: CloudID, atRecord hash: Hash32) throws -> LogHead? {
    guard
      let row = try row("SELECT line, log_hash FROM lines WHERE branch = ? AND hash = ?", [branch.blob, hash.blob])
    else { return nil }
    return LogHead(line: try row.number("line"), hash: try row.fixed("log_hash"))
  }

  func permissions(of branch: CloudID) throws -> SignedRecord? {
    try row("SELECT record FROM permissions WHERE branch = ? ORDER BY version DESC LIMIT 1", [branch.blob])
      .map { try record($0) }
  }

  func permissions(of branch: CloudID, named hash: Hash32) throws -> SignedRecord? {
    try row("SELECT record FROM permissions WHERE branch = ? AND hash = ?", [branch.blob, hash.blob])
      .map { try record($0) }
  }

  func newestPermissions(of branch: CloudID, limit: Int) throws -> [SignedRecord] {
    try rows(
      "SELECT record FROM permissions WHERE branch = ? ORDER BY version DESC LIMIT ?", [branch.blob, limit]
    ).map { try record($0) }
  }

  func permissionsHistory(of branch: CloudID, upTo bytes: Int) throws -> [SignedRecord]? {
    // None is shorter than 200 bytes, so whatever there is beyond these would not fit.
    let sum = try row(
      "SELECT sum(bytes) AS bytes FROM (SELECT length(record) AS bytes FROM permissions WHERE branch = ? LIMIT ?)",
      [branch.blob, bytes / 200 + 1])
    guard let total: Int64 = sum?["bytes"] else { return [] }
    guard total <= Int64(bytes) else { return nil }
    return try rows("SELECT record FROM permissions WHERE branch = ? ORDER BY version", [branch.blob])
      .map { try record($0) }
  }

  func letters(of user: UserID, on branch: CloudID) throws -> Letters {
    let letters = try rows(
      "SELECT letters FROM letters WHERE branch = ? AND user IN (?, x'')", [branch.blob, user.blob]
    ).map { Letters(rawValue: UInt32(truncatingIfNeeded: try $0.number("letters"))) }
    // An entry of one's own without any overrides anyone's.
    return letters.contains([]) ? [] : letters.reduce(into: []) { $0.formUnion($1) }
  }

  func isNamed(_ user: UserID, on branch: CloudID) throws -> Bool {
    try row("SELECT 1 FROM letters WHERE branch = ? AND user IN (?, x'') LIMIT 1", [branch.blob, user.blob]) != nil
  }

  func readers(of branch: CloudID) throws -> Set<UserID> {
    let read = Int64(Letters.read.rawValue)
    return try Set(
      rows(
        "SELECT user FROM letters WHERE branch = ? AND letters & ? AND user <> x''", [branch.blob, read]
      ).map { try $0.fixed("user") })
  }

  func branches(ownedBy user: UserID) throws -> [CloudID] {
    try rows("SELECT branch FROM branches WHERE owner = ? ORDER BY branch", [user.blob])
      .map { try $0.fixed("branch") }
  }

  func beginDeleting(_ branch: CloudID) throws {
    try run("INSERT OR IGNORE INTO deletions (branch) VALUES (?)", [branch.blob])
    try run("DELETE FROM letters WHERE branch = ?", [branch.blob])
  }

  func goOnDeleting(limit: Int) throws -> Bool {
    guard let branch: CloudID = try row("SELECT branch FROM deletions LIMIT 1", [])?.fixed("branch") else {
      return false
    }
    if try dropContents(of: branch, limit: limit) == limit { return true }
    // What refers to others goes before them. By the rest of its key, because a table without row numbers has nothing else to limit by.
    for (table, key) in [
      ("permissions", "version"), ("expiries", "cloud_id"), ("messages", "cloud_id"), ("message_days", "sender"),
      ("nodes", "cloud_id"), ("lines", "line"),
    ] {
      try run(
        """
        DELETE FROM \(table) WHERE branch = :branch AND \(key) IN
          (SELECT \(key) FROM \(table) WHERE branch = :branch LIMIT :limit)
        """, ["branch": branch.blob, "limit": limit])
      if db.changesCount >= limit { return true }
    }
    for table in ["given_back", "closings", "letters", "deletions", "branches"] {
      try run("DELETE FROM \(table) WHERE branch = ?", [branch.blob])
    }
    return true
  }

  /// The head moves once, however many lines there are: everybody waits for this.
  func append(_ lines: [PaidLine], to branch: CloudID) throws {
    guard let first = lines.first, let last = lines.last else { return }
    guard let head = Self.column(last.line.number) else { throw StorageFailure.damaged }
    if first.line.number == 1 {
      try run(
        "INSERT INTO branches (branch, line, log_hash) VALUES (?, ?, ?)", [branch.blob, head, last.head.hash.blob])
    } else {
      try run(
        "UPDATE branches SET line = ?, log_hash = ? WHERE branch = ?", [head, last.head.hash.blob, branch.blob])
    }
    for kept in lines {
      let line = kept.line
      try run(
        """
        INSERT INTO lines (branch, line, kind, cloud_id, hash, log_hash, payer) VALUES (?, ?, ?, ?, ?, ?, \(Self.payer))
        """,
        [
          branch.blob, Self.column(line.number), Int64(line.kind.rawValue), line.cloudID.blob, line.hash.blob,
          kept.head.hash.blob, kept.payer?.blob,
        ])
    }
  }

  func putInForce(_ permissions: Permissions, at line: UInt64, by payer: UserID) throws {
    let body = permissions.body
    guard let number = Self.column(line), let version = Self.column(body.version) else { throw StorageFailure.damaged }
    try run(
      "INSERT INTO permissions (branch, version, line, hash, record, payer) VALUES (?, ?, ?, ?, ?, \(Self.payer))",
      [
        body.branch.blob, version, number, permissions.hash.blob, Data(permissions.record.encoded),
        payer.blob,
      ])
    try meter.count(bytes: permissions.record.body.count)
    try run("UPDATE branches SET owner = ? WHERE branch = ?", [body.owner.blob, body.branch.blob])
    try run("DELETE FROM letters WHERE branch = ?", [body.branch.blob])
    for entry in body.entries {
      try run(
        "INSERT INTO letters (branch, user, letters) VALUES (?, ?, ?)",
        [body.branch.blob, entry.user?.blob ?? Data(), Int64(entry.letters.rawValue)])
    }
  }

  static func kind(_ row: Row) throws -> Line.Kind {
    guard let kind = Line.Kind(rawValue: UInt8(truncatingIfNeeded: try row.number("kind"))) else {
      throw StorageFailure.damaged
    }
    return kind
  }
}
