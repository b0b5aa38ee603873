import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// A node that arrives where its own deletion waits is there, and nothing waits for itself.
@Suite struct ArrivalTests {
  @Test func aNodeArrivesWhereItsDeletionWaits() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a", to: "other")
    try await rooms.bob.sync()
    try rooms.write(rooms.alice, "avocado", on: "list/a")
    try rooms.remove(rooms.alice, "list/a")
    try await rooms.alice.syncWithout(rooms.branches["list"])
    // She has not read that it left: to her it is on both.
    try rooms.move(rooms.alice, "other/a", to: "list")
    #expect(try rooms.alice.database.read { try $0.waitingInCircles() }.isEmpty)
    try await rooms.settle()
    let tree = try rooms.tree(rooms.alice)
    #expect(tree.contains { $0.hasPrefix("list/a: apple") })
    try rooms.expectOneTree(tree)
  }

  @Test func aDeletionAboveWaitsForWhatLeavesIt() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a/b", to: "other")
    try await rooms.bob.sync()
    try rooms.remove(rooms.alice, "list/a")
    try await rooms.alice.syncWithout(rooms.branches["list"])
    try rooms.move(rooms.alice, "other/b", to: "list")
    #expect(try rooms.alice.database.read { try $0.waitingInCircles() }.isEmpty)
    try await rooms.settle()
    try rooms.expectOneTree(["list/b: bread", "list/b/c: cheese"])
  }

  /// A verb acts on what is: what somebody took elsewhere is not moved from where it was.
  @Test func aVerbSettlesWhatSomebodyTookElsewhere() async throws {
    let rooms = try await Rooms()
    try rooms.move(rooms.bob, "list/a", to: "other")
    try await rooms.bob.sync()
    let node = try rooms.alice.database.read { try rooms.find("list/a", $0) }
    try rooms.alice.database.write { transaction in
      let cloudID = try #require(node.cloudID)
      let delete = "UPDATE node_states SET deleted = 1 WHERE branch = ? AND cloud_id = ?"
      try transaction.db.cachedStatement(sql: delete).execute(arguments: [node.branch, cloudID])
      try transaction.noteRelocation(
        Relocation(branch: node.branch, cloudID: cloudID, destination: rooms.branches["other"]), by: nil)
    }
    #expect(throws: TreeError.noSuchNode) { try rooms.move(rooms.alice, "list/a", to: "other") }
    try rooms.alice.database.write { try $0.delete(node.id) }
    #expect(try rooms.alice.database.read { try $0.node(node.id) } == nil)
    #expect(try rooms.alice.unsent() == 0)
  }

  /// What hangs there under the id of what left is somebody's own: the deletion of what left is over, and is not queued again and again.
  @Test func aDeletionOfWhatIsThereUnderTheSameIDIsOver() async throws {
    let rooms = try await Rooms()
    try rooms.make(rooms.alice, "list/x", "xylophone")
    try await rooms.alice.sync()
    try rooms.alice.database.write { transaction in
      let left = try rooms.find("list/a", transaction)
      _ = try transaction.move(left.id, to: rooms.find("other", transaction).id)
      let other = try rooms.find("list/x", transaction)
      let rename = "UPDATE nodes SET cloud_id = ? WHERE id = ?"
      try transaction.db.cachedStatement(sql: rename).execute(arguments: [left.cloudID, other.id])
    }
    try await rooms.alice.sync()
    #expect(try rooms.alice.unsent() == 0)
    #expect(try rooms.alice.database.read { try $0.operations().isEmpty })
  }

  @Test func changesThatWaitForEachOtherAreFound() async throws {
    let rooms = try await Rooms()
    try rooms.write(rooms.alice, "avocado", on: "list/a")
    try rooms.write(rooms.alice, "bun", on: "list/a/b")
    try rooms.write(rooms.alice, "curd", on: "list/a/b/c")
    try rooms.alice.database.write { transaction in
      let waiting = try transaction.operations().map(\.sequence).prefix(2).map { CloudOperation(sequence: $0) }
      try transaction.addDependencies([waiting[0]], to: waiting[1])
      #expect(try transaction.waitingInCircles().isEmpty)
      try transaction.addDependencies([waiting[1]], to: waiting[0])
      #expect(try transaction.waitingInCircles().sorted() == waiting.map(\.sequence).sorted())
    }
  }

  @Test func circlesAreFound() {
    var waits = Waits()
    waits.add(1, for: 2)
    waits.add(2, for: 3)
    #expect(waits.inCircles().isEmpty)
    waits.add(3, for: 2)
    #expect(waits.inCircles() == [2, 3])
    waits.add(4, for: 4)
    waits.add(5, for: 1)
    #expect(waits.inCircles() == [2, 3, 4])
  }
}

extension Device {
  /// Syncs while the server says nothing of a branch.
  fileprivate func syncWithout(_ branch: CloudID?) async throws {
    transport.setTamper { request, response in
      guard request.path == Route.heads.path, response.status == 200,
        var heads = try? decode(WireHeads.self, response.body)
      else { return response }
      heads.branches.removeAll { Array($0.branch) == branch?.bytes }
      var told = response
      told.body = encode(heads)
      return told
    }
    _ = try await session.sync()
    transport.setTamper { _, response in response }
  }
}
