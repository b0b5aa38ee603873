import CloudAPI
import Foundation
import GRDB
import Signing

/// Where a node went, as a believed tombstone says.
struct Relocation {
  /// The branch that it left.
  let branch: BranchID
  let cloudID: CloudID
  /// Nil where that did not open.
  let destination: CloudID?
}

extension CloudTransaction {
  /// Remembers where a node went. `operation` is the tombstone's where this profile signed it; somebody else's waits until what is
  /// here of the node was dealt with.
  func noteRelocation(_ relocation: Relocation, by operation: OperationID?) throws {
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO relocations (branch, cloud_id, destination, pending, operation) VALUES (?, ?, ?, ?, ?)
        """,
      arguments: [relocation.branch, relocation.cloudID, relocation.destination, operation == nil, operation])
  }

  /// Who signed the tombstone that is a node's last record; nil where that is none.
  func deleter(of node: Node) throws -> Author? {
    let tombstone = try Data.fetchOne(
      db, sql: "SELECT tombstone FROM node_states WHERE branch = ? AND cloud_id = ? AND deleted = 1",
      arguments: [node.branch, node.cloudID])
    return try tombstone.map { try UnverifiedTombstone(SignedRecord(encoded: Array($0))).body.author }
  }

  func pendingRelocations() throws -> [Relocation] {
    try Row.fetchAll(
      db, sql: "SELECT branch, cloud_id, destination FROM relocations WHERE pending = 1 ORDER BY branch, cloud_id"
    ).map { Relocation(branch: $0[0], cloudID: $0[1], destination: $0[2]) }
  }

  /// Whether it is decided at the end of the pull what becomes of a node, because somebody took it to another branch.
  func isRelocating(_ node: Node) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM relocations WHERE branch = ? AND cloud_id = ? AND pending = 1",
      arguments: [node.branch, node.cloudID]) != nil
  }

  func endRelocation(_ relocation: Relocation) throws {
    try db.execute(
      sql: "UPDATE relocations SET pending = 0 WHERE branch = ? AND cloud_id = ?",
      arguments: [relocation.branch, relocation.cloudID])
  }

  /// Whether the branch that a node went to could not be read for a reason that passes: the next sync may tell.
  func isDelayed(_ relocation: Relocation) throws -> Bool {
    guard let branch = try relocation.destination.flatMap({ try branch($0) }) else { return false }
    let trouble = try String.fetchOne(db, sql: "SELECT trouble FROM branches WHERE id = ?", arguments: [branch])
    return trouble.flatMap { Refusal(rawValue: $0) }?.isPassing ?? false
  }

  /// The passage with which a node came to the branch in which it lives now, as far as this user can read and it is proven: it may have
  /// gone on from where it went.
  func destination(of relocation: Relocation) throws -> Passage? {
    var here = relocation.branch
    var passed: Set<BranchID> = [here]
    while let next = try passage(of: relocation.cloudID, from: here), passed.insert(next.branch).inserted {
      guard try isReadable(next.branch), try hasCome(relocation.cloudID, with: next) else { return nil }
      if try isLive(relocation.cloudID, in: next.branch) { return next }
      here = next.branch
    }
    return nil
  }

  private func isReadable(_ branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM branches b WHERE id = ? AND trouble IS NULL
          AND (trunk IS NOT NULL OR EXISTS (SELECT 1 FROM nodes WHERE pointer = b.id))
        """, arguments: [branch]) != nil
  }
}
