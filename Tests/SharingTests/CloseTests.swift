import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// The owner deletes a list that others share: it goes from everybody's list of things to do, and from nobody's memory.
@Suite struct CloseTests {
  private let world: World
  private let alice: Device
  private let bob: Device
  private let branch: CloudID

  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "close")
    branch = try alice.branch("Groceries")
  }

  private func close() throws {
    try alice.database.write { _ = try $0.close($0.lists()[0].node) }
  }

  private func isClosed(_ device: Device) throws -> Bool {
    try device.database.read { transaction in
      try transaction.branch(branch).map { try transaction.isClosed($0) } ?? false
    }
  }

  private func keep(_ device: Device) throws {
    try device.database.write { transaction in _ = try transaction.keepList(transaction.lists()[0]) }
  }

  @Test func itGoesFromTheOwnerAndStaysReadableForTheOthers() async throws {
    try close()
    #expect(try alice.listNames() == ["Groceries"], "until the server has confirmed it")
    try await alice.sync()
    #expect(try alice.listNames() == [])
    try await settle(bob, alice)
    #expect(try bob.titles("Groceries") == ["Milk"])
    #expect(try isClosed(bob))
    #expect(try alice.unsent() == 0 && bob.unsent() == 0)
    #expect(try bob.database.read { try !$0.mayWrite($0.lists()[0].node) })
  }

  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func aLostAnswerLosesNothing(_ fate: InProcessTransport.Fate) async throws {
    try close()
    alice.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    alice.transport.setFate { _ in .delivered }
    try await settle(alice, bob)
    #expect(try alice.listNames() == [])
    #expect(try alice.unsent() == 0)
    #expect(try isClosed(bob))
  }

  @Test func itGoesFromTheOwnersOtherDevicesToo() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    #expect(try phone.listNames() == ["Groceries"])
    try close()
    try await settle(alice, phone)
    #expect(try phone.listNames() == [])
    #expect(try phone.unsent() == 0)
  }

  /// Both of the owner's devices delete it; the second finds it done.
  @Test func twoDevicesDeleteItAtOnce() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    try close()
    try phone.database.write { _ = try $0.close($0.lists()[0].node) }
    try await settle(alice, phone)
    for device in [alice, phone] {
      #expect(try device.listNames() == [])
      #expect(try device.unsent() == 0)
    }
  }

  /// What was not sent in time is refused, is kept, and goes along to a list of one's own.
  @Test func whatWasNotSentIsKept() async throws {
    try bob.add("Groceries", "Bread")
    try bob.tick("Milk")
    try close()
    try await alice.sync()
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Bread", "✓ Milk"])
    let reasons = try bob.database.read { try $0.operations().map(\.reason) }
    #expect(!reasons.isEmpty && reasons.allSatisfy { $0 == .branchClosed })
    try await settle(bob, alice)
    #expect(try bob.titles("Groceries") == ["Bread", "✓ Milk"], "nothing tries it again for ever")
    try keep(bob)
    try await settle(bob, alice)
    #expect(try bob.unsent() == 0)
    #expect(try bob.titles("Groceries") == ["Bread", "✓ Milk"])
    #expect(try bob.branch("Groceries") != branch)
    #expect(try alice.listNames() == [])
  }

  /// A list of one's own, like any other: it reaches one's other devices, and can be shared with the one who deleted it.
  @Test func aKeptListIsOnesOwn() async throws {
    let phone = try await bob.second("phone", "bob", in: world)
    try close()
    try await settle(alice, bob, phone)
    try keep(bob)
    try await settle(bob, phone)
    #expect(try phone.titles("Groceries") == ["Milk"])
    #expect(try phone.listNames() == ["Groceries"])
    try phone.tick("Milk")
    try await bob.share("Groceries", with: "alice")
    try await settle(phone, bob, alice)
    try alice.accept()
    try await settle(alice, bob)
    #expect(try alice.titles("Groceries") == ["✓ Milk"])
    #expect(try bob.quarantine().isEmpty && phone.quarantine().isEmpty)
  }

  @Test func whoComesInTimeReadsEverything() async throws {
    try alice.add("Groceries", "Eggs")
    try await alice.sync()
    try close()
    try await alice.sync()
    let phone = try await bob.second("phone", "bob", in: world)
    #expect(try phone.titles("Groceries") == ["Eggs", "Milk"])
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Eggs", "Milk"])
  }

  @Test func whoComesTooLateIsToldOfNoLie() async throws {
    try close()
    try await settle(alice, bob)
    world.clock.advance(Cloud.usualGrace + 2 * 3600 * 1000)
    try alice.add("Other", "Tea")
    try await alice.sync()
    let phone = try await bob.second("phone", "bob", in: world)
    #expect(try phone.titles("Groceries") == [])
    #expect(try phone.quarantine().isEmpty)
    #expect(try phone.database.read { try $0.troubles().isEmpty })
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk"], "who had read it has it")
  }

  @Test func whoWasInvitedBeforeSeesWhatThereWas() async throws {
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await alice.sync()
    try close()
    try await settle(alice, carol)
    try carol.accept()
    try await settle(carol)
    #expect(try carol.titles("Groceries") == ["Milk"])
    #expect(try isClosed(carol))
  }

  @Test func nobodyIsLetInAfterwards() async throws {
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    let carol = try await world.person("carol")
    try await bob.share("Groceries", with: "carol")
    try close()
    try await alice.sync()
    try await bob.sync()
    let change = try #require(try bob.database.read { try $0.operations().first { $0.kind == .permit } })
    #expect(change.reason == .branchClosed)
    try await carol.sync()
    #expect(try carol.invites().isEmpty)
    await #expect(throws: ShareError.closed) { try await bob.share("Groceries", with: "carol", role: .viewer) }
  }

  /// Nobody's keys are renewed in what has ended, and nothing waits for that.
  @Test func endingADeviceLeavesItAlone() async throws {
    let phone = try await bob.second("phone", "bob", in: world)
    try close()
    try await settle(alice, bob, phone)
    let id = try phone.database.read { try $0.account() }.map(\.device)
    try await bob.session.endDevice(try #require(id), withAdded: false)
    try await settle(bob, alice)
    #expect(try bob.unsent() == 0)
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  @Test func onlyItsOwnerDeletesIt() throws {
    #expect(throws: ShareError.notOwner) {
      try bob.database.write { _ = try $0.close($0.lists()[0].node) }
    }
  }

  @Test func whoeverLeavesADeletedListJustLetsGo() async throws {
    try close()
    try await settle(alice, bob)
    try bob.database.write { try $0.leave(try $0.lists()[0].node) }
    try await settle(bob)
    #expect(try bob.listNames() == [] && bob.unsent() == 0)
  }
}
