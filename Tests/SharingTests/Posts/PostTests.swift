import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

/// What people say to each other.
@Suite struct PostTests {
  @Test func whatOneSaysTheOtherReads() async throws {
    let talk = try await Talk("alice", "bob")
    try await talk.acquaint("alice", "bob")
    let post = try talk.say("which sauce?", from: "alice", to: "bob")
    try await talk.sync("alice", "bob")
    #expect(try talk.texts("bob").last == "which sauce?")
    try talk.say("the red one", from: "bob", to: "alice")
    try await talk.sync("bob", "alice")
    #expect(try talk.texts("alice").suffix(2) == ["which sauce?", "the red one"])
    let bob = try talk["bob"].user()
    #expect(try talk["alice"].database.read { try $0.deliveries(of: post) } == [bob: .delivered])
    #expect(talk.ear.heard.with { $0 }.contains(.delivered(post, to: bob)))
    for name in ["alice", "bob"] { #expect(try talk[name].quarantine().isEmpty) }
  }

  /// Both are offline, and each has said three things: everybody reads them in one order, in which nobody's are turned round.
  @Test func orderIsKeptWithBothSidesOffline() async throws {
    let talk = try await Talk("alice", "bob", seed: "offline")
    try await talk.acquaint("alice", "bob")
    for number in 1...3 {
      try talk.say("alice \(number)", from: "alice", to: "bob")
      try talk.say("bob \(number)", from: "bob", to: "alice")
      // However wrong somebody's clock is.
      talk.world.clock.advance(-50_000)
    }
    try await talk.sync("alice", "bob", "alice")
    let read = try talk.texts("alice")
    #expect(try talk.texts("bob") == read)
    #expect(read.count == 8 && Set(read.suffix(6)).count == 6)
    for name in ["alice", "bob"] {
      #expect(read.filter { $0.hasPrefix("\(name) ") } == (1...3).map { "\(name) \($0)" })
    }
    try talk.say("an answer", from: "bob", to: "alice")
    try await talk.sync("bob", "alice")
    #expect(try talk.texts("alice").last == "an answer")
  }

  /// A reply that is lost has it sent again, and it is there once.
  @Test func nothingComesTwice() async throws {
    let talk = try await Talk("alice", "bob", seed: "twice")
    try await talk.acquaint("alice", "bob")
    try talk.say("once", from: "alice", to: "bob")
    let lost = Locked(0)
    try talk["alice"].transport.setFate { request in
      guard request.path == Route.batch.path, lost.with({ $0 < 3 }) else { return .delivered }
      lost.with { $0 += 1 }
      return .replyLost
    }
    for _ in 0..<4 { _ = try? await talk["alice"].sync() }
    try await talk.sync("alice", "bob", "bob")
    #expect(lost.with { $0 } == 3)
    #expect(try talk.texts("bob").filter { $0 == "once" }.count == 1)
    let arrivals = talk.ear.heard.with { $0 }.filter {
      if case .arrived(let post, _) = $0 { post.text == "once" } else { false }
    }
    #expect(arrivals.count == 1)
    #expect(try talk["alice"].unsent() == 0)
  }

  /// Fifty read it: what it says is stored once, with fifty copies.
  @Test func contentIsStoredOnceWhoeverItGoesTo() async throws {
    let friends = (0..<50).map { "friend\($0)" }
    let talk = try await Talk("alice", seed: "fifty")
    for friend in friends { _ = try await talk.world.person(friend) }
    let alice = try talk["alice"]
    var users: [UserID] = []
    for friend in friends { users.append(try #require(try await alice.session.lookUp(handle: friend)).user) }
    let before = try Self.stored(in: talk.world)
    let text = String(repeating: "word ", count: 6000)
    let post = try alice.database.write { try $0.sendMessage(MessageDraft(to: users, text: text)) }
    alice.transport.traffic.with { $0 = [] }
    try await alice.sync()
    let after = try Self.stored(in: talk.world)
    let sent = alice.transport.traffic.with { $0 }.filter { $0.request.path == Route.batch.path }
      .map(\.request.body.count).reduce(0, +)
    print(
      "50 recipients: \(after.bytes - before.bytes) bytes of content, \(sent) bytes sent, \(after.copies - before.copies) copies"
    )
    #expect(after.copies - before.copies == 50)
    #expect((30_000..<36_000).contains(after.bytes - before.bytes))
    #expect(sent < 36_000 + 50 * 1200)
    let deliveries = try alice.database.read { try $0.deliveries(of: post) }
    #expect(deliveries.count == 50 && deliveries.values.allSatisfy { $0 == .delivered })
  }

  /// How long a server takes to count what waits does not depend on how much has been said.
  @Test func theServerKeepsNoListOfWhatWasRead() async throws {
    let talk = try await Talk("alice", "bob", seed: "counted")
    try await talk.acquaint("alice", "bob")
    let before = try Self.stored(in: talk.world).copies
    let posts = try ["one", "two", "three"].map { try talk.say($0, from: "bob", to: "alice") }
    try await talk.sync("bob", "alice")
    #expect(try Self.stored(in: talk.world).copies == before + 3)
    try talk["alice"].database.write { try $0.markRead(posts[1]) }
    try await talk.sync("alice")
    // With the first word, by which they became acquainted.
    #expect(try Self.stored(in: talk.world).copies == before + 3 - 3)
  }

  /// The bytes of all small contents that the server has, and how many messages lie in inboxes.
  private static func stored(in world: World) throws -> (bytes: Int, copies: Int) {
    let path = world.folder.appendingPathComponent("server/todo-server.sqlite").path
    return try DatabaseQueue(path: path).read { db in
      (
        try Int.fetchOne(db, sql: "SELECT coalesce(sum(length(bytes)), 0) FROM contents") ?? 0,
        try Int.fetchOne(db, sql: "SELECT count(*) FROM messages") ?? 0
      )
    }
  }

  /// One who cannot be reached, a slow file and a refusal keep nobody else waiting.
  /// What finds an inbox full waits, and nothing overtakes it: it goes once somebody has read.
  @Test func whatFindsAnInboxFullWaitsForItsTurn() async throws {
    let talk = try await Talk("alice", "bob", "carol", seed: "refused")
    var posts: [PostID] = []
    for number in 0..<102 { posts.append(try talk.say("\(number)", from: "alice", to: "bob", "carol")) }
    try await talk.sync("carol", "alice")
    let (bob, carol) = (try talk["bob"].user(), try talk["carol"].user())
    let deliveries = try talk["alice"].database.read { transaction in
      try posts.map { try transaction.deliveries(of: $0) }
    }
    #expect(deliveries[99] == [bob: .delivered, carol: .delivered])
    #expect(deliveries[101] == [bob: .queued, carol: .queued])
    posts.append(try talk.say("102", from: "alice", to: "bob", "carol"))
    try await talk.sync("alice", "bob")
    let waiting = try talk["alice"].database.read { transaction in
      try transaction.operations().map { try transaction.obstacle(to: $0) }
    }
    #expect(waiting == Array(repeating: .inboxFull, count: 6))
    let sender = try talk["alice"].user()
    try talk["bob"].database.write { transaction in
      try transaction.acceptRequest(from: sender)
      for conversation in try transaction.conversations() {
        try transaction.markRead(transaction.messagesWithUnread(of: conversation, limit: 20))
      }
    }
    try await talk.sync("bob", "alice", "bob")
    #expect(try talk.texts("bob") == (0...102).map { "\($0)" })
    let last = try talk["alice"].database.read { try $0.deliveries(of: posts[102]) }
    #expect(last == [bob: .delivered, carol: .queued])
  }

  @Test func whatCannotBeSaidIsRefusedHere() async throws {
    let talk = try await Talk("alice", "bob", seed: "bad")
    #expect(throws: ShareError.withOneself) { try talk.say("me", from: "alice", to: "bob", "alice") }
    #expect(throws: PostError.empty) { try talk.say("", from: "alice", to: "bob") }
    #expect(throws: PostError.noRecipient) { try talk.say("nobody", from: "alice") }
    let long = String(repeating: "a", count: 1 << 20)
    #expect(throws: PostError.tooLong) { try talk.say(long, from: "alice", to: "bob") }
    let bob = try talk["bob"].user()
    try talk["alice"].database.write { try $0.setBlocked(bob) }
    #expect(throws: ShareError.blocked("bob")) { try talk.say("blocked", from: "alice", to: "bob") }
    #expect(try talk["alice"].database.read { try $0.conversations() }.isEmpty)
  }

  /// Whatever is in a text comes as it was typed; who shows it makes it harmless.
  @Test func anyTextArrivesAsItWas() async throws {
    let talk = try await Talk("alice", "bob", seed: "text")
    try await talk.acquaint("alice", "bob")
    let texts = ["a\u{0}b", "\u{202E}gnp.exe", "\u{1B}[2J", "é", "e\u{301}", String(repeating: "ß", count: 16_384)]
    for text in texts { try talk.say(text, from: "alice", to: "bob") }
    try await talk.sync("alice", "bob")
    #expect(try talk.texts("bob").suffix(texts.count).map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    #expect(try talk["bob"].quarantine().isEmpty)
  }

  /// Topics and circles are conversations of their own.
  @Test func peopleHaveSeveralConversations() async throws {
    let talk = try await Talk("alice", "bob", "carol", seed: "several")
    try await talk.acquaint("alice", "bob")
    let topic = CloudID.random(SystemEntropy())
    try talk.say("about it", from: "alice", to: "bob", about: topic)
    try talk.say("all three", from: "alice", to: "carol", "bob")
    try await talk.sync("alice", "bob")
    let conversations = try talk["bob"].database.read { try $0.conversations() }
    #expect(Set(conversations.map(\.latest.text)) == ["hello", "about it", "all three"])
    #expect(conversations.first { $0.topic == topic }?.users.count == 1)
    #expect(try talk.texts("bob", with: "alice", "carol") == ["all three"])
    try talk.say("I too", from: "bob", to: "alice", "carol")
    try await talk.sync("bob", "alice")
    #expect(try talk.texts("alice", with: "bob", "carol") == ["all three", "I too"])
  }

  /// What is said waits for what it is about.
  @Test func aMessageWaitsForWhatItDependsOn() async throws {
    let talk = try await Talk("alice", "bob", seed: "depends")
    try await talk.acquaint("alice", "bob")
    let (alice, bob) = (try talk["alice"], try talk["bob"].user())
    let picture = try alice.seal(talk.world.clearFile(100_000))
    let post = try alice.database.write { transaction in
      let album = try transaction.createNode(withPath: Treepath(.home, "album"))
      try transaction.setFile(picture, of: album.id)
      let upload = try #require(try transaction.uploadOperation(of: album.id))
      return try transaction.sendMessage(MessageDraft(to: [bob], text: "look"), withDependencies: [upload])
    }
    try await talk.sync("alice", "bob")
    #expect(try alice.database.read { try $0.deliveries(of: post) } == [bob: .queued])
    #expect(try talk.texts("bob").last == "hello")
    _ = try await alice.session.transferFiles()
    try await talk.sync("alice", "bob")
    #expect(try alice.database.read { try $0.deliveries(of: post) } == [bob: .delivered])
    #expect(try talk.texts("bob").last == "look")
  }

  /// Nor does what needs something that was refused: it waits for its sender, and the others do not wait with it.
  @Test func whatCannotGoKeepsNothingBack() async throws {
    let talk = try await Talk("alice", "bob", seed: "lane")
    try await talk.acquaint("alice", "bob")
    let first = try talk.say("one", from: "alice", to: "bob")
    try talk["alice"].database.write { transaction in
      let node = try #require(try transaction.post(first)?.node)
      try transaction.db.execute(
        sql: "UPDATE operations SET state = 'refused', reason = ? WHERE node = ? AND kind = 'put'",
        arguments: [Refusal.quotaExceeded.rawValue, node])
    }
    try talk.say("two", from: "alice", to: "bob")
    try await talk.sync("alice", "bob")
    #expect(try talk.texts("bob", with: "alice").suffix(1) == ["two"])
    try talk["alice"].database.write { try $0.retryRefused() }
    try await talk.sync("alice", "bob")
    #expect(try talk.texts("bob", with: "alice").suffix(2) == ["one", "two"])
    #expect(try talk["alice"].unsent() == 0)
  }
}
