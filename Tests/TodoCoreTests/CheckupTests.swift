import CloudAPI
import Foundation
import GRDB
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What 'todo doctor' asks of a profile: each answer must change when what it asks about is spoilt.
struct CheckupTests {
  private func profile(_ seed: String) async throws -> (device: Device, list: TodoList, world: World) {
    let world = try World(seed: seed)
    let alice = try await world.person("alice")
    let list = try alice.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      try transaction.addTodos([Title("milk"), Title("eggs")], to: list.node)
      return list
    }
    _ = try await alice.session.sync()
    return (alice, list, world)
  }

  private func spoil(_ device: Device, _ sql: String) throws {
    try device.database.write { try $0.db.execute(sql: sql) }
  }

  @Test func aHealthyProfileHasNoProblems() async throws {
    let (alice, _, world) = try await profile("checkup-well")
    _ = world
    let (logs, keys, forgotten) = try alice.database.read {
      (try $0.branchesWithBrokenLog(), try $0.keyProblems(), try $0.forgottenNodes())
    }
    #expect(logs.isEmpty && keys.isEmpty && forgotten.isEmpty)
    #expect(try alice.database.write { try $0.nodesWithWrongColumns(mending: false) }.isEmpty)
    #expect(try alice.database.read { try $0.danglingRows() } == 0)
    #expect(try alice.database.read { try $0.schemaVersions() }.first == "treesystem-1")
    #expect(try alice.database.integrityProblems().isEmpty)
  }

  @Test(arguments: [
    "UPDATE lines SET hash = zeroblob(32) WHERE branch = $1 AND number = 2",
    "UPDATE lines SET kind = 2 WHERE branch = $1 AND number = 2",
    "DELETE FROM lines WHERE branch = $1 AND number = 2",
    "DELETE FROM lines WHERE branch = $1 AND number = (SELECT max(number) FROM lines WHERE branch = $1)",
    "UPDATE branches SET log_hash = zeroblob(32) WHERE id = $1",
    "UPDATE node_states SET header = zeroblob(200) WHERE branch = $1",
    "UPDATE permissions SET record = zeroblob(200) WHERE branch = $1",
  ])
  func whateverIsChangedInALogIsFound(_ sql: String) async throws {
    let (alice, list, world) = try await profile("checkup-log")
    _ = world
    try spoil(alice, sql.replacing("$1", with: "\(list.branch.rawValue)"))
    #expect(try alice.database.read { try $0.branchesWithBrokenLog() } == [list.branch])
  }

  /// Whatever is lost or spoilt of a branch is found, and a second reading makes it good without touching what waits.
  @Test(arguments: [
    "DELETE FROM node_states WHERE branch = $1 AND parent IS NOT NULL",
    "UPDATE node_states SET header = zeroblob(200) WHERE branch = $1",
    "UPDATE lines SET hash = zeroblob(32) WHERE branch = $1 AND number = 2",
    "UPDATE lines SET log_hash = zeroblob(32) WHERE branch = $1 AND number = 2",
    "DELETE FROM lines WHERE branch = $1 AND number = 2",
    "DELETE FROM lines WHERE branch = $1",
    "UPDATE branches SET log_hash = zeroblob(32) WHERE id = $1",
    "UPDATE permissions SET record = zeroblob(200) WHERE branch = $1",
    """
      INSERT INTO quarantine (branch, line, cloud_id, reason, since, row)
      SELECT branch, number, cloud_id, 'signature-bad', 1, x'' FROM lines WHERE branch = $1 AND kind = 1
      ORDER BY number DESC LIMIT 1;
      DELETE FROM node_states WHERE branch = $1 AND line = (SELECT max(line) FROM quarantine WHERE branch = $1)
    """,
  ])
  func whatIsSpoiltIsMendedByReadingItAgain(_ sql: String) async throws {
    let (alice, list, world) = try await profile("checkup-again")
    _ = world
    #expect(try alice.database.read { try $0.branchesToReadAgain() }.isEmpty)
    try alice.database.write { _ = try $0.addTodos([Title("unsent")], to: list.node) }
    try spoil(alice, sql.replacing("$1", with: "\(list.branch.rawValue)"))
    #expect(try alice.database.read { try $0.branchesToReadAgain() } == [list.branch])
    try await alice.session.repull(list.branch)
    #expect(try alice.database.read { try $0.branchesToReadAgain() }.isEmpty)
    #expect(try alice.database.read { try $0.pendingOperationCount() } == 1)
    #expect(try await alice.session.sync().sent == 1)
    #expect(try alice.database.read { try $0.forgottenNodes() }.isEmpty)
    #expect(try alice.database.read { try $0.todos(in: list.node, .open).map(\.title) } == ["milk", "eggs", "unsent"])
  }

  /// A log is not written anew from a server that tells another past than the one that was read.
  @Test func aLogForWhichNothingVouchesStays() async throws {
    let (alice, list, world) = try await profile("checkup-fork")
    _ = world
    try spoil(alice, "UPDATE lines SET log_hash = zeroblob(32) WHERE branch = \(list.branch.rawValue)")
    try spoil(alice, "UPDATE branches SET log_hash = zeroblob(32) WHERE id = \(list.branch.rawValue)")
    await #expect(throws: Refusal.fork) { try await alice.session.repull(list.branch) }
    #expect(try alice.database.read { try $0.branchesWithBrokenLog() } == [list.branch])
  }

  @Test func aKeyThatIsMissingOrAnotherIsFound() async throws {
    let (alice, list, world) = try await profile("checkup-keys")
    _ = world
    try spoil(alice, "UPDATE branch_keys SET key = zeroblob(32) WHERE branch = \(list.branch.rawValue)")
    #expect(try alice.database.read { try $0.keyProblems() } == [.branchKey(list.branch, epoch: 1)])
    try spoil(alice, "DELETE FROM branch_keys WHERE branch = \(list.branch.rawValue)")
    #expect(try alice.database.read { try $0.keyProblems() } == [.branchKey(list.branch, epoch: 1)])
    try spoil(alice, "DELETE FROM user_keys")
    #expect(try alice.database.read { try $0.keyProblems() }.contains(.userKey(generation: 1)))
    try spoil(alice, "UPDATE account SET box_secret = sign_seed")
    #expect(try alice.database.read { try $0.keyProblems() }.contains(.deviceInactive))
  }

  @Test func whatNothingWouldSendIsFoundAndSent() async throws {
    let (alice, list, world) = try await profile("checkup-queue")
    _ = world
    let bread = try alice.database.write { try $0.addTodos([Title("bread")], to: list.node)[0] }
    try spoil(alice, "DELETE FROM operations")
    #expect(try alice.database.read { try $0.forgottenNodes() } == [bread.node])
    try alice.database.write { try $0.queueDataUpload(forNodeID: bread.node) }
    #expect(try await alice.session.sync().sent == 1)
  }

  @Test func columnsAreComputedAgainFromTheirDocuments() async throws {
    let (alice, list, world) = try await profile("checkup-columns")
    _ = world
    try spoil(alice, "UPDATE todos SET title = 'wrong', state = 'done', done_at = 1 WHERE title = 'milk'")
    try spoil(alice, "UPDATE lists SET title = 'wrong'")
    let found = try alice.database.write { try $0.nodesWithWrongColumns(mending: false) }
    #expect(found.count == 2)
    #expect(try alice.database.read { try $0.lists().map(\.title) } == ["wrong"])
    #expect(try alice.database.write { try $0.nodesWithWrongColumns(mending: true) } == found)
    #expect(try alice.database.write { try $0.nodesWithWrongColumns(mending: false) }.isEmpty)
    #expect(try alice.database.read { try $0.todos(in: list.node, .open).map(\.title) } == ["milk", "eggs"])
  }

  @Test func whatWaitsForARefusedChangeSaysSo() async throws {
    let (alice, list, world) = try await profile("checkup-obstacle")
    _ = world
    try alice.database.write { try $0.addTodos([Title("bread"), Title("salt")], to: list.node) }
    let operations = try alice.database.read { try $0.operations() }
    try alice.database.write { transaction in
      try transaction.addDependencies(
        [CloudOperation(sequence: operations[0].sequence)], to: CloudOperation(sequence: operations[1].sequence))
      try transaction.db.execute(
        sql: "UPDATE operations SET state = 'refused', reason = 'letter-missing' WHERE sequence = ?",
        arguments: [operations[0].sequence])
    }
    let obstacles = try alice.database.read { transaction in
      try transaction.operations().map { try transaction.obstacle(to: $0) }
    }
    #expect(obstacles == [nil, .refused(operations[0].sequence)])
    try spoil(alice, "UPDATE operations SET state = 'pending', reason = NULL")
    try spoil(alice, "UPDATE branches SET trouble = 'fork', trouble_since = 1 WHERE id = \(list.branch.rawValue)")
    let obstacle = try alice.database.read { try $0.obstacle(to: $0.operations()[0]) }
    #expect(obstacle == .unreadable(.fork))
  }
}
