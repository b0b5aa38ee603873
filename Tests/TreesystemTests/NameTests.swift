import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sharing
import Testing
import TreeSupport

@testable import Treesystem

/// Two children of one parent cannot have one name: the second to be accepted takes the next free one.
@Suite struct NameTests {
  @Test func theSecondOfANameTakesTheNextFreeOne() async throws {
    let trio = try await Trio("a")
    for device in trio.all { try device.make("a/same", device === trio.bob ? "bob" : "alice") }
    try await trio.settle()
    try trio.expectOneTree()
    #expect(try trio.alice.tree().map { $0.prefix { $0 != ":" } } == ["a/same (2)", "a/same (3)", "a/same", "a"])
  }

  @Test func aFreeNameIsFreeForTheServerToo() async throws {
    let trio = try await Trio("a", "a/same (2)")
    try trio.alice.make("a/same", "alice")
    try trio.bob.make("a/same", "bob")
    try await trio.alice.sync()
    try await trio.settle()
    try trio.expectOneTree(["a/same (2): first", "a/same (3): bob", "a/same: alice", "a: first"].sorted())
  }

  /// What hangs below the one that gives way goes with it.
  @Test func childrenKeepTheirParent() async throws {
    let trio = try await Trio("a")
    try trio.bob.make("a/same", "bob")
    try trio.bob.make("a/same/child", "bob")
    try trio.alice.make("a/same", "alice")
    try await trio.alice.sync()
    try await trio.settle()
    try trio.expectOneTree(["a/same (2)/child: bob", "a/same (2): bob", "a/same: alice", "a: first"].sorted())
  }

  /// The server says so: what has the name is not read before the push.
  @Test func aNameThatIsTakenMeanwhileIsGivenUp() async throws {
    let trio = try await Trio("a")
    try trio.alice.make("a/same", "alice")
    try trio.bob.make("a/same", "bob")
    let once = Locked(false)
    let requests = try await requests(of: trio.bob)
    let cloud = trio.world.cloud
    trio.alice.transport.setTamper { request, response in
      if request.path == Route.heads.path,
        !once.with({
          let was = $0
          $0 = true
          return was
        })
      {
        for request in requests { _ = cloud.handle(request) }
      }
      return response
    }
    try await trio.alice.sync()
    #expect(try trio.alice.tree() == ["a/same (2): alice", "a/same: bob", "a: first"].sorted())
    try await trio.settle()
    try trio.expectOneTree(["a/same (2): alice", "a/same: bob", "a: first"].sorted())
  }

  private func requests(of bob: Device) async throws -> [CloudRequest] {
    bob.transport.clearTraffic()
    bob.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    bob.transport.setFate { _ in .delivered }
    return bob.transport.traffic.with { $0 }.map(\.request).filter { $0.path == Route.batch.path }
  }

  /// Somebody gives a node another name key while a child of it, sealed with the one before, is on its way.
  @Test func aChildThatIsOnItsWayIsPutAgainForAnotherNameKey() async throws {
    let rooms = try await Rooms()
    try rooms.make(rooms.alice, "list/a/new", "new")
    rooms.alice.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await rooms.alice.sync() }
    rooms.alice.transport.setFate { _ in .delivered }
    try rooms.bob.database.write { transaction in
      let node = try rooms.find("list/a", transaction)
      try transaction.db.cachedStatement(sql: "UPDATE nodes SET name_key = ? WHERE id = ?").execute(
        arguments: [Data(repeating: 7, count: 32), node.id])
    }
    // With its name a node's keys are sealed anew.
    try rooms.bob.database.write { transaction in
      _ = try transaction.move(rooms.find("list/a", transaction).id, to: rooms.find("list", transaction).id, named: "z")
    }
    try await rooms.bob.sync()
    try await rooms.alice.sync()
    try await rooms.settle()
    try rooms.expectOneTree([
      "list/z/b/c: cheese", "list/z/b: bread", "list/z/new: new", "list/z: apple",
    ])
  }

  /// A name that was deleted is free at once, also where both are read together.
  @Test func aNameIsFreeAgainAfterADeletion() async throws {
    let trio = try await Trio("a", "a/same")
    try trio.bob.remove("a/same")
    try trio.bob.make("a/same", "anew")
    try await trio.bob.sync()
    try await trio.settle()
    try trio.expectOneTree(["a/same: anew", "a: first"].sorted())
  }

  /// The deletion waits until what was taken out of the subtree hangs elsewhere, and cannot free a name for that.
  @Test func aNameOfWhatWaitsForTheNodeItselfIsNotWaitedFor() async throws {
    let trio = try await Trio("a", "a/b")
    try trio.alice.database.write { transaction in
      let root = try trio.alice.root(transaction)
      let node = try trio.alice.find("a/b", transaction)
      try transaction.move(node.id, to: root.id)
      try transaction.delete(trio.alice.find("a", transaction).id)
      try transaction.move(node.id, to: root.id, named: "a")
    }
    try await trio.settle()
    try trio.expectOneTree(["a (2): first"])
  }
}
