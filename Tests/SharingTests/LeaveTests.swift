import CloudAPI
import CloudServer
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Whoever leaves a list takes nothing with them that was not theirs, and what they had written stays with the others.
@Suite struct LeaveTests {
  private let world: World
  private let alice: Device
  private let bob: Device

  init() async throws { (alice, bob, world) = try await sharedList(seed: "leave") }

  private func leave(_ device: Device) throws {
    try device.database.write { try $0.leave(try $0.lists()[0].node) }
  }

  private func members(_ device: Device) throws -> [String] {
    try device.database.read { try $0.members(of: $0.lists()[0].node).map(\.name) }
  }

  @Test func theListGoesAndTheOthersGetANewKey() async throws {
    try leave(bob)
    #expect(try bob.listNames() == ["Groceries"])
    try await bob.sync()
    #expect(try bob.listNames() == [])
    let branch = try alice.branch("Groceries")
    try await alice.sync()
    #expect(try members(alice) == ["alice"])
    let record = try #require(try world.storage.read { try $0.permissions(of: branch) })
    #expect(try PermissionsBody(decoding: record.body).epoch == 2)
    try await settle(alice, bob)
    #expect(try bob.unsent() == 0 && alice.unsent() == 0)
  }

  @Test func whatWasWrittenBeforeIsSentFirst() async throws {
    try bob.add("Groceries", "Bread")
    try leave(bob)
    try bob.edit("Milk", to: "Oat milk")
    try await bob.sync()
    try await alice.sync()
    #expect(try alice.titles("Groceries") == ["Bread", "Oat milk"])
    #expect(try bob.listNames() == [])
  }

  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func aLostAnswerLosesNothing(_ fate: InProcessTransport.Fate) async throws {
    try bob.add("Groceries", "Bread")
    try await bob.sync()
    try leave(bob)
    bob.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    bob.transport.setFate { _ in .delivered }
    try await settle(alice, bob)
    #expect(try bob.listNames() == [])
    #expect(try members(alice) == ["alice"])
    #expect(try bob.unsent() == 0)
  }

  @Test func itGoesFromOnesOtherDevicesToo() async throws {
    let phone = try await bob.second("phone", "bob", in: world)
    #expect(try phone.listNames() == ["Groceries"])
    try leave(bob)
    try await settle(bob, phone, alice)
    #expect(try phone.listNames() == [])
    #expect(try phone.unsent() == 0)
  }

  /// Their role was lowered before what they wrote was sent: it is theirs to give up, and does not go with the list.
  @Test(arguments: [true, false])
  func whatWasRefusedIsNotThrownAway(_ leavesFirst: Bool) async throws {
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await alice.sync()
    try bob.add("Groceries", "Bread")
    if leavesFirst { try leave(bob) }
    try await bob.sync()
    if !leavesFirst { #expect(throws: ShareError.unsentChanges) { try leave(bob) } }
    try await settle(bob, alice)
    #expect(try bob.titles("Groceries") == ["Bread", "Milk"])
    try bob.database.write { transaction in
      for change in try transaction.operations() where change.kind == .put {
        try transaction.discardOperation(change.sequence)
      }
    }
    if !leavesFirst { try leave(bob) }
    try await settle(bob, alice)
    #expect(try bob.listNames() == [])
    #expect(try members(alice) == ["alice"])
  }

  @Test func whoWasTakenOffAlreadyLetsGo() async throws {
    let friend = try bob.database.read { try $0.requireAccount().user }
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await settle(alice, bob)
    try leave(bob)
    try await settle(bob, alice)
    #expect(try bob.listNames() == [] && bob.unsent() == 0)
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  @Test func theOwnerStays() throws {
    #expect(throws: ShareError.ownerStays) { try leave(alice) }
  }

  @Test func whoeverLeftCanBeInvitedAgain() async throws {
    try leave(bob)
    try await settle(bob, alice)
    try await alice.share("Groceries", with: "bob")
    try alice.add("Groceries", "Champagne")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    #expect(try bob.titles("Groceries") == ["Champagne", "Milk"])
  }

  /// Somebody who may write hears of it and renews, whoever that is.
  @Test func anAdminLeavesLikeAnybody() async throws {
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try leave(bob)
    try await settle(bob, alice)
    #expect(try members(alice) == ["alice"])
    #expect(try bob.listNames() == [])
  }
}
