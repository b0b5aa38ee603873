import CloudAPI
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// A move that cannot be, or that is given up, leaves what was moved in one place, with every word.
@Suite struct MoveGivenUpTests {
  private static let inList = ["list/a: apple", "list/a/b: bread", "list/a/b/c: cheese"]
  private static let inOther = ["other/a: apple", "other/a/b: bread", "other/a/b/c: cheese"]

  @Test func whoMayNotTakeItAwayAnyMoreCanGiveItUp() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a", to: "other")
    try await rooms.make(rooms.bob, .viewer, in: "list")
    try await rooms.bob.sync()
    try rooms.bob.database.write { transaction in
      for operation in try transaction.operations() where operation.state == .refused {
        try transaction.discardOperation(operation.sequence)
      }
    }
    try await rooms.settle()
    try rooms.expectOneTree(Self.inList)
  }

  @Test func whatIsDiscardedBeforeItWasSentIsHome() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a", to: "other")
    try discardAll(rooms.bob)
    #expect(try rooms.tree(rooms.bob) == Self.inList.sorted())
    #expect(try rooms.bob.unsent() == 0)
    try await rooms.settle()
    try rooms.expectOneTree(Self.inList)
    // Nothing of it stays behind: the next move goes through.
    try rooms.move(rooms.alice, "list/a", to: "other")
    try await rooms.settle()
    try rooms.expectOneTree(Self.inOther)
  }

  /// What was sent of it before it went stays, whatever others wrote meanwhile.
  @Test func whatIsUnderWayStaysWhenTheMoveIsGivenUp() async throws {
    let rooms = try await Rooms()
    try rooms.write(rooms.bob, "sent", on: "list/a")
    rooms.bob.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await rooms.bob.sync() }
    rooms.bob.transport.setFate { _ in .delivered }
    try rooms.move(rooms.bob, "list/a", to: "other")
    try rooms.bob.database.write { transaction in
      for operation in try transaction.operations() where operation.state == .pending {
        try? transaction.discardOperation(operation.sequence)
      }
    }
    try rooms.write(rooms.alice, "alice", on: "list/a")
    try await rooms.alice.sync()
    try await rooms.settle()
    try rooms.expectOneTree(["list/a: alice apple sent", "list/a/b: bread", "list/a/b/c: cheese"])
  }

  /// The place that it goes to is deleted by somebody who has not seen it come: it brings its place back.
  @Test func aPlaceThatIsDeletedMeanwhileComesBack() async throws {
    let rooms = try await Rooms()
    try rooms.make(rooms.alice, "other/x", "box")
    try await rooms.settle()
    try rooms.move(rooms.alice, "list/a", to: "other/x")
    try rooms.remove(rooms.bob, "other/x")
    try await rooms.bob.sync()
    try await rooms.settle()
    try rooms.expectOneTree([
      "other/x: box", "other/x/a: apple", "other/x/a/b: bread", "other/x/a/b/c: cheese",
    ])
  }

  /// It goes with the place that it was taken to, and that is given up: it is where it was again.
  @Test func aPlaceThatIsDeletedAndComesBackBringsBackWhatWasTakenThere() async throws {
    let rooms = try await Rooms()
    try rooms.make(rooms.alice, "other/x", "box")
    try await rooms.settle()
    try rooms.move(rooms.bob, "list/a", to: "other/x")
    try rooms.write(rooms.bob, "bob", on: "other/x/a/b")
    try rooms.remove(rooms.bob, "other/x")
    #expect(try rooms.tree(rooms.bob).isEmpty)
    try rooms.bob.database.write { transaction in
      for operation in try transaction.operations() where operation.kind == .delete {
        try transaction.discardOperation(operation.sequence)
      }
    }
    try await rooms.settle()
    try rooms.expectOneTree(["list/a: apple", "list/a/b: bob bread", "list/a/b/c: cheese", "other/x: box"])
  }

  /// By somebody who has seen the copy there and the original where it was: a deletion takes one of the two.
  @Test func aPlaceThatIsDeletedWithTheCopySendsItHome() async throws {
    let rooms = try await Rooms()
    try rooms.make(rooms.alice, "other/x", "box")
    try await rooms.settle()
    try rooms.move(rooms.alice, "list/a", to: "other/x")
    rooms.alice.transport.loseTombstones()
    await #expect(throws: CloudFailure.unreachable) { try await rooms.alice.sync() }
    try await rooms.bob.sync()
    try rooms.remove(rooms.bob, "other/x")
    try await rooms.bob.sync()
    rooms.alice.transport.setFate { _ in .delivered }
    try await rooms.settle()
    try rooms.expectOneTree(Self.inList)
  }

  /// What was sent there on the first way arrives, whatever became of the node since.
  @Test func whoTakesItToAndFroLeavesNothingBehind() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.alice, "list/a", to: "other")
    rooms.alice.transport.setFate { $0.path == Route.batch.path ? .replyLost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await rooms.alice.sync() }
    try rooms.move(rooms.alice, "other/a", to: "list")
    try rooms.move(rooms.alice, "list/a", to: "other")
    try rooms.move(rooms.alice, "other/a", to: "list")
    rooms.alice.transport.setFate { _ in .delivered }
    try await rooms.settle()
    try rooms.expectOneTree(Self.inList)
  }

  @Test func whoMayNotWriteThereAnyMoreTakesItBack() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a", to: "other")
    try rooms.write(rooms.bob, "bob", on: "other/a/b")
    try await rooms.make(rooms.bob, .viewer, in: "other")
    let report = try await rooms.bob.sync()
    // What is below waits for it.
    #expect(report.refused == 1)
    #expect(try rooms.tree(rooms.alice) == Self.inList.sorted())
    try discardAll(rooms.bob)
    try await rooms.settle()
    try rooms.expectOneTree(Self.inList)
  }

  @Test func whoMayWriteThereAgainHasMovedIt() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a", to: "other")
    try rooms.write(rooms.bob, "bob", on: "other/a/b")
    try await rooms.make(rooms.bob, .viewer, in: "other")
    try await rooms.bob.sync()
    try rooms.write(rooms.alice, "alice", on: "list/a/b/c")
    try await rooms.alice.sync()
    try await rooms.make(rooms.bob, .editor, in: "other")
    try await rooms.settle()
    try rooms.expectOneTree(["other/a: apple", "other/a/b: bob bread", "other/a/b/c: alice cheese"])
  }

  /// Both stay for now; whoever may take it away again, does.
  @Test func whoMayNotTakeItAwayAnyMoreLeavesTwo() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a", to: "other")
    try await rooms.make(rooms.bob, .viewer, in: "list")
    let report = try await rooms.bob.sync()
    #expect(report.refused == 1)
    try await rooms.alice.sync()
    #expect(try rooms.tree(rooms.alice) == (Self.inList + Self.inOther).sorted())
    try await rooms.make(rooms.bob, .editor, in: "list")
    try await rooms.settle()
    try rooms.expectOneTree(Self.inOther)
  }

  /// The last place stands, and everything that both wrote is there.
  @Test func ofTwoWhoTakeItToDifferentPlacesTheLastIsHeard() async throws {
    let rooms = try await Rooms()
    try rooms.make(rooms.alice, "other/x", "box")
    try await rooms.settle()
    try rooms.move(rooms.alice, "list/a", to: "other/x")
    try rooms.write(rooms.alice, "alice", on: "other/x/a/b")
    try rooms.move(rooms.bob, "list/a", to: "other")
    try rooms.write(rooms.bob, "bob", on: "other/a/b/c")
    try rooms.make(rooms.bob, "other/a/new", "new")
    try await rooms.alice.sync()
    try await rooms.settle()
    try rooms.expectOneTree([
      "other/x: box", "other/a: apple", "other/a/b: alice bread", "other/a/b/c: bob cheese", "other/a/new: new",
    ])
  }

  private func discardAll(_ device: Device) throws {
    try device.database.write { transaction in
      for _ in 0..<10 {
        guard let next = try transaction.operations().first else { return }
        try transaction.discardOperation(next.sequence)
      }
    }
  }
}

extension Rooms {
  /// Alice says what bob may do in a branch.
  fileprivate func make(_ bob: Device, _ role: Role, in branch: String) async throws {
    let user = try bob.database.read { try $0.requireAccount().user }
    try alice.database.write { transaction in
      try transaction.recursiveAddShareItem(
        ShareItem(role: role), forUserID: user, nodeID: find(branch, transaction).id)
    }
    try await alice.sync()
  }
}

extension InProcessTransport {
  /// Batches that hold a tombstone do not arrive.
  func loseTombstones() {
    setFate { request in
      let batch = request.path == Route.batch.path ? try? decode(WireBatch.self, request.body) : nil
      let deletes = batch?.operations.contains { if case .delete = $0.change { true } else { false } } ?? false
      return deletes ? .lost : .delivered
    }
  }
}
