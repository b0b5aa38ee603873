import CloudAPI
import CloudServer
import Sharing
import Signing
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

  @Test func whoLeavesPromisesItToNobody() throws {
    try leave(bob)
    let list = try bob.database.read { try $0.lists()[0].node }
    #expect(throws: ShareError.leaving) {
      try bob.database.write { _ = try $0.makeCode(for: list, role: .viewer, title: "Groceries", note: "") }
    }
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

  /// Bob's leave is refused, because alice takes him off first; he takes carol off, and is let in again. What he wrote waits for the removal.
  @Test func aRemovalBehindALeaveStopsNothing() async throws {
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, carol, bob)
    try carol.accept()
    try await settle(carol, alice, bob)
    try bob.add("Groceries", "Bread")
    try leave(bob)
    let (bobs, carols) = (try bob.user(), try carol.user())
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: bobs) }
    try await settle(alice)
    _ = try await bob.sync()
    try bob.database.write { _ = try $0.unshare($0.lists()[0].node, with: carols) }
    try await alice.share("Groceries", with: "bob")
    try await settle(alice)
    for _ in 0..<3 { _ = try await bob.sync() }
    try await settle(alice)
    #expect(try alice.titles("Groceries") == ["Bread", "Milk"])
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

  /// Another editor of the list, who has read everything.
  private func joinedByCarol() async throws -> Device {
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await settle(alice, carol)
    try carol.accept()
    try await settle(carol, alice, bob)
    return carol
  }

  private func records(of branch: CloudID) throws -> [PermissionsBody] {
    let records = try world.storage.read { try $0.permissionsHistory(of: branch, upTo: .max) }
    return try #require(records).map { try PermissionsBody(decoding: $0.body) }
  }

  /// The epochs that open with all that somebody has and all that the server has.
  private func reach(_ device: Device, _ branch: CloudID) throws -> Set<UInt64> {
    let user = try device.database.read { try $0.requireAccount().user }
    let keyring = try #require(try alice.database.read { try $0.keyring(user) })
    let records = try records(of: branch)
    return try device.database.read { try $0.reach(records, of: keyring) }
  }

  /// What the server has of somebody's in a list.
  private func headers(by device: Device, _ branch: CloudID) throws -> [HeaderBody] {
    let user = try device.database.read { try $0.requireAccount().user }
    return try world.storage.read { storage in
      try storage.lines(of: branch, after: 0, limit: 100).filter { $0.kind == .header }
        .compactMap { try storage.node(at: $0.number, of: branch) }
        .map { try HeaderBody(decoding: $0.record.body) }.filter { $0.author.user == user }
    }
  }

  /// Bob leaves, then carol does, who had written something meanwhile: it goes under a key that bob never gets, and so before her.
  @Test(arguments: [InProcessTransport.Fate.delivered, .lost, .replyLost])
  func whoLeftBeforeReadsNothingOfWhoLeavesNext(_ fate: InProcessTransport.Fate) async throws {
    let carol = try await joinedByCarol()
    let branch = try alice.branch("Groceries")
    try bob.add("Groceries", "Bread")
    try carol.add("Groceries", "Wine")
    try carol.edit("Milk", to: "Oat milk")
    for device in [bob, carol] { try leave(device) }
    try await bob.sync()
    carol.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
    for _ in 0..<3 where fate != .delivered { _ = try? await carol.sync() }
    carol.transport.setFate { _ in .delivered }
    try await carol.sync()
    #expect(try carol.listNames() == [] && carol.unsent() == 0)
    let written = try headers(by: carol, branch)
    #expect(written.count == 2 && written.allSatisfy { $0.epoch == 2 })
    #expect(try reach(bob, branch) == [1] && reach(carol, branch) == [1, 2])
    try await settle(alice, bob, carol)
    #expect(try alice.titles("Groceries") == ["Bread", "Oat milk", "Wine"])
    #expect(try members(alice) == ["alice"])
    #expect(try reach(alice, branch) == [1, 2, 3] && reach(carol, branch) == [1, 2])
  }

  /// Her leave was on its way when she wrote, and comes too late.
  @Test func whatIsWrittenWhileALeaveIsOnItsWayIsNothingForWhoLeftBefore() async throws {
    let carol = try await joinedByCarol()
    let branch = try alice.branch("Groceries")
    for device in [bob, carol] { try leave(device) }
    carol.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await carol.sync() }
    carol.transport.setFate { _ in .delivered }
    try await bob.sync()
    try carol.edit("Milk", to: "Oat milk")
    try await carol.sync()
    #expect(try carol.listNames() == [] && carol.unsent() == 0)
    #expect(try headers(by: carol, branch).map(\.epoch) == [2])
    try await settle(alice)
    #expect(try alice.titles("Groceries") == ["Oat milk"])
  }

  /// A new key is for what is written: who has nothing to send makes none.
  @Test func whoHasNothingToSendLeavesTheKeyToTheOthers() async throws {
    let carol = try await joinedByCarol()
    let branch = try alice.branch("Groceries")
    for device in [bob, carol] {
      try leave(device)
      try await device.sync()
    }
    #expect(try records(of: branch).allSatisfy { $0.epoch == 1 })
    try await alice.sync()
    #expect(try reach(alice, branch) == [1, 2] && reach(bob, branch) == [1] && reach(carol, branch) == [1])
  }

  /// It comes too late, and is theirs to give up like all that was refused.
  @Test func whatIsWrittenWhenTheLeaveWasSentStays() async throws {
    try leave(bob)
    bob.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    bob.transport.setFate { _ in .delivered }
    try bob.add("Groceries", "Bread")
    try await settle(bob, alice)
    #expect(try members(alice) == ["alice"] && alice.titles("Groceries") == ["Milk"])
    #expect(try bob.titles("Groceries") == ["Bread", "Milk"])
    #expect(try bob.database.read { try $0.operations().map(\.reason) } == [.letterMissing])
    try bob.database.write { try $0.discardOperation($0.operations()[0].sequence) }
    try leave(bob)
    try await settle(bob)
    #expect(try bob.listNames() == [] && bob.unsent() == 0)
  }
}
