import CloudAPI
import Foundation
import GRDB
package import Signing

extension CloudTransaction {
  /// What the server has of a node, as far as it was read or confirmed.
  func state(of cloudID: CloudID, in branch: BranchID) throws -> NodeState? {
    let statement = try db.cachedStatement(
      sql: "SELECT version, hash, deleted, header FROM node_states WHERE branch = ? AND cloud_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [branch, cloudID]) else { return nil }
    let header = try (row[3] as Data?).map { try UnverifiedHeader(SignedRecord(encoded: Array($0))).body }
    return NodeState(lines: UInt64(row[0] as Int64), hash: row[1], isDeleted: row[2], header: header)
  }

  /// Whether the server has a node, and it was not deleted.
  package func isLive(_ cloudID: CloudID, in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM node_states WHERE branch = ? AND cloud_id = ? AND deleted = 0")
    return try Int.fetchOne(statement, arguments: [branch, cloudID]) != nil
  }

  /// The record hash of what the server has of a node.
  func stateHash(of cloudID: CloudID, in branch: BranchID) throws -> Hash32? {
    let statement = try db.cachedStatement(sql: "SELECT hash FROM node_states WHERE branch = ? AND cloud_id = ?")
    return try Hash32.fetchOne(statement, arguments: [branch, cloudID])
  }

  /// The last header of a node that was believed, unless it was deleted since.
  func headerRecord(of cloudID: CloudID, in branch: BranchID) throws -> SignedRecord? {
    let statement = try db.cachedStatement(sql: "SELECT header FROM node_states WHERE branch = ? AND cloud_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [branch, cloudID]) else { return nil }
    return try (row[0] as Data?).map { try SignedRecord(encoded: Array($0)) }
  }

  /// The version of the last record of a node that was believed; 0 for none.
  func stateVersion(of cloudID: CloudID, in branch: BranchID) throws -> UInt64 {
    let statement = try db.cachedStatement(sql: "SELECT version FROM node_states WHERE branch = ? AND cloud_id = ?")
    return try Int64.fetchOne(statement, arguments: [branch, cloudID]).map { UInt64($0) } ?? 0
  }

  /// The line of the last record of a node that was believed.
  func stateLine(of cloudID: CloudID, in branch: BranchID) throws -> UInt64? {
    let statement = try db.cachedStatement(sql: "SELECT line FROM node_states WHERE branch = ? AND cloud_id = ?")
    return try Int64.fetchOne(statement, arguments: [branch, cloudID]).map { UInt64($0) }
  }

  /// Nil: a header is not the last record of its node that was believed.
  func life(of header: UnverifiedHeader, in branch: BranchID) throws -> NodeLife? {
    let statement = try db.cachedStatement(
      sql: "SELECT hash, line, revived > 0 FROM node_states WHERE branch = ? AND cloud_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [branch, header.body.cloudID]), row[0] == header.hash else {
      return nil
    }
    return NodeLife(line: row[1], isSecond: row[2])
  }

  /// What a new record of a node has to follow: its last line counts even where its record was not believed (spec §5.1),
  /// so that nobody makes a node unwritable by a bad record.
  func stateToFollow(of cloudID: CloudID, in branch: BranchID) throws -> NodeState? {
    let known = try state(of: cloudID, in: branch)
    let statement = try db.cachedStatement(
      sql: "SELECT count(*), max(number), hash FROM lines WHERE branch = ? AND cloud_id = ? AND kind <> 3")
    let last = try Row.fetchOne(statement, arguments: [branch, cloudID])
    guard let last, let hash = last[2] as Hash32?, UInt64(last[0] as Int64) > known?.lines ?? 0 else { return known }
    // What follows a deletion says that it happened, and takes away what is below: nobody signs that of one they have not seen.
    let unseen = try db.cachedStatement(
      sql: "SELECT 1 FROM lines WHERE branch = ? AND cloud_id = ? AND kind = 2 AND number > ? LIMIT 1")
    let believed = try stateLine(of: cloudID, in: branch) ?? 0
    guard try Int.fetchOne(unseen, arguments: [branch, cloudID, Int64(believed)]) == nil else {
      throw Refusal.rowMissing
    }
    return NodeState(
      lines: UInt64(last[0] as Int64), hash: hash, isDeleted: false, header: known?.header,
      lastTombstone: known.map { $0.isDeleted ? $0.lines : 0 } ?? 0)
  }

  /// Whether the last line of a node is in quarantine: then what its header lists may not open.
  func isQuarantined(_ cloudID: CloudID, in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: """
        SELECT 1 FROM quarantine WHERE branch = ?1 AND line =
          (SELECT max(number) FROM lines WHERE branch = ?1 AND cloud_id = ?2 AND kind <> 3)
        """)
    return try Int.fetchOne(statement, arguments: [branch, cloudID]) != nil
  }

  @discardableResult
  func setState(_ header: Header, line: UInt64, in branch: BranchID) throws -> UInt64 {
    try setState(header.record, header.body, header.hash, line: line, in: branch)
  }

  /// Remembers a header that was believed, at its line. Returns the line with which the node's life began.
  @discardableResult
  func setState(
    _ record: SignedRecord, _ body: HeaderBody, _ hash: Hash32, line: UInt64, in branch: BranchID
  ) throws -> UInt64 {
    let revived = try life(of: body.cloudID, revived: body.revived, version: body.version, at: line, in: branch)
    let statement = try db.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO node_states
          (branch, cloud_id, version, hash, deleted, parent, token, header, line, revived, founder)
        VALUES (?1, ?2, ?3, ?4, 0, ?5, ?6, ?7, ?8, ?9, coalesce(?10,
          (SELECT founder FROM node_states WHERE branch = ?1 AND cloud_id = ?2 AND revived = ?9)))
        """)
    try statement.execute(arguments: [
      branch, body.cloudID, Int64(body.version), hash, body.parent, body.nameToken, Data(record.encoded),
      Int64(line), Int64(revived), body.beginsLife ? body.author.user : nil,
    ])
    return revived
  }

  /// Remembers a tombstone that was believed, at its line.
  func setDeleted(_ tombstone: UnverifiedTombstone, line: UInt64, in branch: BranchID) throws {
    let body = tombstone.body
    let revived = try life(of: body.cloudID, revived: body.revived, version: body.version, at: line, in: branch)
    try db.execute(
      sql: """
        INSERT INTO node_states (branch, cloud_id, version, hash, deleted, line, revived, tombstone)
        VALUES (?, ?, ?, ?, 1, ?, ?, ?)
        ON CONFLICT DO UPDATE SET version = excluded.version, hash = excluded.hash, deleted = 1, header = NULL,
          line = excluded.line, revived = excluded.revived, tombstone = excluded.tombstone, bare = 0,
          founder = iif(revived = excluded.revived, founder, NULL)
        """,
      arguments: [
        branch, body.cloudID, Int64(body.version), tombstone.hash, Int64(line), Int64(revived),
        Data(tombstone.record.encoded),
      ])
  }

  /// The line with which the life that a record belongs to began, as its author signed it; 0 for a node's first. What hangs
  /// below a node since before that line went with it (spec §5.1).
  func life(
    of cloudID: CloudID, revived version: UInt64, version last: UInt64, at line: UInt64, in branch: BranchID
  ) throws -> UInt64 {
    guard version > 0 else { return 0 }
    // The line itself may not be in the table yet.
    if version == last { return line }
    let statement = try db.cachedStatement(
      sql: """
        SELECT number FROM lines WHERE branch = ? AND cloud_id = ? AND kind <> 3 ORDER BY number LIMIT 1 OFFSET ?
        """)
    let declared = try Int64.fetchOne(statement, arguments: [branch, cloudID, Int64(clamping: version) - 1])
    return declared.map { UInt64($0) } ?? 0
  }

  func branchKey(of branch: BranchID, epoch: UInt64) throws -> SecretBytes? {
    let statement = try db.cachedStatement(sql: "SELECT key FROM branch_keys WHERE branch = ? AND epoch = ?")
    return try Data.fetchOne(statement, arguments: [branch, Int64(epoch)]).map { SecretBytes(column: $0) }
  }

  func setBranchKey(_ key: SecretBytes, of branch: BranchID, epoch: UInt64) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO branch_keys (branch, epoch, key) VALUES (?, ?, ?)",
      arguments: [branch, Int64(epoch), key.column])
  }

  func removeBranchKey(of branch: BranchID, epoch: UInt64) throws {
    try db.execute(
      sql: "DELETE FROM branch_keys WHERE branch = ? AND epoch = ?", arguments: [branch, Int64(epoch)])
  }

  /// Whether a permissions record was read, or is this device's own and in the log.
  func hasRead(_ permissions: Hash32, of branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM permissions WHERE branch = ? AND hash = ?", arguments: [branch, permissions]) != nil
  }

  func insertPermissions(_ record: SignedRecord, _ body: PermissionsBody, line: UInt64, in branch: BranchID) throws {
    try db.execute(
      sql: "INSERT INTO permissions (branch, version, line, hash, record) VALUES (?, ?, ?, ?, ?)",
      arguments: [branch, Int64(body.version), Int64(line), record.hash, Data(record.encoded)])
    if body.version == 1 {
      try setFirstPermissions(record.hash, of: branch)
      try noteEnclosing(body, of: branch)
    }
    try noteNesting(of: branch)
    try db.execute(
      sql: """
        DELETE FROM operations WHERE branch = ? AND kind = 'permit' AND letters IS NULL AND user IS NOT NULL
          AND state <> 'sealed'
        """, arguments: [branch])
    try noteRenewal(of: branch)
  }

  /// Keeps what did not verify, with its reason. It is never applied.
  /// - Parameter isPlaced: false for a row that nobody can make a node of.
  func quarantine(
    _ line: Line, _ row: [UInt8], in branch: BranchID, _ reason: Refusal, isPlaced: Bool = true
  ) throws {
    try db.execute(
      sql: """
        INSERT OR IGNORE INTO quarantine (branch, line, cloud_id, reason, since, row, placed) VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [branch, Int64(line.number), line.cloudID, reason.rawValue, clock.now(), Data(row), isPlaced])
  }

  /// Everything in quarantine.
  public func quarantined() throws -> [Quarantined] {
    // What does not verify is no state of its node.
    let sql = """
      SELECT branch, line, cloud_id, reason, since, EXISTS (
        SELECT 1 FROM node_states s WHERE s.branch = q.branch AND s.cloud_id = q.cloud_id AND s.line >= q.line)
      FROM quarantine q ORDER BY since
      """
    return try Row.fetchAll(db, sql: sql).map {
      let reason = Refusal(rawValue: $0[3]) ?? .malformed
      let isWithheld = [.contentMissing, .contentMismatch, .rowMissing].contains(reason)
      return Quarantined(
        branch: $0[0], line: UInt64($0[1] as Int64), cloudID: $0[2], reason: reason, since: $0[4],
        isAuthors: $0[5] as Bool && !isWithheld)
    }
  }
}

/// Since when a node is what it is.
struct NodeLife {
  /// Of its last record.
  let line: Int64
  /// Whether it came back after it had been away: then what hung below it did not.
  let isSecond: Bool
}
