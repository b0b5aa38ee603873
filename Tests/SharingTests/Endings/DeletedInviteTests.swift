import CloudAPI
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// What becomes of invitations to a list that its owner deletes: whoever has not accepted gets nothing of it, and is told.
@Suite struct DeletedInviteTests {
  private let world: World
  private let alice: Device
  private let bob: Device
  private let dave: Device

  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "deleted-invite")
    dave = try await world.person("dave")
  }

  private func close() throws { try alice.database.write { _ = try $0.close($0.lists()[0].node) } }

  private func deleted() throws -> [String] {
    try dave.database.read { try $0.deletedInvites().map { "\($0.title) by \($0.by)" } }
  }

  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  private func readers(_ branch: CloudID) throws -> Int? {
    try bob.database.read { transaction in
      try transaction.branch(branch).flatMap { try transaction.permissions(of: $0)?.body.entries.count }
    }
  }

  private func expectNothing() throws {
    #expect(try deleted() == ["Groceries by alice"])
    #expect(try dave.listNames() == [] && dave.invites().isEmpty && dave.unsent() == 0)
    let pointers = try dave.database.read { transaction in
      try transaction.children(of: transaction.trunk(.home).id).filter { $0.pointer != nil }.count
    }
    #expect(pointers == 0)
  }

  @Test(arguments: [false, true]) func whoHasNotAnsweredIsTakenOffFirst(isRead: Bool) async throws {
    let branch = try alice.branch("Groceries")
    try await alice.share("Groceries", with: "dave")
    try await alice.sync()
    if isRead { try await dave.sync() }
    try close()
    try await settle(alice, bob, dave)
    #expect(try readers(branch) == 2)
    try expectNothing()
    #expect(try bob.titles("Groceries") == ["Milk"])
    #expect(try alice.unsent() == 0 && bob.unsent() == 0)
  }

  /// Accepted without a network, when it was deleted already.
  @Test func whoAcceptsTooLateGetsNothing() async throws {
    try await alice.share("Groceries", with: "dave")
    try await alice.sync()
    try await dave.sync()
    try close()
    try await alice.sync()
    try dave.accept()
    try await settle(dave, alice)
    try expectNothing()
  }

  /// What they accepted the first time says nothing of the second.
  @Test func whoHadBeenOnItBeforeGetsNothingEither() async throws {
    let friend = try user(dave)
    try await alice.share("Groceries", with: "dave")
    try await settle(alice, dave)
    try dave.accept()
    try await settle(dave, alice)
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await settle(alice, dave)
    try dave.database.write { transaction in
      for pointer in try transaction.children(of: transaction.trunk(.home).id) { try transaction.letGo(of: pointer) }
    }
    try await dave.sync()
    try await alice.share("Groceries", with: "dave")
    try await settle(alice, dave)
    try dave.accept()
    try close()
    try await settle(alice, dave)
    try expectNothing()
  }

  /// Only who owns a list ends it: of anybody else it is a removal.
  @Test func anAdminsWordThatItEndedIsOneThatTheyTookSomebodyOff() async throws {
    let (friend, cloudID) = (try user(dave), try alice.branch("Groceries"))
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await alice.share("Groceries", with: "dave")
    try await settle(alice, bob, dave)
    try dave.accept()
    try await settle(dave, alice, bob)
    try bob.database.write { transaction in
      let operations = try transaction.takeOff(transaction.lists()[0].node, friend)
      try transaction.tellWithdrawn(cloudID, to: friend, isClosing: true, once: operations)
    }
    try await settle(bob, dave)
    let removal = try dave.database.read { try $0.removal(from: $0.lists()[0].branch) }
    #expect(try removal?.by == user(bob) && removal?.isDeletion == false)
    #expect(try deleted() == [] && dave.listNames() == ["Groceries"])
  }

  /// An invitation of an admin ends with the owner's word.
  @Test func whatTheOwnerTakesBackIsNotOnShowForAnother() async throws {
    let friend = try user(dave)
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try await bob.share("Groceries", with: "dave")
    try await settle(bob, alice, dave)
    #expect(try dave.invites().count == 1)
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await settle(alice, dave)
    #expect(try dave.invites().isEmpty && deleted() == [])
  }

  /// Of whom an admin invited the owner does not know whether they accepted.
  @Test func whomAnAdminInvitedGetsNothingEither() async throws {
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try await bob.share("Groceries", with: "dave")
    try await settle(bob, alice, dave)
    try close()
    try await settle(alice, bob)
    try dave.accept()
    try await settle(dave, alice)
    try expectNothing()
  }

  /// Their word that they accepted has not come to the owner's device: what they have read stays theirs.
  @Test func whoHadAcceptedKeepsWhatTheyHave() async throws {
    try await alice.share("Groceries", with: "dave")
    try await alice.sync()
    try await dave.sync()
    try dave.accept()
    try await dave.sync()
    #expect(try dave.titles("Groceries") == ["Milk"])
    try close()
    try await settle(alice, dave)
    #expect(try deleted() == [])
    #expect(try dave.titles("Groceries") == ["Milk"])
    let list = try #require(try dave.database.read { try $0.lists().first })
    #expect(try dave.database.read { try $0.removal(from: list.branch)?.isDeletion } == true)
    try dave.database.write { _ = try $0.keepList(list) }
    try await dave.sync()
    #expect(try dave.titles("Groceries") == ["Milk"])
  }

  @Test func itsCodesLetNobodyIn() async throws {
    let code = try alice.database.write { transaction in
      try transaction.makeCode(for: transaction.lists()[0].node, role: .editor, title: "Groceries", note: "")
    }
    try close()
    try await alice.sync()
    let inviter = try #require(try await dave.session.lookUp(handle: "alice"))
    try dave.database.write { try $0.claim(code, of: inviter.user) }
    try await settle(dave, alice, dave)
    #expect(try dave.database.read { try $0.openClaims().map(\.dead) } == [.withdrawn])
  }

  /// Who thinks better of it has told nobody.
  @Test func anEndThatIsGivenUpIsToldToNobody() async throws {
    try await alice.share("Groceries", with: "dave")
    try await settle(alice, dave)
    try alice.database.write { transaction in
      let end = try transaction.close(transaction.lists()[0].node).last
      try transaction.discardOperation(#require(end?.sequence))
    }
    try await settle(alice, dave)
    #expect(try deleted() == [])
    #expect(try alice.listNames() == ["Groceries"])
  }
}
