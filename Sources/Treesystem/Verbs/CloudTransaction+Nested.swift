import CloudAPI
import Foundation
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

  /// The same with all that is nested in those, each once and after what it hangs in.
  package func nestedBranches(below branch: BranchID) throws -> [BranchID] {
    var seen = [branch] as Set
    func below(_ outer: BranchID) throws -> [BranchID] {
      try nestedBranches(in: outer).filter { seen.insert($0).inserted }.flatMap { try [$0] + below($0) }
    }
    return try below(branch)
  }

  /// The branch that a pointer in a shared branch leads to. It is believed to be nested there once its first record says so.
  func nest(_ cloudID: CloudID, firstPermissions first: Hash32, in outer: BranchID) throws -> BranchID {
    guard try hasRoom(below: outer, for: 1, beside: cloudID) else { throw Refusal.tooManyBranches }
    guard let known = try branch(cloudID) else {
      guard try hasRoomToFollow() else { throw Refusal.tooManyBranches }
      return try insertBranch(cloudID, firstPermissions: first, in: outer)
    }
    guard known != outer, try root(of: known)?.trunk == nil else { throw Refusal.branchMismatch }
    guard try firstPermissions(of: known).map({ $0 == first }) ?? true else { throw Refusal.firstRecordWrong }
    // One that hangs elsewhere already and was not made below this one is somebody's way to have it shared with this one.
    if try permissions(of: known) != nil {
      let isNamed = try namedEnclosing(of: known) == self.cloudID(of: outer) || Defence.nestedPlace.isDown
      guard try isNamed && setEnclosing(outer, of: known) else {
        throw Refusal.firstRecordWrong
      }
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

  /// A first record decides where its branch is nested, whatever a pointer said that was read before it: any member of any branch can
  /// hang one to what somebody else has.
  func noteEnclosing(_ first: PermissionsBody, of branch: BranchID) throws {
    if Defect.baitBelieved.isPlanted { return }
    if let outer = try first.enclosing.flatMap({ try self.branch($0.branch) }) {
      try setEnclosing(outer, of: branch)
    } else if !Defence.nestedPlace.isDown {
      try begin(branch, in: nil)
    }
  }

  /// The branch around a branch, by the first of its records.
  func namedEnclosing(of branch: BranchID) throws -> CloudID? {
    let statement = try db.cachedStatement(sql: "SELECT record FROM permissions WHERE branch = ? AND version = 1")
    return try Data.fetchOne(statement, arguments: [branch])
      .map { try PermissionsBody(decoding: SignedRecord(encoded: Array($0)).body) }?.enclosing?.branch
  }

  /// Whether a branch hangs where it is shown: in a trunk, or in the branch that its first record names. What a pointer elsewhere
  /// leads to is where its writer would have it.
  package func hangs(_ branch: BranchID) throws -> Bool { try hangs(branch, besides: nil) }

  /// - Parameter pointer: one that does not count. What hangs at another then is not given up with it, even before its first record is read.
  private func hangs(_ branch: BranchID, besides pointer: NodeID?) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: """
        SELECT 1 FROM nodes n JOIN branches t ON t.id = n.branch JOIN branches b ON b.id = n.pointer
        WHERE n.pointer = ?1 AND n.id IS NOT ?2 AND (t.trunk IS NOT NULL
          OR b.enclosing = t.id AND (?2 IS NOT NULL OR EXISTS (SELECT 1 FROM permissions p WHERE p.branch = b.id))) LIMIT 1
        """)
    return try Int.fetchOne(statement, arguments: [branch, pointer]) != nil
  }

  /// False where it would hang in itself then. Records name each other by their hashes and cannot do that, but of a branch that is not
  /// read here nobody looks the hash up.
  @discardableResult
  private func setEnclosing(_ outer: BranchID, of branch: BranchID) throws -> Bool {
    var seen = [branch] as Set
    var above: BranchID? = outer
    while let here = above {
      guard seen.insert(here).inserted else { return false }
      above = try enclosing(of: here)
    }
    try begin(branch, in: outer)
    return true
  }

  /// In which branch one that is to be made will be nested.
  func begin(_ branch: BranchID, in outer: BranchID?) throws {
    try db.execute(sql: "UPDATE branches SET enclosing = ? WHERE id = ?", arguments: [outer, branch])
  }

  /// Whether there may be one more nested branch here.
  func hasRoomToFollow() throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT count(*) FROM branches WHERE enclosing IS NOT NULL")
    return try Int.fetchOne(statement) ?? 0 < Limits.followedBranches
  }

  /// How many branches hang below each other from one that hangs in a trunk down to this one.
  private func nestedDepth(of branch: BranchID) throws -> Int {
    var depth = 0
    var above: BranchID? = branch
    while let here = above, depth <= Limits.nesting {
      above = try enclosing(of: here)
      depth += 1
    }
    return depth
  }

  /// Whether a branch hangs at another pointer, too: it does not go with this one.
  func hangsElsewhere(_ branch: BranchID, than pointer: NodeID) throws -> Bool {
    try hangs(branch, besides: pointer)
  }

  /// Whether so many more pointers fit in a branch, and a branch below it. The one to `pointed` is not counted: it may be there already.
  func hasRoom(below outer: BranchID, for more: Int, beside pointed: CloudID? = nil) throws -> Bool {
    let count = try Int.fetchOne(
      db,
      sql: """
        SELECT count(*) FROM nodes n JOIN branches b ON b.id = n.pointer WHERE n.branch = ? AND b.cloud_id IS NOT ?
        """, arguments: [outer, pointed])
    return try (count ?? 0) + more <= Limits.nestedBranches && nestedDepth(of: outer) < Limits.nesting
  }
}
