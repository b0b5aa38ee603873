import CloudAPI
import Sharing
import Signing
import Testing
import Treesystem

/// The article "Messages".
@Suite struct MessagesTests {
  private let server: GuideServer
  private let alice: CloudSession
  private let bob: CloudSession

  init() async throws {
    server = try GuideServer()
    alice = try Self.open(server.path("alice.db"), server)
    bob = try Self.open(server.path("bob.db"), server)
    for (session, handle) in [(alice, "alice"), (bob, "bob")] {
      try await session.signUp(handle: handle, server: GuideServer.authority)
      _ = try await session.sync()
    }
  }

  private static func open(_ path: String, _ server: GuideServer) throws -> CloudSession {
    let database = try CloudDatabase(
      path: path, appMigrations: sharingMigrations + recipeMigrations, app: SharingDelegate(app: RecipeBook()))
    return CloudSession(
      database: database, transport: server.transport, authority: GuideServer.authority, app: RecipeBook())
  }

  @Test func theyTalkAboutRecipes() async throws {
    let friend = try #require(try await alice.lookUp(handle: "bob"))

    let post = try alice.database.write { transaction in
      try transaction.sendMessage(MessageDraft(to: [friend.user], text: "Which onions?"))
    }
    _ = try await alice.sync()

    _ = try await bob.sync()
    try bob.database.write { transaction in
      for request in try transaction.requests() where request.name == "alice" {
        try transaction.acceptRequest(from: request.sender)
      }
    }

    var shown: [String] = []
    try bob.database.write { transaction in
      for conversation in try transaction.conversations() where conversation.unread > 0 {
        let posts = try transaction.messagesWithUnread(of: conversation, limit: 20)
        shown += posts.map(\.text)
        try transaction.markRead(posts)
      }
    }
    #expect(shown == ["Which onions?"])
    _ = try await bob.sync()

    try alice.database.write { try $0.burn(post) }
    _ = try await alice.sync()
    let states = try alice.database.read { try $0.deliveries(of: post) }
    #expect(states == [friend.user: .read])  // too late: it stays with bob
    #expect(try bob.database.read { try $0.post(post)?.isRead } == true)
  }
}
