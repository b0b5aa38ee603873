import CloudAPI
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Messages beside the lists of a todo list.
@Suite struct UnreadTests {
  @Test func conversationsAreNoLists() async throws {
    let (alice, bob, world) = try await sharedList(seed: "no lists")
    for (from, to, text) in [(alice, bob, "Groceries?"), (bob, alice, "yes"), (alice, bob, "good")] {
      let user = try to.user()
      try from.database.write { try $0.sendMessage(MessageDraft(to: [user], text: text)) }
      try await settle(from, to)
    }
    let tablet = try await bob.second("tablet", "bob", in: world)
    try await settle(tablet, bob, alice)
    // What was read lies beside the lists.
    for device in [alice, bob] {
      try device.database.write { transaction in
        for conversation in try transaction.conversations() { try transaction.markRead(conversation.latest.id) }
      }
    }
    try await settle(alice, bob, tablet)
    for device in [alice, bob, tablet] {
      #expect(try device.database.read { try $0.conversations().map(\.unread) } == [0])
      #expect(try device.database.read { try $0.conversations().count } == 1)
      #expect(try device.listNames() == ["Groceries"])
      #expect(try device.titles("Groceries") == ["Milk"])
      #expect(try device.quarantine().isEmpty)
    }
    withExtendedLifetime(world) {}
  }

  @Test func whatOthersSayIsMetStepByStep() async throws {
    let (alice, bob, world) = try await sharedList(seed: "unread")
    let mallory = try await world.person("mallory")
    let (a, m) = (try alice.user(), try mallory.user())
    for (from, text) in [(bob, "one"), (bob, "two"), (mallory, "buy this")] {
      _ = try await from.session.lookUp(handle: "alice")
      try from.database.write { try $0.sendMessage(MessageDraft(to: [a], text: text)) }
    }
    try await settle(bob, mallory, alice)
    func unread(_ state: MessageState?) throws -> [String] {
      try alice.database.read { try $0.unreadMessages(below: state) }.flatMap { messages in
        messages.posts.map { messages.isRequest ? "? \($0.text)" : $0.text }
      }
    }
    let all = ["one", "two", "? buy this"]
    #expect(try unread(.noticed) == all && unread(.told) == all && unread(nil) == all)
    let posts = try alice.database.read { try $0.unreadMessages().flatMap(\.posts) }
    try alice.database.write { try $0.mark(posts, as: .told) }
    #expect(try unread(.noticed).isEmpty && unread(.told).isEmpty && unread(nil) == all)
    // What was met stays met.
    try alice.database.write { try $0.mark(posts, as: .noticed) }
    #expect(try unread(.told).isEmpty)
    try alice.database.write { try $0.markRead(posts[0].id) }
    #expect(try unread(nil) == ["two", "? buy this"])
    try alice.database.write { try $0.acceptRequest(from: m) }
    #expect(try unread(nil).sorted() == ["buy this", "two"])
    // What one says oneself is not unread.
    #expect(try bob.database.read { try $0.unreadMessages() }.isEmpty)
  }

  /// More than is looked through at once, from many who talk with each other: all of it is read then, so all of it is shown.
  @Test func allThatIsUnreadIsShown() async throws {
    let talk = try await Talk("alice", "bob", seed: "unread thousands")
    try await talk.acquaint("alice", "bob")
    let first = try talk.say("one of many", from: "bob", to: "alice")
    try await talk.sync("bob", "alice")
    let alice = try talk["alice"]
    try alice.database.write { transaction in
      let node = try #require(try transaction.post(first)?.node)
      let nodes = try transaction.db.cachedStatement(
        sql: """
          WITH RECURSIVE copies (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copies WHERE number < 2100)
          INSERT INTO nodes (branch, parent, cloud_id, name)
          SELECT branch, parent, randomblob(16), 'copy' || number FROM copies, nodes WHERE id = ?
          """)
      try nodes.execute(arguments: [node])
      let posts = try transaction.db.cachedStatement(
        sql: """
          INSERT INTO posts (node, id, conversation, sender, number, sent, expires, read, post)
          SELECT n.id, randomblob(16), p.conversation, p.sender, p.number + n.id, p.sent, p.expires, p.read, p.post
          FROM posts p, nodes n WHERE p.node = ? AND n.name LIKE 'copy%'
          """)
      try posts.execute(arguments: [node])
    }
    try alice.database.read { transaction in
      let conversation = try transaction.conversations()[0]
      let shown = try transaction.messagesWithUnread(of: conversation, limit: 20)
      #expect(shown.count { !$0.isRead } == conversation.unread && conversation.unread > 2100)
      #expect(shown.first?.isRead == false)
      #expect(try transaction.messagesWithUnread(of: conversation, limit: 5000).count > shown.count)
    }
  }
}
