public import CloudAPI
import Foundation
import GRDB
public import Signing

extension CloudTransaction {
  /// The branch with this id, if it is known here.
  public func branch(_ cloudID: CloudID) throws -> BranchID? {
    try BranchID.fetchOne(db, sql: "SELECT id FROM branches WHERE cloud_id = ?", arguments: [cloudID])
  }

  /// A branch's id; nil for a trunk before there is an account.
  public func cloudID(of branch: BranchID) throws -> CloudID? {
    try CloudID.fetchOne(
      db.cachedStatement(sql: "SELECT cloud_id FROM branches WHERE id = ?"), arguments: [branch])
  }

  func trunkBranch(_ trunk: Trunk) throws -> BranchID { try self.trunk(trunk).branch }

  /// - Parameter outer: the branch in which it hangs; nil for one that hangs in a trunk.
  func insertBranch(_ cloudID: CloudID, firstPermissions: Hash32?, in outer: BranchID?) throws -> BranchID {
    try db.execute(
      sql: "INSERT INTO branches (cloud_id, first_permissions, enclosing) VALUES (?, ?, ?)",
      arguments: [cloudID, firstPermissions, outer])
    return BranchID(rawValue: db.lastInsertedRowID)
  }

  /// The hash of the first permissions record, where it is pinned.
  public func firstPermissions(of branch: BranchID) throws -> Hash32? {
    try Hash32.fetchOne(
      db.cachedStatement(sql: "SELECT first_permissions FROM branches WHERE id = ?"), arguments: [branch])
  }

  /// Whether it is pinned with which record a branch begins, and nothing of it was ever believed here.
  public func isUnread(_ branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM branches WHERE id = ? AND line = 0 AND first_permissions IS NOT NULL",
      arguments: [branch]) != nil
  }

  /// Pins the first permissions record of a branch: no other is believed from now on.
  func setFirstPermissions(_ first: Hash32, of branch: BranchID) throws {
    try db.execute(sql: "UPDATE branches SET first_permissions = ? WHERE id = ?", arguments: [first, branch])
  }

  /// The line up to which a branch was read.
  package func cursor(of branch: BranchID) throws -> LogHead? {
    let statement = try db.cachedStatement(sql: "SELECT line, log_hash, cloud_id FROM branches WHERE id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [branch]) else { return nil }
    if let hash = row[1] as Hash32? { return LogHead(line: UInt64(row[0] as Int64), hash: hash) }
    return (row[2] as CloudID?).map { LogHead(startOf: $0) }
  }

  /// Appends a line that was verified, and moves the cursor to it.
  func append(_ line: Line, to branch: BranchID, head: LogHead) throws {
    try insertLine(line, of: branch, head: head)
    try moveCursor(of: branch, to: head)
  }

  /// Keeps a line that was verified.
  func insertLine(_ line: Line, of branch: BranchID, head: LogHead) throws {
    let insert = try db.cachedStatement(
      sql: "INSERT INTO lines (branch, number, kind, cloud_id, hash, log_hash) VALUES (?, ?, ?, ?, ?, ?)")
    try insert.execute(arguments: [
      branch, Int64(line.number), Int64(line.kind.rawValue), line.cloudID, line.hash, head.hash,
    ])
  }

  /// Moves the cursor to the last line that was kept.
  func moveCursor(of branch: BranchID, to head: LogHead) throws {
    let move = try db.cachedStatement(sql: "UPDATE branches SET line = ?, log_hash = ? WHERE id = ?")
    try move.execute(arguments: [Int64(head.line), head.hash, branch])
  }

  /// The permissions record in force, as far as this branch was read.
  public func permissions(of branch: BranchID) throws -> UnverifiedPermissions? {
    let statement = try db.cachedStatement(
      sql: "SELECT record FROM permissions WHERE branch = ? ORDER BY version DESC LIMIT 1")
    let record = try Data.fetchOne(statement, arguments: [branch])
    return try record.map { try UnverifiedPermissions(SignedRecord(encoded: Array($0))) }
  }

  /// Every permissions record of a branch that was read, the first first.
  public func permissionsHistory(of branch: BranchID) throws -> [PermissionsBody] {
    try Data.fetchAll(db, sql: "SELECT record FROM permissions WHERE branch = ? ORDER BY version", arguments: [branch])
      .map { try PermissionsBody(decoding: SignedRecord(encoded: Array($0)).body) }
  }

  /// The lines at which they stand.
  public func permissionsLines(of branch: BranchID) throws -> [UInt64] {
    try Int64.fetchAll(db, sql: "SELECT line FROM permissions WHERE branch = ? ORDER BY version", arguments: [branch])
      .map { UInt64($0) }
  }

  /// The highest line at which something stands that a user wrote last; nil for none.
  public func lastLine(by user: UserID, in branch: BranchID) throws -> UInt64? {
    try Int64.fetchOne(
      db,
      sql: """
        SELECT max(s.line) FROM nodes n JOIN node_states s ON s.branch = n.branch AND s.cloud_id = n.cloud_id
        WHERE n.branch = ? AND n.author = ?
        """, arguments: [branch, user]
    ).map { UInt64($0) }
  }

  /// Everybody whom the permissions in force of a branch on this user's tree name.
  public func readers() throws -> Set<UserID> {
    let branches = try BranchID.fetchAll(db, sql: "SELECT DISTINCT pointer FROM nodes WHERE pointer IS NOT NULL")
    return try Set(branches.flatMap { try permissions(of: $0)?.body.entries.compactMap(\.user) ?? [] })
  }

  /// The letters of a user on a node's branch.
  public func letters(of user: UserID, on node: NodeID) throws -> Letters {
    guard let node = try self.node(node) else { throw TreeError.noSuchNode }
    return try permissions(of: node.branch)?.body.letters(of: user) ?? []
  }

  /// The branches that cannot be read any further, with the reason, and since when in milliseconds since 1970.
  public func troubles() throws -> [(branch: BranchID, reason: Refusal, since: Int64)] {
    try Row.fetchAll(
      db, sql: "SELECT id, trouble, trouble_since FROM branches WHERE trouble IS NOT NULL ORDER BY trouble_since"
    ).map { ($0[0], Refusal(rawValue: $0[1]) ?? .malformed, $0[2]) }
  }

  /// The branches that do not say that they hang in another one, where somebody put a pointer to them.
  package func misplacedBranches() throws -> Set<CloudID> {
    try CloudID.fetchSet(
      db,
      sql: """
        SELECT cloud_id FROM branches b WHERE trouble = ? AND trunk IS NULL AND cloud_id IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM nodes n JOIN branches t ON t.id = n.branch WHERE n.pointer = b.id AND t.trunk IS NOT NULL)
        """, arguments: [Refusal.firstRecordWrong.rawValue])
  }

  func setTrouble(_ refusal: Refusal?, of branch: BranchID) throws {
    try db.execute(
      sql: """
        UPDATE branches SET trouble = ?1, trouble_since = iif(?1 IS NULL, NULL, coalesce(trouble_since, ?2)) WHERE id = ?3
        """, arguments: [refusal?.rawValue, clock.now(), branch])
  }
}
