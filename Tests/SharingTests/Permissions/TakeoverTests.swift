import CloudAPI
import CloudServer
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Between accepting to own a list and owning it: it does not go from the successor's lists, where nobody could end it any more.
@Suite struct TakeoverTests {
  private let world: World
  private let alice: Device
  private let bob: Device
  private let branch: CloudID

  /// Alice has offered the list to bob, who has read that.
  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "takeover")
    branch = try alice.branch("Groceries")
    let friend = try bob.user()
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.offerOwnership(of: list.node, to: friend, title: list.title)
    }
    try await settle(alice, bob)
  }

  private func takeOver() throws {
    let offer = try #require(try bob.invites().first { $0.isOwnership })
    try bob.database.write { _ = try $0.graftInvite(offer.number) }
  }

  private func remove(_ device: Device) throws {
    try device.database.write { try $0.removeList($0.lists()[0]) }
  }

  private func close(_ device: Device) throws {
    try device.database.write { _ = try $0.close($0.lists()[0].node) }
  }

  private func takeover(_ device: Device) throws -> Takeover? {
    try device.database.read { transaction in
      try transaction.branch(branch).flatMap { try transaction.takeover(of: $0) }
    }
  }

  private func owner() throws -> UserID {
    let record = try #require(try world.storage.read { try $0.permissions(of: branch) })
    return try PermissionsBody(decoding: record.body).owner
  }

  private func leave(_ device: Device) throws {
    try device.database.write { _ = try $0.leave($0.lists()[0].node) }
  }

  /// Nothing was sent yet.
  @Test func itStaysUntilItIsBobs() async throws {
    try takeOver()
    #expect(throws: ShareError.takingOver) { try remove(bob) }
    #expect(throws: ShareError.takingOver) { try close(bob) }
    try await settle(bob, alice)
    #expect(try owner() == bob.user() && bob.listNames() == ["Groceries"])
    #expect(try takeover(bob) == nil)
    try close(bob)
    try await settle(bob, alice)
    #expect(try bob.listNames() == [] && bob.unsent() == 0)
    #expect(try alice.titles("Groceries") == ["Milk"])
    // Nothing of others holds his account.
    try await bob.session.deleteAccount()
  }

  /// Alice has handed it over, and bob's device has not heard of it.
  @Test func itStaysThoughItIsBobsAlready() async throws {
    try takeOver()
    try await bob.sync()
    try await alice.sync()
    #expect(try owner() == bob.user())
    #expect(throws: ShareError.takingOver) { try remove(bob) }
    world.clock.advance(8 * 24 * 3600 * 1000)
    #expect(throws: ShareError.takingOver, "that the time is over says nothing of what happened within it") {
      try remove(bob)
    }
    try await bob.sync()
    try close(bob)
    try await settle(bob, alice)
    #expect(try bob.listNames() == [])
    try await bob.session.deleteAccount()
  }

  /// Another device of bob's has the word in its outbox as well.
  @Test func itStaysOnAnotherDevice() async throws {
    let phone = try await bob.second("phone", "bob", in: world)
    try takeOver()
    try await bob.sync()
    try await phone.sync()
    #expect(throws: ShareError.takingOver) { try remove(phone) }
    try await settle(alice, phone)
    #expect(try takeover(phone) == nil && phone.listNames() == ["Groceries"])
  }

  @Test func itEndsWhenNobodyHandsItOver() async throws {
    try takeOver()
    try await bob.sync()
    world.clock.advance(8 * 24 * 3600 * 1000)
    try await bob.sync()
    #expect(try takeover(bob) == nil)
    try remove(bob)
    try await settle(bob, alice)
    #expect(try owner() == alice.user() && alice.titles("Groceries") == ["Milk"])
  }

  /// Alice thinks better of it while bob accepts.
  @Test(arguments: [Role?.none, .viewer])
  func aliceHasWithdrawn(_ role: Role?) async throws {
    let friend = try bob.user()
    if let role {
      try await alice.share("Groceries", with: "bob", role: role)
    } else {
      try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    }
    try await alice.sync()
    try takeOver()
    #expect(throws: ShareError.takingOver) { try remove(bob) }
    try await settle(bob, alice)
    #expect(try owner() == alice.user() && alice.titles("Groceries") == ["Milk"])
    #expect(try takeover(bob) == nil && bob.unsent() == 0)
    if try !bob.listNames().isEmpty { try remove(bob) }
    try await settle(bob, alice)
    #expect(try alice.titles("Groceries") == ["Milk"] && alice.unsent() == 0)
  }

  /// The way out that is always open.
  @Test(arguments: [true, false])
  func whoLeavesDoesNotOwnIt(_ isSent: Bool) async throws {
    try takeOver()
    if isSent { try await bob.sync() }
    try leave(bob)
    try await settle(bob, alice)
    #expect(try bob.listNames() == [] && bob.unsent() == 0)
    #expect(try owner() == alice.user() && alice.titles("Groceries") == ["Milk"])
  }

  /// The list was his before he had left it.
  @Test func whoLeavesTooLateKeepsIt() async throws {
    try takeOver()
    try await bob.sync()
    try leave(bob)
    try await alice.sync()
    try await settle(bob, alice)
    #expect(try owner() == bob.user() && bob.titles("Groceries") == ["Milk"])
  }

  /// What was taken over once and given back says nothing.
  @Test func whoGaveItBackCanLetGo() async throws {
    try takeOver()
    try await settle(bob, alice)
    let former = try alice.user()
    try bob.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.offerOwnership(of: list.node, to: former, title: list.title)
    }
    try await settle(bob, alice)
    let back = try #require(try alice.invites().first { $0.isOwnership }).number
    try alice.database.write { _ = try $0.graftInvite(back) }
    try await settle(alice, bob)
    try await settle(alice, bob)
    #expect(try owner() == alice.user())
    try remove(bob)
    try await settle(bob, alice)
    #expect(try bob.listNames() == [] && alice.titles("Groceries") == ["Milk"])
  }
}
