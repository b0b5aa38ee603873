import CloudAPI
import Sharing
import Signing
import Testing
import Treesystem

/// The article "Collaborate".
@Suite struct CollaborateTests {
  private let server: GuideServer
  private let alice: CloudSession
  private let bob: CloudSession

  init() async throws {
    server = try GuideServer()
    alice = try Self.open(server.path("alice.db"), server.transport, GuideServer.authority)
    bob = try Self.open(server.path("bob.db"), server.transport, GuideServer.authority)
    for (session, handle) in [(alice, "alice"), (bob, "bob")] {
      try await session.signUp(handle: handle, server: GuideServer.authority)
      _ = try await session.sync()
    }
  }

  private static func open(
    _ path: String, _ transport: some CloudTransport & CloudStreaming, _ authority: String
  ) throws -> CloudSession {
    let database = try CloudDatabase(
      path: path, appMigrations: sharingMigrations + recipeMigrations, app: SharingDelegate(app: RecipeBook()))
    return CloudSession(database: database, transport: transport, authority: authority, app: RecipeBook())
  }

  /// Alice shares a book with bob, who accepts. Returns its root on either side.
  private func share(_ role: Role) async throws -> (alices: NodeID, bobs: NodeID, friend: Person) {
    guard let friend = try await alice.lookUp(handle: "bob") else { throw ShareError.unknownUser("bob") }

    let book = try alice.database.write { transaction in
      let book = try transaction.createBranch(withPath: Treepath(.home, "soups"))
      _ = try transaction.addRecipe("Onion soup", "Weep.", to: book.id)
      try transaction.share(book.id, with: friend.user, role: role, title: "Soups", note: "Yours are missing.")
      return book
    }
    _ = try await alice.sync()

    _ = try await bob.sync()
    let branch = try bob.database.write { transaction in
      let invite = try transaction.invites()[0]
      #expect(invite.senderName == "alice")
      return try transaction.graftInvite(invite.number).pointer
    }
    _ = try await bob.sync()
    let root = try bob.database.read { transaction in try branch.flatMap { try transaction.root(of: $0) } }

    return (book.id, try #require(root).id, friend)
  }

  @Test func twoPeopleWriteInOneBook() async throws {
    let (book, copy, _) = try await share(.editor)

    _ = try bob.database.write { try $0.addRecipe("Borscht", "Grate.", to: copy) }
    _ = try await bob.sync()
    _ = try await alice.sync()
    let titles = try alice.database.read { try $0.recipes(in: book).map(\.title) }
    #expect(titles == ["Borscht", "Onion soup"])

    let members = try alice.database.read { try $0.members(of: book) }
    #expect(members.map(\.name) == ["alice", "bob"])
    #expect(members.map(\.role) == [.owner, .editor])
  }

  @Test func theyCompareNumbers() async throws {
    let friend = try #require(try await alice.lookUp(handle: "bob"))
    _ = try await bob.lookUp(handle: "alice")

    let me = try alice.database.read { try $0.requireAccount().user }
    let number = SafetyNumber(of: me, and: friend.user)
    let digits = number.description  // sixty of them, the same on bob's screen
    try alice.database.write { try $0.setVerified(friend.user) }

    #expect(digits.count { $0.isNumber } == 60)
    #expect(try alice.database.read { try $0.regard(for: friend.user).isVerified })
  }

  @Test func whatAViewerWritesIsRefusedAndCanBeGivenUp() async throws {
    let (_, copy, _) = try await share(.viewer)
    _ = try bob.database.write { try $0.addRecipe("Borscht", "Grate.", to: copy) }

    let report = try await bob.sync()
    #expect(report.refused == 1)
    try bob.database.write { transaction in
      for operation in try transaction.operations() where operation.state == .refused {
        #expect(operation.reason == .letterMissing)
        try transaction.discardOperation(operation.sequence)
      }
    }
    #expect(try bob.database.read { try $0.recipes(in: copy).map(\.title) } == ["Onion soup"])
  }

  @Test func aMemberIsTakenOff() async throws {
    let (book, copy, friend) = try await share(.editor)

    try alice.database.write { _ = try $0.unshare(book, with: friend.user) }
    _ = try await alice.sync()

    let report = try await bob.sync()
    #expect(report.troubles.values.contains(.branchDenied))
    let removal = try bob.database.read { transaction in
      try transaction.node(copy).flatMap { try transaction.removal(from: $0.branch) }
    }
    let me = try alice.database.read { try $0.requireAccount().user }
    #expect(removal?.by == me)
  }
}
