import CloudAPI
import CloudServer
import GRDB
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// An account comes to its end: nothing of others goes with it, and nothing of the one who ends it is lost on the device.
@Suite struct DeletedAccountTests {
  private func count(_ world: World, _ user: UserID) throws -> Int {
    try world.storage.read { storage in
      try Trunk.allCases.count { try storage.head(of: $0.cloudID(of: user)) != nil }
    }
  }

  @Test func theServerKeepsOnlyKeyringAndHandle() async throws {
    let world = try World(seed: "deleted")
    let alice = try await world.person("alice")
    try alice.add("Groceries", "Milk", "Eggs")
    try await alice.sync()
    let (user, branch) = (try alice.own().user, try alice.branch("Groceries"))
    #expect(try count(world, user) == 4)
    try await alice.session.deleteAccount()
    #expect(try count(world, user) == 0)
    let (head, named, entries) = try world.storage.read { storage in
      let entries = try storage.keyringEntries(of: user, after: 0).count
      return (try storage.head(of: branch), try storage.branches(ownedBy: user), entries)
    }
    #expect(head == nil && named.isEmpty && entries == 5)
    let other = try world.device("other")
    await #expect(throws: CloudFailure.refused(.handleTaken)) {
      try await other.session.signUp(handle: "alice", server: "test")
    }
    await #expect(throws: LogInFailure.accountDeleted("alice")) {
      try await other.session.askToLogIn(handle: "alice", server: "test", name: "other")
    }
    let root = try #require(try alice.database.read { try $0.root() })
    await #expect(throws: LogInFailure.accountDeleted("alice")) {
      try await other.session.logIn(root: root, handle: "alice", server: "test")
    }
  }

  /// The lists are here as before there was an account, and go with the next one.
  @Test func theListsStayHereAndCanBeUploadedAgain() async throws {
    let world = try World(seed: "kept")
    let alice = try await world.person("alice")
    try alice.add("Groceries", "Milk", "Eggs")
    try alice.add("Work", "Mail")
    try await alice.sync()
    try alice.tick("Eggs")
    try await alice.sync()
    let before = try alice.branch("Groceries")
    try await alice.session.deleteAccount()
    try alice.database.write { try $0.keepTree() }
    #expect(try alice.database.read { try $0.account() } == nil)
    #expect(try alice.titles("Groceries") == ["Milk", "✓ Eggs"])
    try alice.edit("Milk", to: "Oat milk")
    try await alice.session.signUp(handle: "alicia", server: "test")
    try await settle(alice)
    #expect(try alice.unsent() == 0)
    let after = try alice.branch("Groceries")
    #expect(after != before)
    #expect(try alice.database.read { try $0.keyProblems() }.isEmpty)
    let phone = try await alice.second("phone", "alicia", in: world)
    #expect(try phone.titles("Groceries") == ["Oat milk", "✓ Eggs"])
    #expect(try phone.titles("Work") == ["Mail"])
    try phone.add("Work", "Tea")
    try await settle(phone, alice)
    #expect(try alice.titles("Work") == ["Mail", "Tea"])
  }

  /// What somebody else shares stays on the device as a copy, with nothing that leads to the original.
  @Test func aCopyOfAnothersListIsOnesOwn() async throws {
    let (alice, bob, _) = try await sharedList(seed: "copy")
    try bob.database.write { try $0.keepTree() }
    #expect(try bob.titles("Groceries") == ["Milk"])
    try bob.add("Groceries", "Mine")
    try await bob.session.signUp(handle: "robert", server: "test")
    try await settle(bob, alice)
    #expect(try bob.titles("Groceries") == ["Milk", "Mine"].sorted())
    #expect(try alice.titles("Groceries") == ["Milk"])
    let (copy, original) = (try bob.branch("Groceries"), try alice.branch("Groceries"))
    #expect(copy != original)
  }

  /// Neither a server nor somebody who is on both lists tells by an id what is a copy of what.
  @Test func noIDOfACopyIsOneOfTheOriginal() async throws {
    let (alice, bob, _) = try await sharedList(seed: "ids")
    try bob.database.write { transaction in
      let list = try #require(try transaction.lists().first { $0.name == "Groceries" })
      let milk = try #require(try transaction.todos(in: list.node, .open).first)
      try transaction.addComment(try Note("oat"), to: milk)
    }
    try await settle(bob, alice)
    let before = try ids(bob)
    #expect(try ids(alice) == before && before.count >= 4)
    try bob.database.write { try $0.keepLists() }
    #expect(try ids(bob).isDisjoint(with: before) && ids(bob).count == before.count)
    #expect(try bob.titles("Groceries") == ["Milk"])
    try await bob.session.signUp(handle: "robert", server: "test")
    try await settle(bob, alice)
    #expect(try bob.unsent() == 0 && ids(alice) == before)
  }

  /// All by which a node of a list can be told.
  private func ids(_ device: Device) throws -> Set<String> {
    try device.database.read { (transaction: CloudTransaction) throws in
      let rows = try Row.fetchAll(
        transaction.db,
        sql: "SELECT hex(n.cloud_id), n.name, t.todo_id FROM todos t JOIN nodes n ON n.id = t.node")
      return Set(rows.flatMap { [$0[0], $0[1], $0[2]] as [String] })
    }
  }

  @Test func nothingThatOthersShareIsDeleted() async throws {
    let (alice, bob, world) = try await sharedList(seed: "shared")
    let user = try alice.own().user
    await #expect(throws: CloudFailure.refused(.listsShared)) { try await alice.session.deleteAccount() }
    #expect(try count(world, user) == 4, "all or nothing")
    try bob.add("Groceries", "Bread")
    try await settle(bob, alice)
    #expect(try alice.titles("Groceries") == ["Bread", "Milk"])
    // The member may go.
    try bob.database.write { transaction in
      for list in try transaction.lists() { try transaction.leave(list.node) }
    }
    try await bob.sync()
    try await bob.session.deleteAccount()
    try await alice.sync()
    #expect(try alice.titles("Groceries") == ["Bread", "Milk"])
    #expect(try alice.quarantine().isEmpty)
    // What he wrote is still his, for whoever reads it first now.
    let phone = try await alice.second("phone", "alice", in: world)
    #expect(try phone.titles("Groceries") == ["Bread", "Milk"])
    #expect(try phone.quarantine().isEmpty)
    await #expect(throws: ShareError.accountDeleted("bob")) { try await alice.share("Groceries", with: "bob") }
    try await settle(alice)
    try await alice.session.deleteAccount()
  }

  @Test func otherDevicesHearOfIt() async throws {
    let world = try World(seed: "heard")
    let alice = try await world.person("alice")
    try alice.add("Groceries", "Milk")
    try await alice.sync()
    let phone = try await alice.second("phone", "alice", in: world)
    try phone.add("Groceries", "Unsent")
    try await alice.session.deleteAccount()
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await phone.sync() }
    let end = try #require(try phone.database.read { try $0.accountEnd() })
    let ender = try alice.own().device
    #expect(end.isDeletion && end.by == ender)
    #expect(try phone.titles("Groceries") == ["Milk", "Unsent"])
  }

  /// The answer is lost: asked again, it is found done.
  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func aLostAnswerIsGoneOnWith(_ fate: InProcessTransport.Fate) async throws {
    let world = try World(seed: "lost")
    let alice = try await world.person("alice")
    alice.transport.setFate { $0.path == Route.keyringAppend.path ? fate : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await alice.session.deleteAccount() }
    alice.transport.setFate { _ in .delivered }
    try await alice.session.deleteAccount()
    #expect(try count(world, alice.own().user) == 0)
  }

  @Test func nothingFollowsInTheKeyring() async throws {
    let world = try World(seed: "last")
    let alice = try await world.person("alice")
    try await alice.session.deleteAccount()
    let identity = try alice.database.read { try $0.root() }
    let user = try alice.own().user
    let known = try alice.database.read { try $0.keyring(user) }
    let keyring = try #require(known)
    #expect(keyring.activeDevices.isEmpty && keyring.deleted == 5)
    var chain = KeyringChain(after: keyring, now: 0)
    let root = try #require(identity)
    chain.append(.setHandle("alicia", rootKey: nil, rootBoxKey: nil), signedBy: root.signing)
    #expect(throws: Refusal.accountDeleted) {
      var after = keyring
      try after.append(chain.records)
    }
  }

  @Test func aListThatWasDeletedForEverybodyIsNoHindrance() async throws {
    let (alice, bob, _) = try await sharedList(seed: "closed")
    try alice.database.write { _ = try $0.close($0.lists()[0].node) }
    try await settle(alice, bob)
    try await alice.session.deleteAccount()
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  /// The account still has the list under its old id, which leads to what the server has.
  @Test func whatWasKeptStaysBesideWhatTheAccountHas() async throws {
    let world = try World(seed: "kept")
    let alice = try await world.person("alice")
    try alice.add("Home", "one")
    try await settle(alice)
    let root = try #require(try alice.database.read { try $0.root() })
    try alice.database.write { try $0.keepTree() }
    try alice.add("Home", "two")
    try await alice.session.logIn(root: root, handle: "alice", server: "test")
    try await settle(alice)
    let titles = try alice.database.read { transaction in
      try transaction.lists().flatMap { try transaction.todos(in: $0.node, .open).map(\.title) }.sorted()
    }
    #expect(titles == ["one", "one", "two"])
    #expect(try alice.unsent() == 0)
  }

  // MARK: what others sent them, and they sent others

  /// Nobody reads it any more: it keeps nothing waiting.
  @Test func aCodeGoesWithTheAccount() async throws {
    let world = try World(seed: "code of one who is gone")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Gift", "Book")
    try await alice.sync()
    let code = try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      return try transaction.makeCode(for: list.node, role: .editor, title: list.title, note: "")
    }
    let inviter = try #require(try await bob.session.lookUp(handle: "alice")).user
    try await alice.session.deleteAccount()
    try bob.database.write { try $0.claim(code, of: inviter) }
    #expect(try await bob.sync().troubles.isEmpty)
    #expect(try bob.unsent() == 0)
    #expect(try bob.database.read { try $0.openClaims().map(\.dead) } == [.accountDeleted])
    // Now it is known.
    try bob.database.write { try $0.dismiss($0.openClaims()[0]) }
    #expect(throws: ShareError.accountDeleted("alice")) { try bob.database.write { try $0.claim(code, of: inviter) } }
    #expect(try bob.unsent() == 0)
  }

  @Test func anInvitationToTheirListGoesWithTheAccount() async throws {
    let world = try World(seed: "invited by one who is gone")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Gift", "Book")
    try await alice.share("Gift", with: "bob")
    try await settle(alice, bob)
    #expect(try bob.invites().map(\.isSenderGone) == [false])
    let friend = try bob.own().user
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await alice.sync()
    try await alice.session.deleteAccount()
    try await bob.sync()
    #expect(try bob.invites().map(\.isSenderGone) == [true])
    try bob.decline()
    #expect(try await bob.sync().troubles.isEmpty)
    #expect(try bob.unsent() == 0 && bob.invites().isEmpty)
  }

  /// Whoever accepts it gets nothing, and hears why.
  @Test func whoAcceptsWhatWentWithAnAccountHearsIt() async throws {
    let world = try World(seed: "accepts what is gone")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Gift", "Book")
    try await alice.share("Gift", with: "bob")
    try await settle(alice, bob)
    let friend = try bob.own().user
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await alice.sync()
    try await alice.session.deleteAccount()
    try bob.accept()
    try await settle(bob)
    #expect(try bob.database.read { try $0.deletedInvites().map { "\($0.title) by \($0.by)" } } == ["Gift by alice"])
    #expect(try bob.listNames() == [] && bob.unsent() == 0 && bob.invites().isEmpty)
  }

  /// What was handed over before the account went lives on, and so does an invitation to it.
  @Test func anInvitationToWhatWasHandedOverLeadsThere() async throws {
    let (alice, bob, world) = try await sharedList(seed: "handed over and gone")
    let (carol, successor, former) = (try await world.person("carol"), try bob.own().user, try alice.own().user)
    try await alice.share("Groceries", with: "carol")
    try await settle(alice, carol)
    try alice.database.write { try $0.offerOwnership(of: $0.lists()[0].node, to: successor, title: "Groceries") }
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    try alice.database.write { _ = try $0.leave($0.lists()[0].node) }
    try await alice.sync()
    try await alice.session.deleteAccount()
    try await carol.sync()
    #expect(try carol.database.read { try $0.hasDeletedAccount(former) })
    #expect(try carol.invites().map(\.isSenderGone) == [true])
    try carol.accept()
    try await settle(carol)
    #expect(try carol.titles("Groceries") == ["Milk"] && carol.unsent() == 0)
    #expect(try carol.database.read { try $0.deletedInvites() } == [])
  }

  /// The list is somebody else's, and goes on.
  @Test func anInvitationOfAnAdminStands() async throws {
    let (alice, bob, world) = try await sharedList(seed: "admin who is gone")
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try await bob.share("Groceries", with: "carol")
    try await settle(bob, carol, alice)
    try bob.database.write { _ = try $0.leave($0.lists()[0].node) }
    try await bob.sync()
    let admin = try bob.own().user
    try await bob.session.deleteAccount()
    try await carol.sync()
    #expect(try carol.database.read { try $0.hasDeletedAccount(admin) })
    #expect(try carol.invites().map(\.isSenderGone) == [false])
    try carol.accept()
    try await carol.sync()
    #expect(try carol.titles("Groceries") == ["Milk"] && carol.unsent() == 0)
  }
}
