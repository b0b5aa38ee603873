import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What is read leaves the inbox for its conversation, with the proof of who wrote it.
@Suite struct ReadTests {
  @Test func whatIsReadOnOneDeviceIsReadOnTheOthers() async throws {
    let talk = try await Talk("alice", "bob", seed: "read")
    let tablet = try await talk.second("tablet", of: "alice")
    try await talk.acquaint("alice", "bob")
    try talk.say("one", from: "bob", to: "alice")
    let two = try talk.say("two", from: "bob", to: "alice")
    try talk.say("three", from: "bob", to: "alice")
    try await talk.sync("bob", "alice", "tablet")
    #expect(try talk.unread("alice") == 4 && talk.unread("tablet") == 4)
    try tablet.database.write { try $0.markRead(two) }
    #expect(try talk.unread("tablet") == 1)
    try await talk.sync("tablet", "alice", "tablet")
    #expect(try talk.unread("alice") == 1)
    for name in ["alice", "tablet"] {
      #expect(try Set(talk.texts(name)) == ["hello", "one", "two", "three"])
      #expect(try talk.texts(name).count == 5)
      #expect(try talk[name].quarantine().isEmpty)
      #expect(try talk[name].unsent() == 0)
    }
    #expect(talk.ear.heard.with { $0 }.filter { $0 == .read(two) }.count == 1)
    // One is left in the inbox.
    let (alice, bob) = (try tablet.user(), try talk["bob"].user())
    #expect(try talk.world.storage.read { try $0.messageCount(in: Trunk.inbox.cloudID(of: alice), by: bob) } == 1)
    let kept = try talk["alice"].database.read { transaction in
      let places = try transaction.children(of: transaction.trunk(.home).id)
      return try places.flatMap { try transaction.children(of: $0.id) }.map { try transaction.messageSender(of: $0.id) }
    }
    #expect(kept == [bob, bob, bob])
  }

  /// A device that comes later has never met bob, and shows as his what he has signed.
  @Test func aNewDeviceReadsTheWholeConversation() async throws {
    let talk = try await Talk("alice", "bob", seed: "new device")
    try await talk.acquaint("alice", "bob")
    let post = try talk.say("the red one", from: "bob", to: "alice")
    try await talk.sync("bob", "alice")
    try talk["alice"].database.write { try $0.markRead(post) }
    try await talk.sync("alice")
    _ = try await talk.second("tablet", of: "alice")
    #expect(try talk.texts("tablet") == talk.texts("alice"))
    #expect(try talk.unread("tablet") == 0)
    let sender = try talk["tablet"].database.read { try $0.post(post)?.sender }
    #expect(try sender == talk["bob"].user())
  }

  /// Two devices that read it at once make one node of it.
  @Test func bothDevicesReadAtOnce() async throws {
    let talk = try await Talk("alice", "bob", seed: "at once")
    _ = try await talk.second("tablet", of: "alice")
    try await talk.acquaint("alice", "bob")
    let post = try talk.say("now", from: "bob", to: "alice")
    try await talk.sync("bob", "alice", "tablet")
    for name in ["alice", "tablet"] { try talk[name].database.write { try $0.markRead(post) } }
    try await talk.sync("alice", "tablet", "alice", "tablet")
    for name in ["alice", "tablet"] {
      #expect(try talk.texts(name).filter { $0 == "now" }.count == 1)
      #expect(try talk[name].unsent() == 0)
      #expect(try talk[name].quarantine().isEmpty)
      let kept = try talk[name].database.read { transaction in
        let places = try transaction.children(of: transaction.trunk(.home).id)
        return try places.map { try transaction.children(of: $0.id).count }
      }
      #expect(kept == [2])
    }
  }

  /// A picture moves by reference.
  @Test func aPictureMovesWithWhatItCameWith() async throws {
    let talk = try await Talk("alice", "bob", seed: "moves")
    try await talk.acquaint("alice", "bob")
    let file = try talk["bob"].seal(talk.world.clearFile(300_000), thumbnail: [1, 2, 3])
    let post = try talk.say("the shelf", from: "bob", to: "alice") { $0.attachment = file }
    _ = try await talk["bob"].session.transferFiles()
    try await talk.sync("bob", "alice")
    let alice = try talk["alice"]
    alice.transport.traffic.with { $0 = [] }
    try alice.database.write { try $0.markRead(post) }
    _ = try await alice.session.transferFiles()
    try await alice.sync()
    let sent = alice.transport.traffic.with { $0 }.map(\.request.body.count).reduce(0, +)
    #expect(sent < 12_000)
    #expect(try alice.unsent() == 0)
    let tablet = try await talk.second("tablet", of: "alice")
    let node = try #require(try tablet.database.read { try $0.post(post)?.node })
    let there = try #require(try tablet.database.read { try $0.file(of: node) })
    try await tablet.session.fetchFile([.thumbnail, .data], of: node)
    #expect(try tablet.database.diskStore.section(.thumbnail, of: there) == [1, 2, 3])
    #expect(try tablet.quarantine().isEmpty)
  }

  /// Two devices that read it at once make one node of a picture as well.
  @Test func bothDevicesReadAPictureAtOnce() async throws {
    let talk = try await Talk("alice", "bob", seed: "picture at once")
    _ = try await talk.second("tablet", of: "alice")
    try await talk.acquaint("alice", "bob")
    let file = try talk["bob"].seal(talk.world.clearFile(100_000), thumbnail: [1, 2, 3])
    let post = try talk.say("the shelf", from: "bob", to: "alice") { $0.attachment = file }
    _ = try await talk["bob"].session.transferFiles()
    try await talk.sync("bob", "alice", "tablet")
    for name in ["alice", "tablet"] { try talk[name].database.write { try $0.markRead(post) } }
    try await talk.sync("alice", "tablet", "alice", "tablet")
    for name in ["alice", "tablet"] {
      let device = try talk[name]
      #expect(try talk.texts(name).filter { $0 == "the shelf" }.count == 1)
      #expect(try device.unsent() == 0)
      #expect(try device.quarantine().isEmpty)
      let node = try #require(try device.database.read { try $0.post(post)?.node })
      let there = try #require(try device.database.read { try $0.file(of: node) })
      try await device.session.fetchFile([.thumbnail], of: node)
      #expect(try device.database.diskStore.section(.thumbnail, of: there) == [1, 2, 3])
    }
  }

  /// Whoever gives up what says that it was read has not read it.
  @Test func aMarkThatIsGivenUpLeavesItUnread() async throws {
    let talk = try await Talk("alice", "bob", seed: "given up")
    try await talk.acquaint("alice", "bob")
    let post = try talk.say("the shelf", from: "bob", to: "alice")
    try await talk.sync("bob", "alice")
    let alice = try talk["alice"]
    try alice.database.write { try $0.markRead(post) }
    #expect(try talk.unread("alice") == 0)
    try alice.database.write { transaction in
      let node = try transaction.post(post)?.node
      for operation in try transaction.operations() where operation.node == node {
        try transaction.discardOperation(operation.sequence)
      }
    }
    try await talk.sync("alice")
    #expect(try talk.unread("alice") == 1)
    #expect(try talk.texts("alice") == ["hello", "hello", "the shelf"])
    #expect(try alice.unsent() == 0)
  }

  /// What a stranger says is not read before they are let in.
  @Test func aRequestIsNotRead() async throws {
    let talk = try await Talk("alice", "mallory", seed: "unread")
    let post = try talk.say("buy this", from: "mallory", to: "alice")
    try await talk.sync("mallory", "alice")
    try talk["alice"].database.write { try $0.markRead(post) }
    #expect(try talk.requests("alice") == ["mallory": ["buy this"]])
  }

  /// Conversations hang in home, and are no lists.
  @Test func conversationsAreNoLists() async throws {
    let world = try World(seed: "no lists")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    let friend = try #require(try await alice.session.lookUp(handle: "bob"))
    let me = try alice.user()
    try alice.add("Groceries", "Milk")
    try alice.database.write { try $0.sendMessage(MessageDraft(to: [friend.user], text: "hello")) }
    let post = try bob.database.write { try $0.sendMessage(MessageDraft(to: [me], text: "hi")) }
    try await settle(alice, bob)
    try alice.database.write { try $0.markRead(post) }
    try await settle(alice, bob)
    #expect(try alice.listNames() == ["Groceries"])
    #expect(try alice.database.read { try $0.news(below: .seen) }.isEmpty)
    let tablet = try await alice.second("tablet", "alice", in: world)
    #expect(try tablet.listNames() == ["Groceries"])
    let said = try tablet.database.read { transaction in
      try transaction.conversations().map { try transaction.messages(in: $0.id, limit: 10).map(\.text).sorted() }
    }
    #expect(said == [["hello", "hi"]])
    try alice.database.write { try $0.keepTree() }
    #expect(try alice.listNames() == ["Groceries"])
    #expect(try alice.database.read { try $0.children(of: $0.trunk(.home).id).count } == 1)
  }
}
