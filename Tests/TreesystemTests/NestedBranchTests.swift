import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import Testing
import TreeSupport

@testable import Treesystem

/// Branches below branches: alice's list is shared with bob, an admin, and something nested hangs in it.
@Suite struct NestedBranchTests: Nesting {
  let rooms: Rooms

  init() async throws { rooms = try await Rooms() }

  @Test(arguments: [true, false]) func whoeverMayShareNestsAndItIsTheOwners(_ byOwner: Bool) async throws {
    let nested = try nest(byOwner ? alice : bob)
    try await settle()
    for device in [alice, bob] { #expect(try words(device, nested) == ["tool: saw"]) }
    let record = try record(nested)
    let (owner, friend) = (try user(alice), try user(bob))
    #expect(record.owner == owner)
    #expect(record.author.user == (byOwner ? owner : friend))
    #expect(Set(record.entries.compactMap(\.user)) == [owner, friend])
    try expectCalm(alice, bob)
  }

  @Test func whoJoinsTheListJoinsWhatIsNestedThere() async throws {
    let nested = try nest(alice)
    let inner = try alice.database.write { transaction in
      let path = try [pointer(list, transaction).name, pointer(nested, transaction).name, "box"]
      return try transaction.createBranch(withPath: Treepath(.home, path)).cloudID
    }
    let box = try #require(inner)
    try await settle()
    let carol = try await carol()
    #expect(try share(list, with: user(carol)) == 3)
    try await settle(carol)
    try accept(carol)
    try await settle(carol)
    #expect(try words(carol, nested) == ["tool: saw"])
    #expect(try words(carol, box) == [])
    try expectCalm(alice, bob, carol)
  }

  @Test func nestingAfterSharingReachesEverybody() async throws {
    let carol = try await carol()
    _ = try share(list, with: user(carol))
    try await settle(carol)
    try accept(carol)
    try await settle(carol)
    let nested = try nest(bob)
    try await settle(carol)
    #expect(try words(carol, nested) == ["tool: saw"])
    try expectCalm(alice, bob, carol)
  }

  @Test func whoIsTakenOffTheListIsTakenOffWhatIsNestedThere() async throws {
    let nested = try nest(alice)
    try await settle()
    let friend = try user(bob)
    let operations = try alice.database.write {
      try $0.recursiveRemoveShareItem(forUserID: friend, nodeID: rooms.find("list", $0).id)
    }
    #expect(operations.count == 2)
    try await alice.sync()
    for branch in [nested, list] {
      #expect(try record(branch).epoch == 2)
      #expect(try record(branch).entry(of: friend) == nil)
    }
    try alice.database.write { transaction in
      let node = try transaction.createNode(named: "secret", in: self.root(nested, transaction).id)
      try Notes().set(["gold"], node, transaction)
    }
    try await settle()
    #expect(try words(alice, nested) == ["secret: gold", "tool: saw"])
    #expect(try words(bob, nested) == ["tool: saw"])
  }

  /// Carol is invited to what is nested, and to nothing around it.
  @Test func somethingNestedIsSharedWithMorePeople() async throws {
    let nested = try nest(bob)
    try await settle()
    let carol = try await carol()
    #expect(try share(nested, with: user(carol)) == 1)
    try await settle(carol)
    try accept(carol)
    try await settle(carol)
    #expect(try words(carol, nested) == ["tool: saw"])
    #expect(try words(carol, list) == nil)
    try expectCalm(alice, bob, carol)
  }

  /// The nested branch began with those who were on the list when it was made; the other change comes first or second.
  @Test(arguments: [true, false]) func nestingAndRemovingAtOnce(_ removesFirst: Bool) async throws {
    let nested = try nest(alice)
    let friend = try user(bob)
    if removesFirst {
      try alice.database.write {
        _ = try $0.recursiveRemoveShareItem(forUserID: friend, nodeID: rooms.find("list", $0).id)
      }
      try await settle()
      #expect(try record(nested).entry(of: friend) == nil)
    } else {
      try await alice.sync()
      try alice.database.write {
        _ = try $0.recursiveRemoveShareItem(forUserID: friend, nodeID: rooms.find("list", $0).id)
      }
      try await settle()
      #expect(try record(nested).entry(of: friend) == nil)
      #expect(try record(nested).epoch == 2)
    }
    #expect(try words(alice, nested) == ["tool: saw"])
    #expect(try alice.unsent() == 0)
  }

  /// An editor's device lets them nest nothing, and the server takes nothing of the kind.
  @Test func whoMayNotShareMayNotNest() async throws {
    try alice.database.write { transaction in
      _ = try transaction.recursiveAddShareItem(
        ShareItem(role: .editor), forUserID: try user(bob), nodeID: rooms.find("list", transaction).id)
    }
    try await settle()
    #expect(throws: TreeError.notPermitted) { _ = try nest(bob) }
  }

  /// Bob hangs alice's other list below the one that he shares with her, to have it shared along with that.
  @Test func aPointerToSomethingElseIsNotBelieved() async throws {
    let other = try #require(rooms.branches["other"])
    try bob.database.write { transaction in
      let list = try rooms.find("list", transaction)
      let branch = try self.root(other, transaction).branch
      let pointer = try transaction.insertNode(named: "trap", in: list.id, pointer: branch)
      try transaction.queueDataUpload(forNodeID: pointer.id)
    }
    try await settle()
    #expect(try alice.database.read { try $0.quarantined().map(\.reason) } == [.firstRecordWrong])
    let carol = try await carol()
    #expect(try share(list, with: user(carol)) == 1)
    try await settle(carol)
    let friend = try user(carol)
    #expect(try record(other).entry(of: friend) == nil)
    #expect(try record(list).entry(of: friend) != nil)
  }

  @Test func aPointerToABranchOfTheWritersOwnIsNotRead() async throws {
    let made = try bob.database.write { try $0.createBranch(withPath: Treepath(.home, "mine")).cloudID }
    let own = try #require(made)
    try await settle()
    let friend = try user(alice)
    try bob.database.write { transaction in
      let mine = try self.root(own, transaction)
      _ = try transaction.recursiveAddShareItem(ShareItem(role: .editor), forUserID: friend, nodeID: mine.id)
      let pointer = try transaction.insertNode(
        named: "mine", in: rooms.find("list", transaction).id, pointer: mine.branch)
      try transaction.queueDataUpload(forNodeID: pointer.id)
    }
    try await settle()
    #expect(try words(alice, own) == nil)
    #expect(try alice.database.read { try $0.troubles().map(\.reason) } == [.firstRecordWrong])
  }

  @Test func aNestedBranchGoesWithItsPointer() async throws {
    let nested = try nest(alice)
    try await settle()
    try alice.database.write { transaction in
      try transaction.delete(self.pointer(nested, transaction).id)
    }
    try await settle()
    for device in [alice, bob] {
      #expect(try words(device, nested) == nil)
    }
    try expectCalm(alice, bob)
  }

  @Test func whoLeavesTheListLeavesWhatIsNestedThereToTheOthers() async throws {
    let nested = try nest(alice)
    try await settle()
    try bob.database.write { _ = try $0.leave(rooms.find("list", $0).id) }
    try await settle()
    #expect(try words(bob, nested) == nil)
    #expect(try words(alice, nested) == ["tool: saw"])
    let friend = try user(bob)
    #expect(try record(nested).entry(of: friend) == nil)
    try expectCalm(alice, bob)
  }
}
