import CloudAPI
import GRDB
import Signing

/// Branches that hang in other branches (spec §3.8).
extension CloudTransaction {
  /// The branch that a nested one hangs in; nil for one that only hangs in a trunk.
  func enclosing(of branch: BranchID) throws -> BranchID? {
    try BranchID.fetchOne(
      db.cachedStatement(sql: "SELECT enclosing FROM branches WHERE id = ? AND enclosing IS NOT NULL"),
      arguments: [branch])
  }

  /// The branches that are nested in one, as far as they were found there.
  package func nestedBranches(in branch: BranchID) throws -> [BranchID] {
    try BranchID.fetchAll(
      db,
      sql: """
        SELECT b.id FROM branches b WHERE b.enclosing = ?1
          AND EXISTS (SELECT 1 FROM nodes n WHERE n.branch = ?1 AND n.pointer = b.id) ORDER BY b.id
        """, arguments: [branch])
  }

  /// The branch that a pointer in a shared branch leads to. It is believed to be nested there once its first record says so.
  func nest(_ cloudID: CloudID, firstPermissions first: Hash32, in outer: BranchID) throws -> BranchID {
    guard try hasRoom(below: outer, for: 0) else { throw Refusal.limitExceeded }
    guard let known = try branch(cloudID) else { return try insertBranch(cloudID, firstPermissions: first, in: outer) }
    guard known != outer, try root(of: known)?.trunk == nil else { throw Refusal.branchMismatch }
    guard try firstPermissions(of: known).map({ $0 == first }) ?? true else { throw Refusal.firstRecordWrong }
    // One that hangs elsewhere already and was not made below this one is somebody's way to have it shared with this one.
    let records = try permissionsHistory(of: known)
    let around = try self.cloudID(of: outer)
    if !records.isEmpty {
      guard
        records.contains(where: { $0.enclosing != nil && $0.enclosing?.branch == around }) || Defence.nestedPlace.isDown
      else {
        throw Refusal.firstRecordWrong
      }
      if try namedEnclosing(of: known) == around { try setEnclosing(outer, of: known) }
    } else {
      guard try enclosing(of: known) == outer else { throw Refusal.firstRecordWrong }
    }
    if try firstPermissions(of: known) == nil { try setFirstPermissions(first, of: known) }
    return known
  }

  /// This user, if the record that makes a branch waits to be sent from here.
  func maker(of branch: BranchID) throws -> UserID? {
    try UserID.fetchOne(
      db,
      sql: """
        SELECT a.user FROM account a JOIN operations o ON o.branch = ? AND o.kind = 'permit'
        WHERE o.user IS NULL AND o.closes = 0
        """, arguments: [branch])
  }

  /// What this user was invited to is nested nowhere until its first record says so.
  func noteEnclosing(_ body: PermissionsBody, of branch: BranchID) throws {
    guard let enclosing = body.enclosing else { return }
    let outer = try self.branch(enclosing.branch)
    // Of a first record that names an unknown branch a later one may name the one that it was found in.
    if outer != nil || body.version > 1 { try setEnclosing(outer, of: branch) }
  }

  private func setEnclosing(_ outer: BranchID?, of branch: BranchID) throws {
    try db.execute(sql: "UPDATE branches SET enclosing = ? WHERE id = ?", arguments: [outer, branch])
  }

  /// Whether so many more pointers fit in a branch, and a branch below it.
  func hasRoom(below outer: BranchID, for more: Int) throws -> Bool {
    let count = try Int.fetchOne(
      db, sql: "SELECT count(*) FROM nodes WHERE branch = ? AND pointer IS NOT NULL", arguments: [outer])
    return try (count ?? 0) + more <= Limits.nestedBranches && nestedDepth(of: outer) < Limits.nesting
  }
}
