import CloudAPI
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// An invitation of a device that has ended counts only where it was read before: whoever sent it is told.
@Suite struct EndedInvitationTests {
  private func member(_ name: String, _ device: Device) throws -> Member {
    try device.database.read { transaction in
      let members = try transaction.members(of: transaction.lists()[0].node, history: true)
      return try #require(members.first { $0.name == name })
    }
  }

  @Test func itIsSaidUntilAnotherComes() async throws {
    let (alice, bob, world) = try await sharedList(seed: "ended invitation")
    let phone = try await alice.second("phone", "alice", in: world)
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await settle(alice, phone)
    #expect(try !member("carol", phone).isInvitationEnded)
    world.clock.advance(1000)
    try await phone.session.endDevice(alice.own().device, withAdded: false)
    try await settle(phone, bob)
    #expect(try member("carol", phone).isInvitationEnded)
    #expect(try !member("bob", phone).isInvitationEnded, "he has answered")
    #expect(try !member("carol", bob).isInvitationEnded, "he cannot tell")
    try await carol.sync()
    #expect(try carol.invites().isEmpty)
    world.clock.advance(1000)
    try await phone.share("Groceries", with: "carol")
    try await settle(phone, carol)
    #expect(try !member("carol", phone).isInvitationEnded)
    try carol.accept()
    try await settle(carol, phone)
    #expect(try member("carol", phone).hasJoined == true)
  }

  @Test func whoHasDeclinedNeedsNoOther() async throws {
    let (alice, _, world) = try await sharedList(seed: "ended and declined")
    let phone = try await alice.second("phone", "alice", in: world)
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await settle(alice, carol)
    try carol.decline()
    try await settle(carol, phone)
    try await phone.session.endDevice(alice.own().device, withAdded: false)
    try await settle(phone)
    #expect(try member("carol", phone).hasDeclined && !member("carol", phone).isInvitationEnded)
  }
}
