import CloudServer
import Foundation
import GRDB
import Sharing
import Signing
import Testing
import TreeSupport

@testable import CloudAPI
@testable import Treesystem

/// Pointers crowd in one branch, or hang one below the other, for as long as anybody likes to write them: what is too much waits, and is
/// followed once there is room.
@Suite struct NestedLimitTests: Nesting {
  let rooms: Rooms

  init() async throws { rooms = try await Rooms() }

  private func run(_ sql: String, _ arguments: StatementArguments, _ transaction: CloudTransaction) throws {
    try transaction.db.makeStatement(sql: sql).execute(arguments: arguments)
  }

  /// Alice has so many pointers in the list, all to branches that nobody else has heard of.
  private func crowd(_ count: Int, _ transaction: CloudTransaction) throws {
    let outer = try root(list, transaction)
    try run(
      """
      WITH RECURSIVE counter (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counter WHERE number < ?)
      INSERT INTO branches (cloud_id, enclosing) SELECT randomblob(16), ? FROM counter
      """, [count, outer.branch], transaction)
    try run(
      """
      INSERT INTO nodes (branch, parent, cloud_id, name, pointer)
        SELECT ?, ?, randomblob(16), 'crowd-' || id, id FROM branches ORDER BY id DESC LIMIT ?
      """, [outer.branch, outer.id, count], transaction)
  }

  private func waiting() throws -> [Refusal] { try alice.database.read { try $0.quarantined().map(\.reason) } }

  /// The last for which there is room is followed, and the next one is not.
  @Test(arguments: [Limits.nestedBranches - 1, Limits.nestedBranches]) func aBranchHasSoManyPointers(
    _ count: Int
  ) async throws {
    let shed = try nest(bob)
    try await bob.sync()
    try alice.database.write { try crowd(count, $0) }
    try await alice.sync()
    let isFull = count == Limits.nestedBranches
    #expect(try waiting() == (isFull ? [.tooManyBranches] : []))
    #expect(try words(alice, shed) == (isFull ? nil : ["tool: saw"]))
    try alice.database.write { transaction in
      let name = try pointer(list, transaction).name
      #expect(throws: TreeError.parentInvalid) {
        try transaction.createBranch(withPath: Treepath(.home, name, "more"))
      }
      try run("DELETE FROM nodes WHERE name LIKE 'crowd-%'", [], transaction)
    }
    try await alice.sync()
    #expect(try waiting().isEmpty && words(alice, shed) == ["tool: saw"])
  }

  /// The list is the first level: what hangs at the end of too long a row is not followed.
  @Test(arguments: [Limits.nesting - 2, Limits.nesting - 1]) func aRowOfPointersHasAnEnd(_ above: Int) async throws {
    let shed = try nest(bob)
    try await bob.sync()
    // For alice the list hangs so far below.
    let top = try alice.database.write { transaction -> BranchID in
      var outer = try transaction.insertBranch(.random(SystemEntropy()), firstPermissions: nil, in: nil)
      let top = outer
      for _ in 1..<above {
        outer = try transaction.insertBranch(.random(SystemEntropy()), firstPermissions: nil, in: outer)
      }
      try run("UPDATE branches SET enclosing = ? WHERE cloud_id = ?", [outer, list], transaction)
      return top
    }
    try await alice.sync()
    let isFull = above == Limits.nesting - 1
    #expect(try waiting() == (isFull ? [.tooManyBranches] : []))
    #expect(try words(alice, shed) == (isFull ? nil : ["tool: saw"]))
    try alice.database.write { transaction in
      try run("UPDATE branches SET enclosing = NULL WHERE cloud_id = ?", [list], transaction)
      try run("DELETE FROM branches WHERE id >= ? AND cloud_id <> ?", [top, shed], transaction)
    }
    try await alice.sync()
    #expect(try waiting().isEmpty && words(alice, shed) == ["tool: saw"])
  }
}
