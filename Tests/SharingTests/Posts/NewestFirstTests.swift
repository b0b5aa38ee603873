import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sharing
import Signing
import TestSupport
import Testing

@testable import Treesystem

/// A new device shows the conversations, and the newest of each, before the rest has come (spec §8.9).
@Suite struct NewestFirstTests {
  @Test func aNewDeviceShowsTheNewestOfEveryConversationFirst() async throws {
    let story = try await LongTalk(about: 20, rounds: 3, seed: "newest")
    let alice = try story.talk["alice"]
    try story.talk.say("not read", from: "bob", to: "alice", about: story.topics[3])
    try await story.talk.sync("bob", "alice")
    let tablet = try await story.newDevice(pageLines: 50)
    try tablet.cutOff(.home)
    await #expect(throws: CloudFailure.unreachable) { try await tablet.sync() }
    let (shown, truth) = (try story.shown(tablet, limit: 20), try story.shown(alice, limit: 20))
    #expect(truth.count == 21 && truth.values.count { $0.count == 21 } == 20)
    #expect(shown == truth)
    try tablet.database.read { transaction in
      let home = try #require(try transaction.branch(Trunk.home.cloudID(of: transaction.requireAccount().user)))
      #expect(try transaction.cursor(of: home)?.line == 0)
      #expect(try transaction.children(of: transaction.trunk(.home).id).isEmpty)
      #expect(try transaction.hasProvisional())
    }
    tablet.transport.setFate { _ in .delivered }
    #expect(try await tablet.sync().troubles.isEmpty)
    #expect(try story.shown(tablet, limit: 1000) == story.shown(alice, limit: 1000))
    try nothingIsLeft(on: tablet)
    #expect(try tablet.unsent() == 0)
  }

  private func nothingIsLeft(on device: Device) throws {
    try device.database.read { (transaction: CloudTransaction) throws in
      #expect(try !transaction.hasProvisional())
      #expect(try Int.fetchOne(transaction.db, sql: "SELECT count(*) FROM provisional_posts") == 0)
      #expect(try transaction.findings().isEmpty)
    }
    #expect(try device.quarantine().isEmpty)
  }

  /// Of a long conversation the last twenty come, and little else.
  @Test func theRestIsNotMoved() async throws {
    let story = try await LongTalk(about: 1, rounds: 1, each: 90, seed: "rest")
    let tablet = try await story.newDevice(pageLines: 50)
    try tablet.cutOff(.home)
    tablet.transport.clearTraffic()
    await #expect(throws: CloudFailure.unreachable) { try await tablet.sync() }
    let before = bytes(tablet)
    let posts = try tablet.database.read { transaction in
      let found = try transaction.conversations().filter { $0.topic != nil }
      return try found.flatMap { try transaction.messages(in: $0.id, limit: 1000) }
    }
    #expect(posts.map(\.text) == (70..<90).map { "alice 0 \($0)" } + (70..<90).map { "bob 0 \($0)" })
    tablet.transport.setFate { _ in .delivered }
    try await tablet.sync()
    #expect(before * 3 < bytes(tablet), "\(before) of \(bytes(tablet)) bytes")
    try nothingIsLeft(on: tablet)
  }

  private func bytes(_ device: Device) -> Int {
    device.transport.traffic.with { $0 }.reduce(0) { $0 + $1.request.body.count + ($1.response?.body.count ?? 0) }
  }

  /// What is said on a device that has only read the newest stands behind it, for everybody.
  @Test func whatIsSaidMeanwhileStandsBehind() async throws {
    let story = try await LongTalk(about: 2, rounds: 3, seed: "meanwhile")
    let tablet = try await story.newDevice(pageLines: 10)
    try tablet.cutOff(.home)
    await #expect(throws: CloudFailure.unreachable) { try await tablet.sync() }
    let bob = try story.talk["bob"].user()
    _ = try tablet.database.write {
      try $0.sendMessage(MessageDraft(to: [bob], about: story.topics[1], text: "from the tablet"))
    }
    tablet.transport.setFate { _ in .delivered }
    for _ in 0..<2 { try await tablet.sync() }
    try await story.talk.sync("bob", "alice")
    for device in [tablet, try story.talk["alice"], try story.talk["bob"]] {
      let texts = try device.database.read { transaction in
        try transaction.conversations().map { try transaction.messages(in: $0.id, limit: 1).map(\.text) }
      }
      #expect(texts.contains(["from the tablet"]))
      #expect(try device.unsent() == 0 && device.quarantine().isEmpty)
    }
    try nothingIsLeft(on: tablet)
  }

  /// What was said goes where its conversation is, and what older programs put elsewhere is read as well.
  @Test func whatIsSaidLiesBelowItsConversation() async throws {
    let story = try await LongTalk(about: 2, rounds: 1, seed: "below")
    let places = try story.talk["alice"].database.read { transaction in
      try transaction.children(of: transaction.trunk(.outbox).id).map { place in
        (place.isConversation, try transaction.children(of: place.id).count)
      }
    }
    #expect(places.allSatisfy { $0.0 } && places.map(\.1).sorted() == [1, 4, 4])
    // As an older program would have put it.
    let alice = try story.talk["alice"]
    let post = try story.talk.say("at the root", from: "alice", to: "bob")
    try alice.database.write { transaction in
      let node = try #require(try transaction.post(post)?.node)
      let move = try transaction.db.cachedStatement(sql: "UPDATE nodes SET parent = ? WHERE id = ?")
      try move.execute(arguments: [transaction.trunk(.outbox).id, node])
    }
    try await story.talk.sync("alice")
    let tablet = try await story.newDevice(pageLines: 5)
    try tablet.cutOff(.home)
    await #expect(throws: CloudFailure.unreachable) { try await tablet.sync() }
    #expect(try tablet.database.read { try $0.post(post) }?.text == "at the root")
    tablet.transport.setFate { _ in .delivered }
    try await tablet.sync()
    #expect(try tablet.database.read { try $0.post(post) }?.node != nil)
    try nothingIsLeft(on: tablet)
  }

  /// Whoever has a device that was ended may sign with it today: what it says comes with the log, which tells when it was written.
  @Test func whatAnEndedDeviceSignedIsNotShownBefore() async throws {
    let story = try await LongTalk(about: 2, rounds: 2, seed: "ended")
    let (alice, laptop) = (try story.talk["alice"], try await story.newDevice("laptop", pageLines: 1000))
    for _ in 0..<2 { try await laptop.sync() }
    let bob = try story.talk["bob"].user()
    let post = try laptop.database.write {
      try $0.sendMessage(MessageDraft(to: [bob], about: story.topics[0], text: "from the laptop"))
    }
    try await laptop.sync()
    try await story.talk.sync("alice")
    try await alice.session.endDevice(laptop.own().device, withAdded: false)
    for _ in 0..<2 { try await story.talk.sync("alice") }
    let tablet = try await story.newDevice(pageLines: 10)
    try tablet.cutOff(.home)
    await #expect(throws: CloudFailure.unreachable) { try await tablet.sync() }
    let shown = try story.shown(tablet, limit: 100)
    #expect(shown.count >= 2 && !shown.values.joined().contains { $0.contains("from the laptop") })
    #expect(try tablet.database.read { try $0.post(post) } == nil)
    tablet.transport.setFate { _ in .delivered }
    #expect(try await tablet.sync().troubles.isEmpty)
    #expect(try tablet.database.read { try $0.post(post) }?.text == "from the laptop")
    try nothingIsLeft(on: tablet)
  }

  /// A server that does not know the request gives the log all the same.
  @Test func anOlderServerIsReadAsBefore() async throws {
    let story = try await LongTalk(about: 2, rounds: 2, seed: "older")
    let tablet = try await story.newDevice(pageLines: 10)
    let cloud = story.talk.world.cloud
    tablet.transport.setStandIn { request in
      guard request.path == Route.newest.path else { return nil }
      var unknown = request
      unknown.path = "/v1/never"
      return cloud.handle(unknown)
    }
    #expect(try await tablet.sync().troubles.isEmpty)
    #expect(try story.shown(tablet, limit: 1000) == story.shown(story.talk["alice"], limit: 1000))
  }

  @Test func signingOutTakesItAway() async throws {
    let story = try await LongTalk(about: 2, rounds: 2, seed: "away")
    let tablet = try await story.newDevice(pageLines: 10)
    try tablet.cutOff(.home)
    await #expect(throws: CloudFailure.unreachable) { try await tablet.sync() }
    try tablet.database.write { try $0.logOut() }
    try tablet.database.read { (transaction: CloudTransaction) throws in
      #expect(try !transaction.hasProvisional())
      #expect(try Int.fetchOne(transaction.db, sql: "SELECT count(*) FROM said") == 0)
    }
  }
}
