import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

/// Files that go with what people say.
@Suite struct AttachmentTests {
  @Test func aPictureComesWithItsText() async throws {
    let talk = try await Talk("alice", "bob", seed: "attached")
    try await talk.acquaint("alice", "bob")
    let path = try talk.world.clearFile(300_000)
    let file = try talk["alice"].seal(path, thumbnail: [1, 2, 3])
    try talk.say("the shelf", from: "alice", to: "bob") { $0.attachment = file }
    try talk.say("do you see it?", from: "alice", to: "bob")
    try await talk.sync("alice", "bob")
    // It is on its way, and what follows waits for it.
    #expect(try talk.texts("bob").last == "hello")
    _ = try await talk["alice"].session.transferFiles()
    try await talk.sync("alice", "bob")
    #expect(try talk.texts("bob").suffix(2) == ["the shelf", "do you see it?"])
    let bob = try talk["bob"]
    let (node, there) = try bob.database.read { transaction in
      let conversation = try transaction.conversations()[0].id
      let post = try #require(try transaction.messages(in: conversation, limit: 10).first { $0.text == "the shelf" })
      let node = try #require(post.node)
      return (node, try #require(try transaction.file(of: node)))
    }
    try await bob.session.fetchFile([.thumbnail, .data], of: node)
    #expect(try bob.database.diskStore.section(.thumbnail, of: there) == [1, 2, 3])
    var sink = Bytes()
    #expect(try bob.database.diskStore.data(of: there, into: &sink))
    #expect(sink.all == Array(try Data(contentsOf: URL(filePath: path))))
    #expect(try bob.quarantine().isEmpty)
  }

  /// What was just read lies in home here, and in the inbox on the server, until the next sync.
  @Test func aPictureCanBeHadRightAfterItWasRead() async throws {
    let talk = try await Talk("alice", "bob", seed: "right after")
    try await talk.acquaint("alice", "bob")
    let file = try talk["alice"].seal(talk.world.clearFile(300_000), thumbnail: [1, 2, 3])
    let post = try talk.say("the shelf", from: "alice", to: "bob") { $0.attachment = file }
    _ = try await talk["alice"].session.transferFiles()
    try await talk.sync("alice", "bob")
    let bob = try talk["bob"]
    try bob.database.write { try $0.markRead(post) }
    let node = try #require(try bob.database.read { try $0.post(post)?.node })
    try await bob.session.fetchFile([.thumbnail, .data], of: node)
    let there = try #require(try bob.database.read { try $0.file(of: node) })
    #expect(try bob.database.diskStore.section(.thumbnail, of: there) == [1, 2, 3])
    var sink = Bytes()
    #expect(try bob.database.diskStore.data(of: there, into: &sink))
    #expect(sink.all.count == 300_000)
    try await bob.sync()
    #expect(try bob.unsent() == 0)
  }

  /// Before all of it has come a new device knows that there is one.
  @Test func aNewDeviceSeesThatThereIsAPicture() async throws {
    let story = try await LongTalk(about: 1, rounds: 2, seed: "mark")
    let alice = try story.talk["alice"]
    let file = try alice.seal(story.talk.world.clearFile(100_000))
    let post = try story.talk.say("the shelf", from: "alice", to: "bob") { $0.attachment = file }
    let other = try story.talk.say("the door", from: "alice", to: "bob")
    _ = try await alice.session.transferFiles()
    try await story.talk.sync("alice")
    let tablet = try await story.newDevice(pageLines: 10)
    try tablet.cutOff(.home)
    await #expect(throws: CloudFailure.unreachable) { try await tablet.sync() }
    for device in [tablet, alice] {
      let (shown, plain) = try device.database.read { (try $0.post(post), try $0.post(other)) }
      #expect(shown?.hasFile == true && plain?.hasFile == false)
      #expect((shown?.node == nil) == (device === tablet))
      let conversation = try #require(shown?.conversation)
      let listed = try device.database.read { try $0.messages(in: conversation, limit: 10) }
      #expect(listed.filter(\.hasFile).map(\.id) == [post])
    }
  }

  /// However many it goes to, it is uploaded once.
  @Test func aPictureForFiftyIsUploadedOnce() async throws {
    let friends = (0..<50).map { "friend\($0)" }
    let talk = try await Talk("alice", seed: "fifty pictures")
    for friend in friends { _ = try await talk.world.person(friend) }
    let alice = try talk["alice"]
    var users: [UserID] = []
    for friend in friends { users.append(try #require(try await alice.session.lookUp(handle: friend)).user) }
    let size = 10 * 1024 * 1024
    let file = try alice.seal(talk.world.clearFile(size))
    let post = try alice.database.write {
      try $0.sendMessage(MessageDraft(to: users, text: "all of us", attachment: file))
    }
    alice.transport.traffic.with { $0 = [] }
    _ = try await alice.session.transferFiles()
    try await alice.sync()
    let sent = alice.transport.traffic.with { $0 }.map(\.request.body.count).reduce(0, +)
    print("10 MiB to 50 people: \(sent) bytes sent")
    #expect((size..<size + size / 50).contains(sent))
    let deliveries = try alice.database.read { try $0.deliveries(of: post) }
    #expect(deliveries.count == 50 && deliveries.values.allSatisfy { $0 == .delivered })
  }
}

/// A file that is small enough for memory.
private struct Bytes: FileSink {
  var all: [UInt8] = []
  mutating func write(_ bytes: [UInt8]) { all += bytes }
}
