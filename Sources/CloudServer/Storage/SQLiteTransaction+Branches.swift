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
    try row("SELECT record FROM permissions WHERE branch = ? ORDER BY version DESC LIMIT 1", [branch.blob])?.record()
  }

  func permissions(of branch: CloudID, named hash: Hash32) throws -> SignedRecord? {
    try row("SELECT record FROM permissions WHERE branch = ? AND hash = ?", [branch.blob, hash.blob])?.record()
  }

  func newestPermissions(of branch: CloudID, limit: Int) throws -> [SignedRecord] {
    try rows(
      "SELECT record FROM permissions WHERE branch = ? ORDER BY version DESC LIMIT ?", [branch.blob, limit]
    ).map { try $0.record() }
  }

  func permissionsHistory(of branch: CloudID, upTo bytes: Int) throws -> [SignedRecord]? {
    let sum = try row("SELECT sum(length(record)) AS bytes FROM permissions WHERE branch = ?", [branch.blob])
    guard let total: Int64 = sum?["bytes"] else { return [] }
    guard total <= Int64(bytes) else { return nil }
    return try rows("SELECT record FROM permissions WHERE branch = ? ORDER BY version", [branch.blob])
      .map { try $0.record() }
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

  func branches(naming user: UserID) throws -> [CloudID] {
    try rows("SELECT branch FROM letters WHERE user = ? ORDER BY branch", [user.blob]).map { try $0.fixed("branch") }
  }

  func delete(_ branch: CloudID) throws {
    try dropContents(of: branch)
    for table in [
      "given_back", "expiries", "messages", "message_days", "closings", "nodes", "letters", "permissions", "lines",
      "branches",
    ] {
      try run("DELETE FROM \(table) WHERE branch = ?", [branch.blob])
    }
  }

  func append(_ line: Line, head: LogHead, to branch: CloudID, by author: UserID?) throws {
    guard let number = Self.column(line.number) else { throw StorageFailure.damaged }
    if number == 1 {
      try run(
        "INSERT INTO branches (branch, line, log_hash) VALUES (?, ?, ?)", [branch.blob, number, head.hash.blob])
    } else {
      try run(
        "UPDATE branches SET line = ?, log_hash = ? WHERE branch = ?", [number, head.hash.blob, branch.blob])
    }
    try run(
      """
      INSERT INTO lines (branch, line, kind, cloud_id, hash, log_hash, payer) VALUES (?, ?, ?, ?, ?, ?, \(Self.payer))
      """,
      [
        branch.blob, number, Int64(line.kind.rawValue), line.cloudID.blob, line.hash.blob, head.hash.blob,
        author?.blob,
      ])
  }

  func putInForce(_ permissions: Permissions, at line: UInt64) throws {
    let body = permissions.body
    guard let number = Self.column(line), let version = Self.column(body.version) else { throw StorageFailure.damaged }
    try run(
      "INSERT INTO permissions (branch, version, line, hash, record, payer) VALUES (?, ?, ?, ?, ?, \(Self.payer))",
      [
        body.branch.blob, version, number, permissions.hash.blob, Data(permissions.record.encoded),
        body.author.user.blob,
      ])
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
