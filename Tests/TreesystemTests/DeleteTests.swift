import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sharing
import Testing
import TreeSupport

@testable import Treesystem

/// Nobody deletes what they have not seen, and nothing that was written is lost by somebody else's deletion.
@Suite struct DeleteTests {
  @Test func whatNobodyChangedIsDeletedForAll() async throws {
    let trio = try await Trio("a", "a/b", "a/b/c", "d")
    try trio.bob.remove("a")
    try await trio.settle()
    try trio.expectOneTree(["d: first"])
    #expect(try trio.bob.database.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM removed") } == 0)
  }

  @Test(arguments: ["a", "a/b", "a/b/c"])
  func anEditThatTheDeleterHadNotSeenBringsAllOfItBack(_ edited: String) async throws {
    let trio = try await Trio("a", "a/b", "a/b/c", "a/e", "d")
    try trio.alice.remove("a")
    #expect(try trio.alice.tree() == ["d: first"])
    try trio.bob.write("unseen", on: edited)
    try await trio.bob.sync()
    try await trio.settle()
    let end = ["a", "a/b", "a/b/c", "a/e", "d"].map { $0 == edited ? "\($0): first unseen" : "\($0): first" }
    try trio.expectOneTree(end.sorted())
  }

  @Test func tagsComeBackWithTheirNode() async throws {
    let trio = try await Trio("a", "a/b")
    try trio.alice.database.write { transaction in
      try transaction.setTag([4, 7], forNodeID: trio.alice.find("a/b", transaction).id, withIdentifier: "colour")
    }
    try trio.alice.remove("a")
    try trio.bob.write("unseen", on: "a")
    try await trio.bob.sync()
    try await trio.settle()
    let tag = try trio.alice.database.read { transaction in
      try transaction.tag(forNodeID: trio.alice.find("a/b", transaction).id, withIdentifier: "colour")
    }
    #expect(tag == [4, 7])
  }

  /// The server is the one who says so: the deletion is sent before the edit is read.
  @Test func aDeletionThatConflictsIsWithdrawn() async throws {
    let trio = try await Trio("a", "a/b")
    try trio.alice.remove("a")
    try trio.bob.make("a/new", "unseen")
    let cloud = trio.world.cloud
    let done = Locked(false)
    // Bob's edit arrives while alice's deletion is on its way.
    let operations = try await sealedByBob(trio.bob)
    trio.alice.transport.setTamper { request, response in
      if request.path == Route.heads.path,
        !done.with({
          let was = $0
          $0 = true
          return was
        })
      {
        for request in operations { _ = cloud.handle(request) }
      }
      return response
    }
    try await trio.alice.sync()
    #expect(try trio.alice.tree() == ["a/b: first", "a/new: unseen", "a: first"].sorted())
    trio.alice.transport.setTamper { _, response in response }
    try await trio.settle()
    try trio.expectOneTree(["a/b: first", "a/new: unseen", "a: first"].sorted())
  }

  /// The requests of bob's next push, which do not reach the server.
  private func sealedByBob(_ bob: Device) async throws -> [CloudRequest] {
    bob.transport.clearTraffic()
    bob.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    bob.transport.setFate { _ in .delivered }
    return bob.transport.traffic.with { $0 }.map(\.request).filter { $0.path == Route.batch.path }
  }

  @Test func whatBothDeleteIsDeleted() async throws {
    let trio = try await Trio("a", "a/b", "a/b/c", "d")
    try trio.alice.write("unsent", on: "a/b")
    try trio.alice.remove("a")
    try trio.bob.remove("a/b")
    try trio.laptop.remove("a")
    try await trio.bob.sync()
    try await trio.settle()
    try trio.expectOneTree(["d: first"])
  }

  /// One's own change whose answer was lost is nothing that one had not seen.
  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func aDeletionAfterOnesOwnEditGoesThrough(_ fate: InProcessTransport.Fate) async throws {
    let trio = try await Trio("a", "a/b", "d")
    try trio.alice.write("mine", on: "a/b")
    try trio.alice.make("a/new", "mine")
    trio.alice.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await trio.alice.sync() }
    trio.alice.transport.setFate { _ in .delivered }
    try trio.alice.remove("a")
    try trio.bob.write("elsewhere", on: "d")
    try await trio.bob.sync()
    try await trio.settle()
    try trio.expectOneTree(["d: elsewhere first"])
  }

  /// What was written before the deletion and never sent comes back with the rest.
  @Test func unsentWordsComeBackWithTheDeletion() async throws {
    let trio = try await Trio("a", "a/b", "a/c")
    try trio.alice.write("mine", on: "a/b")
    try trio.alice.remove("a")
    try trio.bob.write("unseen", on: "a/c")
    try await trio.bob.sync()
    try await trio.settle()
    try trio.expectOneTree(["a/b: first mine", "a/c: first unseen", "a: first"].sorted())
  }

  /// A deletion above another: both come back for an edit in the inner one.
  @Test func anEditBelowTwoDeletionsBringsBothBack() async throws {
    let trio = try await Trio("a", "a/b", "a/b/c", "a/d")
    try trio.alice.remove("a/b")
    try trio.alice.remove("a")
    try trio.bob.write("unseen", on: "a/b/c")
    try await trio.bob.sync()
    try await trio.settle()
    try trio.expectOneTree(["a/b/c: first unseen", "a/b: first", "a/d: first", "a: first"].sorted())
  }

  @Test func aDiscardedDeletionIsTakenBackAtOnce() async throws {
    let trio = try await Trio("a", "a/b")
    try trio.alice.remove("a")
    try trio.alice.database.write { transaction in
      try transaction.discardOperation(transaction.operations()[0].sequence)
    }
    #expect(try trio.alice.tree() == ["a/b: first", "a: first"].sorted())
    try await trio.settle()
    try trio.expectOneTree(["a/b: first", "a: first"].sorted())
  }
}

/// What was written and not confirmed outlives a deletion by others.
@Suite struct RecreationTests {
  @Test func whatIsDirtyBelowADeletionIsPutAgainWithItsPath() async throws {
    let trio = try await Trio("a", "a/b", "a/b/c", "a/clean", "a/b/clean", "d")
    try trio.laptop.write("unsent", on: "a/b/c")
    try trio.bob.remove("a")
    try await trio.bob.sync()
    try await trio.settle()
    try trio.expectOneTree(["a/b/c: first unsent", "a/b: first", "a: first", "d: first"].sorted())
    // What went stays gone, and what came back goes on as ever.
    try trio.alice.write("later", on: "a/b/c")
    try trio.bob.make("a/clean", "anew")
    try await trio.settle()
    try trio.expectOneTree(
      ["a/b/c: first later unsent", "a/b: first", "a/clean: anew", "a: first", "d: first"].sorted())
  }

  /// Who reads all of it at once, or for the first time, has what those have who saw every step.
  @Test func whoWasAwaySeesTheSame() async throws {
    let trio = try await Trio("a", "a/b", "a/b/c", "a/clean", "a/clean/x", "d")
    try trio.laptop.write("unsent", on: "a/b")
    try trio.bob.remove("a")
    try await trio.bob.sync()
    for _ in 0..<3 { try await trio.laptop.sync() }
    try await trio.bob.sync()
    try await trio.alice.sync()
    try trio.expectOneTree(["a/b: first unsent", "a: first", "d: first"].sorted())
    let phone = try trio.world.notebook("phone")
    try await phone.session.logIn(
      root: try #require(try trio.bob.database.read { try $0.root() }), handle: "bob", server: "test")
    try await phone.sync()
    #expect(try phone.tree() == trio.bob.tree())
    #expect(try phone.nodes() == trio.liveNodes())
  }

  /// Deleted, put again, deleted again and put again, by different people.
  @Test func aNodeHasManyLives() async throws {
    let trio = try await Trio("a", "a/b", "a/b/c")
    for (number, writer) in [trio.alice, trio.laptop, trio.bob, trio.alice].enumerated() {
      let deleter = writer === trio.bob ? trio.alice : trio.bob
      try writer.write("life\(number)", on: "a/b/c")
      try deleter.remove(number.isMultiple(of: 2) ? "a" : "a/b")
      try await deleter.sync()
      try await trio.settle()
      try trio.expectOneTree(nil, "life \(number)")
      #expect(try trio.bob.tree().contains { $0.hasPrefix("a/b/c") && $0.contains("life\(number)") })
    }
  }

  /// Somebody deletes a node, and then what it hung below, before they have read their own first deletion; it comes back elsewhere,
  /// and goes again. Who reads all that at once does not take the second deletion for one that had not seen the node.
  @Test func whatWentBeforeItsParentDoesNotKeepIt() async throws {
    let rooms = try await Rooms()
    let phone = try rooms.world.notebook("phone")
    let root = try #require(try rooms.bob.database.read { try $0.root() })
    try await phone.session.logIn(root: root, handle: "bob", server: "test")
    try await phone.sync()
    #expect(try rooms.tree(phone) == rooms.tree(rooms.bob))
    try rooms.remove(rooms.bob, "list/a/b")
    try rooms.remove(rooms.bob, "list/a")
    try rooms.move(rooms.alice, "list/a/b", to: "list")
    try await rooms.bob.sync()
    try await rooms.settle()
    try rooms.expectOneTree(["list/b: bread"])
    try rooms.remove(rooms.alice, "list/b")
    try await rooms.settle()
    try rooms.expectOneTree([])
    for _ in 0..<2 { try await phone.sync() }
    #expect(try rooms.tree(phone) == [])
    #expect(try phone.database.read { try $0.quarantined().map(\.reason) } == [])
  }

  /// Below what was deleted somebody makes something new: it has a place again.
  @Test func aNewNodeBelowADeletionBringsItsPathBack() async throws {
    let trio = try await Trio("a", "a/b")
    try trio.laptop.make("a/b/new", "unsent")
    try trio.bob.remove("a")
    try await trio.bob.sync()
    try await trio.settle()
    try trio.expectOneTree(["a/b/new: unsent", "a/b: first", "a: first"].sorted())
  }

  /// Whoever puts a node again has not read all that was written on it before. Who had read that forgets it, so that everybody
  /// has the same; and nobody who read both at once sends what nobody asked for.
  @Test func whoReadADeletionAndTheReturnAtOnceHasWhatReturned() async throws {
    let trio = try await Trio("a")
    try trio.bob.write("bob", on: "a")
    try await trio.bob.sync()
    try await trio.laptop.sync()
    try trio.bob.remove("a")
    try await trio.bob.sync()
    try trio.alice.write("alice", on: "a")
    try await trio.alice.sync()
    #expect(try await trio.laptop.sync().sent == 0)
    #expect(try trio.laptop.tree() == ["a: alice first"])
    try await trio.settle()
    try trio.expectOneTree(["a: alice first"])
  }

  /// A deletion that its author decided while the other's edit had been sent already: the edit wins by the server's word.
  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func anEditUnderWayOutlivesADeletion(_ fate: InProcessTransport.Fate) async throws {
    let trio = try await Trio("a", "a/b")
    try trio.laptop.write("under-way", on: "a/b")
    trio.laptop.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await trio.laptop.sync() }
    trio.laptop.transport.setFate { _ in .delivered }
    try trio.bob.remove("a")
    try await trio.bob.sync()
    try await trio.settle()
    try trio.expectOneTree(["a/b: first under-way", "a: first"].sorted())
  }
}
