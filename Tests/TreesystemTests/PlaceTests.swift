import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// Where a node is, and what it is called, while something about that is still to be told.
@Suite struct PlaceTests {
  /// The server took the move, and its answer was lost: what somebody did with the node since came after it.
  @Test func aNameThatSomebodyGaveAfterALostAnswerStands() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a/b", to: "list")
    rooms.bob.transport.setFate { $0.path == Route.batch.path ? .replyLost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await rooms.bob.sync() }
    rooms.bob.transport.setFate { _ in .delivered }
    try await rooms.alice.sync()
    try rooms.alice.database.write {
      _ = try $0.move(rooms.find("list/b", $0).id, to: rooms.find("list", $0).id, named: "bagel")
    }
    try await rooms.alice.sync()
    try await rooms.settle()
    try rooms.expectOneTree(["list/a: apple", "list/bagel: bread", "list/bagel/c: cheese"])
  }

  /// A branch that hangs nowhere any more is read for what is queued there. What others write there is theirs, and no fault of theirs.
  @Test func whatOthersWriteInABranchThatWasTakenOffIsNoForgery() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a", to: "other")
    let first = try rooms.bob.database.write { transaction in
      let root = try rooms.find("list", transaction)
      try transaction.delete(try #require(try transaction.pointer(to: root.id)).id)
      return try #require(try transaction.firstPermissions(of: root.branch))
    }
    try rooms.make(rooms.alice, "list/d", "date")
    try await rooms.alice.sync()
    rooms.bob.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await rooms.bob.sync() }
    rooms.bob.transport.setFate { _ in .delivered }
    #expect(try rooms.bob.database.read { try $0.quarantined().map(\.reason) } == [])
    // Where it hangs again it is there whole.
    try await rooms.settle()
    let list = try #require(rooms.branches["list"])
    try rooms.bob.database.write { transaction in
      _ = try transaction.graftNode(
        withLocalPath: Treepath(.home, "list"), remoteCloudID: list, firstPermissions: first)
    }
    try await rooms.settle()
    try rooms.expectOneTree(["list/d: date", "other/a: apple", "other/a/b: bread", "other/a/b/c: cheese"])
  }

  /// Who reads at once that a node was hung below another one, and that this one went, has it elsewhere.
  @Test(arguments: [false, true]) func whatWasHungBelowWhatWentIsGone(_ isMoved: Bool) async throws {
    let rooms = try await Rooms()
    try rooms.make(rooms.alice, "list/d", "date")
    try await rooms.settle()
    try rooms.move(rooms.alice, "list/d", to: "list/a")
    try await rooms.alice.sync()
    if isMoved { try rooms.move(rooms.alice, "list/a", to: "other") } else { try rooms.remove(rooms.alice, "list/a") }
    try await rooms.alice.sync()
    try await rooms.settle()
    let moved = ["other/a: apple", "other/a/b: bread", "other/a/b/c: cheese", "other/a/d: date"]
    try rooms.expectOneTree(isMoved ? moved : [])
  }

  /// The same with a change that was not sent: it stands where it was made.
  @Test func whatWasChangedMeanwhileStays() async throws {
    let rooms = try await Rooms()
    try rooms.make(rooms.alice, "list/d", "date")
    try await rooms.settle()
    try rooms.move(rooms.alice, "list/d", to: "list/a")
    try rooms.write(rooms.bob, "dill", on: "list/d")
    try await rooms.alice.sync()
    try rooms.remove(rooms.alice, "list/a")
    try await rooms.alice.sync()
    try await rooms.settle()
    try rooms.expectOneTree(["list/d: date dill"])
  }

  /// Whoever knows the id of what is on its way to a branch can put something else there before it comes.
  @Test func anIDThatIsTakenOnTheWayIsAnotherNodes() async throws {
    let rooms = try await Rooms()
    let id = try rooms.alice.database.read { try rooms.find("list/a", $0).cloudID }
    try rooms.move(rooms.alice, "list/a", to: "other")
    try rooms.bob.database.write { transaction in
      let node = try transaction.createNode(
        named: "x", in: rooms.find("other", transaction).id, cloudID: try #require(id))
      try Notes().set(["intruder"], node, transaction)
    }
    try await rooms.bob.sync()
    try await rooms.settle()
    try rooms.expectOneTree([
      "other/a: apple", "other/a/b: bread", "other/a/b/c: cheese", "other/x: intruder",
    ])
  }
}
