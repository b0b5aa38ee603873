import CloudAPI
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// An invitation that names another beginning than its list has: anybody can send one, whatever the server does.
@Suite struct WrongInvitationTests {
  private let alice: Device
  private let bob: Device
  private let tablet: Device
  private let mallory: Device

  init() async throws {
    let world = try World(seed: "wrong invitation")
    alice = try await world.person("alice")
    bob = try await world.person("bob")
    tablet = try await bob.second("tablet", "bob", in: world)
    mallory = try await world.person("mallory")
    try alice.add("Trip", "Tickets")
    try await alice.sync()
  }

  /// Bob has accepted a wrong one, and the right one came after it.
  @Test func theOwnersTakesItsPlace() async throws {
    try await lie()
    try await settle(bob, tablet)
    try bob.accept()
    try await alice.share("Trip", with: "bob")
    try await settle(alice, bob, tablet)
    let branch = try alice.branch("Trip")
    #expect(try await bob.sync().troubles == [branch: .firstRecordWrong])
    #expect(try await tablet.sync().troubles == [branch: .firstRecordWrong])
    #expect(try bob.listNames().isEmpty)
    #expect(try bob.database.read { try $0.answeredInvite(to: branch)?.senderName } == "mallory")
    #expect(try bob.invites().map(\.senderName) == ["alice"])
    try bob.accept()
    try await settle(bob, tablet, alice)
    for device in [bob, tablet] {
      #expect(try device.titles("Trip") == ["Tickets"])
      #expect(try device.invites().isEmpty)
      #expect(try device.quarantine().isEmpty)
      #expect(try device.database.read { try $0.troubles().isEmpty })
    }
  }

  /// What is read already, nobody offers another beginning of.
  @Test func besideTheOwnersItGoes() async throws {
    try await alice.share("Trip", with: "bob")
    try await settle(alice, bob)
    let right = try #require(try bob.invites().first).number
    try await lie()
    try await bob.sync()
    #expect(try bob.invites().count == 2)
    try bob.database.write { _ = try $0.graftInvite(right) }
    try await settle(bob, tablet, alice)
    #expect(try bob.invites().isEmpty && tablet.invites().isEmpty)
    #expect(try bob.titles("Trip") == ["Tickets"])
    try await lie()
    try await settle(bob, tablet)
    #expect(try bob.invites().isEmpty && tablet.invites().isEmpty)
    #expect(try tablet.titles("Trip") == ["Tickets"])
  }

  /// Mallory, who is on it nowhere, invites bob to alice's list.
  private func lie() async throws {
    let (branch, victim) = (try alice.branch("Trip"), try bob.user())
    _ = try await mallory.session.lookUp(handle: "bob")
    try mallory.database.write { transaction in
      if try transaction.branch(branch) == nil {
        // An invitation says what its sender has pinned.
        _ = try transaction.graftNode(
          withLocalPath: Treepath(.home, branch.description), remoteCloudID: branch,
          firstPermissions: .random(transaction.entropy))
      }
      var message = SealedMessage()
      message.invitation.branch = data(branch.bytes)
      message.invitation.title = "Trip"
      message.invitation.letters = Letters([.read, .write]).rawValue
      try transaction.sendMessage(message, toRecipients: [victim], withDependencies: [])
    }
    try await mallory.sync()
  }
}
