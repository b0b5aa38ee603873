import CloudAPI
import GRDB
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// Giving a list away, to somebody who wants it.
@Suite struct OwnershipTests {
  private let world: World
  private let alice: Device
  private let bob: Device

  init() async throws { (alice, bob, world) = try await sharedList(seed: "ownership") }

  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  private func roles(_ device: Device) throws -> [String] {
    try device.database.read { transaction in
      let list = try #require(try transaction.lists().first)
      return try transaction.members(of: list.node).map { "\($0.name) \($0.role.rawValue)" }
    }
  }

  private func offer(to successor: Device? = nil) throws {
    let friend = try user(successor ?? bob)
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.offerOwnership(of: list.node, to: friend, title: list.title)
    }
  }

  @Test func whoAcceptsIsTheOwner() async throws {
    try offer()
    try await settle(alice, bob)
    let invite = try #require(try bob.invites().first)
    #expect(invite.isOwnership && invite.title == "Groceries" && invite.role == .owner)
    try bob.accept()
    try await settle(bob, alice)
    for device in [alice, bob] { #expect(try roles(device) == ["bob owner", "alice admin"]) }
    #expect(try bob.unsent() == 0 && alice.unsent() == 0)
    // Alice's device has signed it, and yet it is news to her.
    for (device, author) in [(alice, bob), (bob, alice)] {
      let news = try device.database.read { try $0.news(below: .seen) }.filter { $0.kind == .handedOver }
      #expect(try news.map(\.author) == [user(author)] && news.map(\.title) == ["bob"])
    }
    // The new owner does what only owners do.
    let former = try user(alice)
    try bob.database.write { transaction in
      try transaction.recursiveAddShareItem(
        ShareItem(role: .viewer), forUserID: former, nodeID: transaction.lists()[0].node)
    }
    try bob.add("Groceries", "Bread")
    try await settle(bob, alice)
    #expect(try roles(alice) == ["bob owner", "alice viewer"])
    #expect(try alice.titles("Groceries") == ["Bread", "Milk"])
  }

  /// With the device that bob ends the list gets a record that pins a later position for him than his word names.
  @Test func aWordFromBeforeADeviceWasEndedIsLetGo() async throws {
    let tablet = try await bob.second("tablet", "bob", in: world)
    try await alice.share("Groceries", with: "bob", role: .admin)
    try offer()
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob)
    try await bob.session.endDevice(tablet.own().device, withAdded: false)
    try await settle(bob, alice, bob, alice)
    #expect(try alice.unsent() == 0 && roles(alice) == ["alice owner", "bob admin"])
  }

  @Test func theFormerOwnerCanLeave() async throws {
    try offer()
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    try alice.database.write { try $0.leave(try $0.lists()[0].node) }
    try await settle(alice, bob)
    #expect(try alice.listNames().isEmpty)
    #expect(try roles(bob) == ["bob owner"])
  }

  @Test func whoHasLeftHasNothingToTakeOver() async throws {
    try offer()
    try await settle(alice, bob)
    let invite = try #require(try bob.invites().first)
    try bob.database.write { try $0.leave(try $0.lists()[0].node) }
    try await settle(bob, alice)
    #expect(try bob.invites().isEmpty)
    #expect(throws: ShareError.noSuchInvite) { try bob.database.write { try $0.graftInvite(invite.number) } }
    #expect(try roles(alice) == ["alice owner"])
  }

  /// Who takes a list over on one device and leaves it on another has left it: what comes after that is another invitation.
  @Test func whoHasLeftElsewhereTakesNothingOver() async throws {
    let phone = try await bob.second("phone", "bob", in: world)
    try offer()
    try await settle(alice, bob, phone)
    try phone.accept()
    try bob.database.write { try $0.leave(try $0.lists()[0].node) }
    try await settle(bob, alice)
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, phone, alice, phone, bob)
    #expect(try roles(alice) == ["alice owner", "bob editor"])
    #expect(try bob.listNames().isEmpty && phone.invites().map(\.isOwnership) == [false])
    try phone.accept()
    try await settle(phone, bob)
    for device in [phone, bob] { #expect(try roles(device) == ["alice owner", "bob editor"]) }
  }

  @Test func whoDeclinesIsNot() async throws {
    try offer()
    try await settle(alice, bob)
    try bob.decline()
    try await settle(bob, alice)
    #expect(try roles(alice) == ["alice owner", "bob editor"])
    let branch = try alice.branch("Groceries")
    // A member who does not want to own it is a member all the same.
    #expect(try alice.database.read { try $0.declined(branch) }.isEmpty)
  }

  @Test func anOfferExpires() async throws {
    try offer()
    try await settle(alice, bob)
    world.clock.advance(8 * 24 * 3600 * 1000)
    #expect(try bob.invites().isEmpty)
    #expect(throws: ShareError.expired) { try bob.database.write { _ = try $0.graftInvite(2) } }
    try await settle(alice, bob)
    #expect(try roles(alice) == ["alice owner", "bob editor"])
  }

  /// Whoever is taken off, or gets another role, is offered nothing any more.
  @Test(arguments: [Role?.none, .viewer])
  func anOfferEndsWithAChangeOfRole(_ role: Role?) async throws {
    try offer()
    try await settle(alice, bob)
    let friend = try user(bob)
    if let role {
      try await alice.share("Groceries", with: "bob", role: role)
    } else {
      try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    }
    try await alice.sync()
    let invite = try #require(try bob.invites().first { $0.isOwnership })
    try bob.database.write { _ = try $0.graftInvite(invite.number) }
    try await settle(bob, alice)
    #expect(try roles(alice) == (role == nil ? ["alice owner"] : ["alice owner", "bob viewer"]))
  }

  /// On the other side as well: it goes, and whoever accepts it hears that it is over.
  @Test(arguments: [Role?.none, .viewer])
  func anOfferThatIsOverGoes(_ role: Role?) async throws {
    try offer()
    try await settle(alice, bob)
    let offered = try #require(try bob.invites().first { $0.isOwnership }).number
    #expect(try !bob.database.read { try $0.isOfferOver { number, _ in number == offered } })
    let friend = try user(bob)
    if let role {
      try await alice.share("Groceries", with: "bob", role: role)
    } else {
      try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    }
    try await settle(alice, bob)
    #expect(try bob.invites().isEmpty)
    #expect(try bob.database.read { try $0.isOfferOver { number, _ in number == offered } })
    #expect(throws: ShareError.noSuchInvite) { try bob.database.write { _ = try $0.graftInvite(offered) } }
    #expect(try bob.unsent() == 0)
  }

  /// An admin takes the successor off: nobody says to them that the owner's offer is over, but they see that it is.
  @Test func anOfferEndsWhereSomebodyElseRemovesThem() async throws {
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol", role: .admin)
    try await settle(alice, carol)
    try carol.accept()
    try offer()
    try await settle(carol, alice, bob)
    let friend = try user(bob)
    let branch = try alice.branch("Groceries")
    #expect(try alice.database.read { try $0.offers(of: branch).count } == 1)
    try carol.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await settle(carol, alice, bob)
    #expect(try alice.database.read { try $0.offers(of: branch) }.isEmpty)
    #expect(try bob.invites().isEmpty)
  }

  @Test func onlyAMemberIsOfferedIt() async throws {
    let carol = try await world.person("carol")
    let stranger = try user(carol)
    #expect(throws: ShareError.notAMember) {
      try alice.database.write { try $0.offerOwnership(of: $0.lists()[0].node, to: stranger, title: "") }
    }
  }

  @Test func onlyTheOwnerGivesItAway() async throws {
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    let owner = try user(alice)
    #expect(throws: ShareError.notOwner) {
      try bob.database.write { try $0.offerOwnership(of: $0.lists()[0].node, to: owner, title: "") }
    }
  }

  /// Somebody says that they take what nobody offered them.
  @Test func whatWasNotOfferedIsNotGiven() async throws {
    let owner = try user(alice)
    try bob.database.write { transaction in
      let branch = try #require(try transaction.cloudID(of: transaction.lists()[0].branch))
      try transaction.acceptOwnership(of: branch, from: owner, expires: .max)
    }
    try await settle(bob, alice)
    #expect(try roles(alice) == ["alice owner", "bob editor"])
    #expect(try alice.unsent() == 0 && alice.quarantine().isEmpty)
  }

  /// Two devices of the owner's have offered it to two people. The second transfer is dropped, and does not come up again where the
  /// list comes back to its first owner.
  @Test func onlyOneOfTwoTransfersIsMade() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await settle(alice, carol)
    try carol.accept()
    try await settle(carol, alice, phone)
    try offer()
    let (former, friend) = (try user(alice), try user(carol))
    try phone.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.offerOwnership(of: list.node, to: friend, title: list.title)
    }
    try await alice.sync()
    try await phone.sync()
    for device in [bob, carol] {
      try await device.sync()
      let offered = try #require(try device.invites().first { $0.isOwnership }).number
      try device.database.write { _ = try $0.graftInvite(offered) }
      try await device.sync()
    }
    try await settle(alice)
    try await settle(phone)
    let end = ["bob owner", "alice admin", "carol editor"]
    #expect(try roles(phone) == end && phone.unsent() == 0)
    let branch = try alice.branch("Groceries")
    #expect(try phone.database.read { try $0.offers(of: branch) }.isEmpty)
    // Bob gives it back.
    try await bob.sync()
    try bob.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.offerOwnership(of: list.node, to: former, title: list.title)
    }
    try await settle(bob, alice)
    let back = try #require(try alice.invites().first { $0.isOwnership }).number
    try alice.database.write { _ = try $0.graftInvite(back) }
    try await settle(alice, bob)
    try await settle(phone, carol, alice)
    #expect(try roles(alice).first == "alice owner" && roles(carol).first == "alice owner")
  }

  /// Both at once: the owner gives the list away on one device and takes the successor off it on another.
  @Test func aTransferAndARemovalEndInOneState() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    try offer()
    try await settle(alice, bob)
    try bob.accept()
    try await bob.sync()
    let friend = try user(bob)
    try phone.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await settle(alice, phone, bob)
    let end = try roles(alice)
    #expect(try roles(phone) == end)
    #expect(end == ["bob owner", "alice admin"] || end == ["alice owner"])
  }

  // MARK: to somebody who was invited and has not answered

  /// A person who was invited and offered the list at once, and has read both.
  private func invited() async throws -> Device {
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol", role: .viewer)
    try offer(to: carol)
    try await settle(alice, carol)
    #expect(try carol.invites().map(\.isOwnership) == [false])
    return carol
  }

  @Test func anOfferWaitsForTheListToBeAccepted() async throws {
    let carol = try await invited()
    try carol.accept()
    try await settle(carol, alice)
    #expect(try carol.invites().map(\.isOwnership) == [true])
    try carol.accept()
    try await settle(carol, alice)
    #expect(try roles(alice) == ["carol owner", "alice admin", "bob editor"])
  }

  @Test func whoDoesNotWantTheListWillNotOwnIt() async throws {
    let carol = try await invited()
    try carol.decline()
    try await settle(carol, alice)
    let (branch, friend) = (try alice.branch("Groceries"), try user(carol))
    #expect(try alice.database.read { try $0.offers(of: branch) }.isEmpty)
    #expect(try alice.database.read { try $0.declined(branch) } == [friend])
    #expect(try carol.database.read { try Int.fetchOne($0.db, sql: Self.openInvites) } == 0)
  }

  @Test func anotherInvitationEndsAnOfferThatWaits() async throws {
    let carol = try await invited()
    try await alice.share("Groceries", with: "carol", role: .editor)
    try await settle(alice, carol)
    #expect(try carol.database.read { try Int.fetchOne($0.db, sql: Self.openInvites) } == 1)
    try carol.accept()
    try await settle(carol, alice)
    #expect(try carol.invites().isEmpty)
    #expect(try roles(alice) == ["alice owner", "bob editor", "carol editor"])
  }

  /// Nobody can tell whose list it is before it was read.
  @Test func anOfferOfWhoDoesNotOwnItIsNeverShown() async throws {
    let carol = try await world.person("carol")
    let (branch, friend) = (try alice.branch("Groceries"), try user(carol))
    try bob.database.write { transaction in
      var message = SealedMessage()
      message.offer.branch = data(branch.bytes)
      message.offer.title = "Groceries"
      message.offer.expires = UInt64(Int64.max)
      try transaction.sendMessage(message, toRecipients: [friend], withDependencies: [])
    }
    try await settle(bob, carol)
    #expect(try carol.invites().isEmpty)
    try await alice.share("Groceries", with: "carol")
    try await settle(alice, carol)
    try carol.accept()
    try await settle(carol, alice)
    #expect(try carol.invites().isEmpty && carol.listNames() == ["Groceries"])
  }

  private static let openInvites = "SELECT count(*) FROM invites WHERE state = 'open'"
}
