import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// Somebody changes who is on a branch while somebody else nests one in it: both orders end with the same people on both.
@Suite struct NestedRaceTests: Nesting {
  let rooms: Rooms

  init() async throws { rooms = try await Rooms() }

  @Test(arguments: [true, false]) func addingAMemberWhileSomebodyNests(_ addsFirst: Bool) async throws {
    let carol = try await carol()
    let friend = try user(carol)
    let nested = try nest(bob)
    try share(list, with: friend)
    let order = addsFirst ? [alice, bob] : [bob, alice]
    for device in order { try await device.sync() }
    try await settle(carol)
    try accept(carol)
    try await settle(carol)
    #expect(try members(nested).contains(friend))
    try expectSamePeople(nested, as: list)
    #expect(try words(carol, nested) == ["tool: saw"])
    try expectCalm(alice, bob, carol)
  }

  @Test(arguments: [true, false]) func removingAMemberWhileSomebodyNests(_ removesFirst: Bool) async throws {
    let carol = try await carol()
    let friend = try user(carol)
    try share(list, with: friend)
    try await settle(carol)
    try accept(carol)
    try await settle(carol)
    let nested = try nest(bob)
    try unshare(alice, list, with: friend)
    let order = removesFirst ? [alice, bob] : [bob, alice]
    for device in order { try await device.sync() }
    try await settle()
    #expect(try !members(nested).contains(friend))
    try expectSamePeople(nested, as: list)
    #expect(try record(nested).epoch == (removesFirst ? 1 : 2))
    try await carol.sync()
    #expect(try words(carol, nested) == nil)
    try expectCalm(alice, bob)
  }

  @Test(arguments: [true, false]) func changingARoleWhileSomebodyNests(_ changesFirst: Bool) async throws {
    let carol = try await carol()
    let friend = try user(carol)
    try share(list, with: friend, .viewer)
    try await settle(carol)
    let nested = try nest(bob)
    try share(list, with: friend, .admin)
    let order = changesFirst ? [alice, bob] : [bob, alice]
    for device in order { try await device.sync() }
    try await settle()
    try expectSamePeople(nested, as: list)
    #expect(try record(nested).letters(of: friend).contains(.share))
  }

  @Test(arguments: [true, false]) func leavingWhileSomebodyNests(_ leavesFirst: Bool) async throws {
    let carol = try await carol()
    let friend = try user(carol)
    try share(list, with: friend)
    try await settle(carol)
    try accept(carol)
    try await settle(carol)
    let nested = try nest(bob)
    try carol.database.write { _ = try $0.leave(self.root(list, $0).id) }
    let order = leavesFirst ? [carol, bob] : [bob, carol]
    for device in order { try await device.sync() }
    try await settle(carol)
    #expect(try !members(list).contains(friend))
    #expect(try !members(nested).contains(friend))
    #expect(try words(carol, nested) == nil)
    try expectCalm(alice, bob, carol)
  }

  /// Who removed carol never comes back: the one who nested sees to it.
  @Test func whoNestedFinishesWhatTheOtherCannot() async throws {
    let carol = try await carol()
    let friend = try user(carol)
    try share(list, with: friend)
    try await settle(carol)
    let nested = try nest(bob)
    try unshare(alice, list, with: friend)
    // The nested branch is there, and nothing leads to it yet: that is when alice is heard of for the last time.
    _ = bob.transport.setFate(.lost, ofRequest: 2) { $0.path == Route.batch.path }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    #expect(try members(nested).contains(friend))
    try await alice.sync()
    bob.transport.setFate { _ in .delivered }
    for _ in 0..<3 { try await bob.sync() }
    #expect(try !members(list).contains(friend))
    #expect(try !members(nested).contains(friend))
  }

  /// What was decided about a nested branch itself is not undone by what its device reads later.
  @Test func aDecisionOfItsOwnStands() async throws {
    let carol = try await carol()
    let friend = try user(carol)
    let nested = try nest(alice)
    try share(list, with: friend)
    try await settle(carol)
    try unshare(alice, nested, with: friend)
    try await settle()
    let laptop = try rooms.world.notebook("laptop")
    try await laptop.session.logIn(
      root: try #require(try alice.database.read { try $0.root() }), handle: "alice", server: "test")
    for _ in 0..<3 { try await laptop.sync() }
    try await settle()
    #expect(try members(list).contains(friend))
    #expect(try !members(nested).contains(friend))
    #expect(try laptop.unsent() == 0)
  }

  /// Bob may not share what carol was invited to alone with alice; that does not keep him from sharing the rest.
  @Test func whatIsNotOnesOwnToShareKeepsNothingBack() async throws {
    let nested = try nest(alice)
    try await settle()
    let friend = try user(bob)
    _ = try share(nested, with: friend, .editor)
    try await settle()
    let carol = try await carol()
    _ = try await bob.session.lookUp(handle: "carol")
    let other = try user(carol)
    let operations = try bob.database.write {
      try $0.recursiveAddShareItem(ShareItem(role: .editor), forUserID: other, nodeID: self.root(list, $0).id)
    }
    #expect(operations.count == 1)
    try await settle()
    #expect(try members(list).contains(other))
    #expect(try !members(nested).contains(other))
    try expectCalm(alice, bob)
  }

  @Test func nothingIsNestedTooDeep() async throws {
    try alice.database.write { transaction in
      var path = try [pointer(list, transaction).name]
      for depth in 2...Limits.nesting {
        path.append("box \(depth)")
        _ = try transaction.createBranch(withPath: Treepath(.home, path))
      }
      path.append("too deep")
      #expect(throws: TreeError.parentInvalid) { try transaction.createBranch(withPath: Treepath(.home, path)) }
    }
    for _ in 0..<4 { try await settle() }
    try expectCalm(alice, bob)
  }
}
