import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What can become of an invitation, on one device and on several.
@Suite struct InvitationTests {
  /// Bob with two devices, both of which have the invitation.
  private func invited() async throws -> (alice: Device, bob: Device, tablet: Device) {
    let world = try World(seed: "invited")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    let tablet = try await bob.second("tablet", "bob", in: world)
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob, tablet)
    #expect(try bob.invites().count == 1)
    #expect(try tablet.invites().count == 1)
    return (alice, bob, tablet)
  }

  private func expectOneList(_ devices: Device..., titles: [String]) throws {
    for device in devices {
      #expect(try device.listNames() == ["Groceries"])
      #expect(try device.titles("Groceries") == titles)
      #expect(try device.invites().isEmpty)
      #expect(try device.quarantine().isEmpty)
      #expect(try device.unsent() == 0)
    }
  }

  @Test func twoDevicesThatAcceptOfflineMakeOneList() async throws {
    let (alice, bob, tablet) = try await invited()
    try bob.accept()
    try tablet.accept()
    try await settle(bob, tablet)
    try expectOneList(bob, tablet, titles: ["Milk"])
    try bob.add("Groceries", "Bread")
    try tablet.add("Groceries", "Butter")
    try await settle(bob, tablet, alice)
    try expectOneList(alice, bob, tablet, titles: ["Bread", "Butter", "Milk"])
  }

  @Test func oneThatIsWithdrawnIsGone() async throws {
    let (alice, bob, tablet) = try await invited()
    let user = try bob.database.read { try $0.requireAccount().user }
    let list = try alice.database.read { try $0.lists()[0] }
    try alice.database.write { _ = try $0.unshare(list.node, with: user) }
    try await settle(alice, bob, tablet)
    for device in [bob, tablet] {
      #expect(try device.invites().isEmpty)
      #expect(throws: ShareError.noSuchInvite) { try device.accept() }
      #expect(try device.unsent() == 0)
    }
    // Asked again, they may.
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob, tablet)
    try bob.accept()
    try await settle(bob, tablet)
    try expectOneList(bob, tablet, titles: ["Milk"])
  }

  @Test func oneThatIsOldIsWorthNothing() async throws {
    let world = try World(seed: "old")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    let number = try #require(try bob.invites().first).number
    world.clock.advance(91 * 24 * 3600 * 1000)
    #expect(try bob.invites().isEmpty)
    #expect(throws: ShareError.expired) { try bob.database.write { _ = try $0.graftInvite(number) } }
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob)
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  @Test func twoDevicesThatAcceptMakeOneListThoughAMessageIsLost() async throws {
    for fate in [InProcessTransport.Fate.lost, .replyLost] {
      let (alice, bob, tablet) = try await invited()
      try bob.accept()
      try tablet.accept()
      let batches = tablet.transport.setFate(fate, ofRequest: 1) { $0.path == Route.batch.path }
      #expect(try await tablet.isStopped())
      #expect(batches.with { $0 } == 1)
      try await settle(bob, tablet, alice)
      try expectOneList(alice, bob, tablet, titles: ["Milk"])
    }
  }

  @Test func acceptedHereAndDeclinedThereIsAccepted() async throws {
    for acceptedFirst in [true, false] {
      let (alice, bob, tablet) = try await invited()
      try bob.accept()
      try tablet.decline()
      if acceptedFirst { try await settle(bob, tablet) } else { try await settle(tablet, bob) }
      try await settle(alice, bob, tablet)
      try expectOneList(alice, bob, tablet, titles: ["Milk"])
      let members = try alice.database.read { try $0.members(of: $0.lists()[0].node, history: true) }
      #expect(members.allSatisfy { !$0.hasDeclined && $0.hasJoined == true })
    }
  }

  @Test func declinedIsGoneEverywhereAndCanBeOfferedAgain() async throws {
    let (alice, bob, tablet) = try await invited()
    try bob.decline()
    try await settle(bob, tablet)
    for device in [bob, tablet] {
      #expect(try device.invites().isEmpty)
      #expect(try device.listNames().isEmpty)
    }
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob, tablet)
    #expect(try tablet.invites().count == 1)
    try tablet.accept()
    try await settle(tablet, bob)
    try expectOneList(alice, bob, tablet, titles: ["Milk"])
  }

  @Test func twoInvitationsToOneListAreOne() async throws {
    let world = try World()
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob", note: "first")
    try await alice.sync()
    try await bob.sync()
    try await alice.share("Groceries", with: "bob", note: "second")
    try await settle(alice, bob)
    #expect(try bob.invites().map(\.note) == ["second"])
    try bob.accept()
    try await settle(bob, alice)
    try expectOneList(alice, bob, titles: ["Milk"])
    let tablet = try await bob.second("tablet", "bob", in: world)
    try expectOneList(tablet, titles: ["Milk"])
  }

  @Test func twoInvitationsThatWereDeclinedStayDeclinedOnANewDevice() async throws {
    let world = try World()
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Groceries", "Milk")
    for note in ["first", "second"] {
      try await alice.share("Groceries", with: "bob", note: note)
      try await settle(alice, bob)
    }
    try bob.decline()
    try await bob.sync()
    let tablet = try await bob.second("tablet", "bob", in: world)
    #expect(try tablet.invites().isEmpty)
  }

  @Test func sharingWithAMemberChangesTheRoleAndNothingElse() async throws {
    let (alice, bob, _) = try await sharedList()
    try await alice.share("Groceries", with: "bob")
    #expect(try await alice.sync().unsent == 0)
    try await bob.sync()
    try expectOneList(alice, bob, titles: ["Milk"])
    try await alice.share("Groceries", with: "bob", role: .viewer)
    #expect(try await alice.sync().unsent == 0)
    try await bob.sync()
    try expectOneList(bob, titles: ["Milk"])
    let list = try bob.database.read { try $0.lists()[0].node }
    #expect(try !bob.database.read { try $0.mayWrite(list) })
    #expect(try alice.database.read { try $0.members(of: try $0.lists()[0].node).map(\.role) } == [.owner, .viewer])
    try alice.add("Groceries", "Bread")
    try await settle(alice, bob)
    #expect(try bob.titles("Groceries") == ["Bread", "Milk"])
  }

  @Test func whatAViewerWritesIsRefusedKeptAndReported() async throws {
    let (alice, bob, _) = try await sharedList()
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await alice.sync()
    try bob.add("Groceries", "Cake")
    let report = try await bob.sync()
    #expect(report.refused == 1)
    #expect(try bob.titles("Groceries") == ["Cake", "Milk"])
    #expect(try bob.database.read { try $0.operations().map(\.reason) } == [.letterMissing])
    try await alice.sync()
    #expect(try alice.titles("Groceries") == ["Milk"])
    try await alice.share("Groceries", with: "bob", role: .editor)
    try await settle(alice, bob)
    try await alice.sync()
    #expect(try alice.titles("Groceries") == ["Cake", "Milk"])
    #expect(try bob.unsent() == 0)
  }

  @Test func whoWasRemovedReadsNothingThatIsWrittenAfterwards() async throws {
    let (alice, bob, world) = try await sharedList()
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await settle(alice, carol)
    try carol.accept()
    try await settle(carol, alice, bob)
    let user = try #require(try alice.database.read { try $0.person(handle: "bob") }).user
    try alice.database.write { try $0.recursiveRemoveShareItem(forUserID: user, nodeID: try $0.lists()[0].node) }
    try alice.add("Groceries", "Surprise for bob")
    try alice.edit("Milk", to: "Oat milk")
    try await settle(alice, carol)
    let report = try await bob.sync()
    #expect(Array(report.troubles.values) == [.branchDenied])
    #expect(try bob.titles("Groceries") == ["Milk"])
    #expect(try carol.titles("Groceries") == ["Oat milk", "Surprise for bob"])
    try carol.tick("Oat milk")
    try await settle(carol, alice)
    #expect(try alice.titles("Groceries") == ["Surprise for bob", "✓ Oat milk"])
    #expect(try alice.quarantine().isEmpty && carol.quarantine().isEmpty)
    #expect(try alice.unsent() == 0 && carol.unsent() == 0)
  }

  @Test func anAdminWhoWasDemotedAndPromotedAgainCanShare() async throws {
    let (alice, bob, world) = try await sharedList()
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await alice.sync()
    try await bob.share("Groceries", with: "carol")
    #expect(try await bob.sync().refused == 1)
    try await carol.sync()
    #expect(try carol.invites().isEmpty)
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try await bob.share("Groceries", with: "carol")
    try await settle(bob, carol)
    #expect(try carol.invites().count == 1)
    #expect(try bob.unsent() == 0)
  }

  @Test func aListRemovedOnOneDeviceComesBackIfTheOtherHasUnsentTodos() async throws {
    let (alice, _, world) = try await sharedList()
    let laptop = try await alice.second("laptop", "alice", in: world)
    try alice.add("Groceries", "not sent yet")
    try laptop.letGo("Groceries")
    try await laptop.sync()
    try await alice.sync()
    try await laptop.sync()
    #expect(try alice.titles("Groceries") == ["Milk", "not sent yet"])
    #expect(try laptop.titles("Groceries") == ["Milk", "not sent yet"])
  }

  @Test func nobodySharesWithThemselvesWithNobodyOrWhatIsNotTheirs() async throws {
    let (alice, bob, world) = try await sharedList()
    await #expect(throws: ShareError.withOneself) { try await alice.share("Groceries", with: "alice") }
    await #expect(throws: ShareError.unknownUser("zoe")) { try await alice.share("Groceries", with: "zoe") }
    await #expect(throws: ShareError.unknownUser("Not a handle")) {
      try await alice.share("Groceries", with: "Not a handle")
    }
    _ = try await world.person("carol")
    await #expect(throws: ShareError.notPermitted) { try await bob.share("Groceries", with: "carol") }
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    await #expect(throws: ShareError.ownerStays) { try await bob.share("Groceries", with: "alice", role: .viewer) }
    #expect(try alice.unsent() == 0)
    #expect(try bob.unsent() == 0)
  }

  @Test func anAdminInvitesAndAListThatWasRemovedCanBeAcceptedAgain() async throws {
    let (alice, bob, world) = try await sharedList()
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try await bob.share("Groceries", with: "carol")
    try await settle(bob, carol)
    try carol.accept()
    try await settle(carol, alice)
    try expectOneList(carol, alice, titles: ["Milk"])
    try carol.database.write { try $0.removeList(try $0.lists()[0]) }
    try await carol.sync()
    #expect(try carol.listNames().isEmpty)
    #expect(try carol.unsent() == 0)
    try await bob.share("Groceries", with: "carol")
    try await settle(bob, carol)
    try carol.accept()
    try await settle(carol, bob)
    try expectOneList(carol, bob, titles: ["Milk"])
  }

  /// A name that one device gave before another removes the list brings the list back, unless whoever removes it has
  /// seen the name. One that comes later does not. Nothing is stuck either way, and both end alike.
  @Test(arguments: [
    (InProcessTransport.Fate.lost, false, []), (.replyLost, false, ["Mine"]), (.replyLost, true, []),
  ])
  func anEditUnderWayMeetsADeletion(_ fate: InProcessTransport.Fate, _ seen: Bool, _ end: [String]) async throws {
    let (alice, bob, tablet) = try await invited()
    try bob.accept()
    try await settle(bob, tablet)
    try tablet.database.write { transaction in
      let pointer = try #require(try transaction.pointer(to: transaction.lists()[0].node))
      try transaction.setAlias("Mine", of: pointer)
    }
    _ = tablet.transport.setFate(fate, ofRequest: 1) { $0.path == Route.batch.path }
    #expect(try await tablet.isStopped())
    if seen { try await bob.sync() }
    try bob.database.write { try $0.removeList(try $0.lists()[0]) }
    try await settle(bob, tablet, alice)
    for device in [bob, tablet] {
      #expect(try device.listNames() == end)
      #expect(try device.unsent() == 0)
      #expect(try device.quarantine().isEmpty)
    }
    #expect(try alice.titles("Groceries") == ["Milk"])
  }
}
