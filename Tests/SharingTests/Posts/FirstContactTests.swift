import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

/// Who is let in.
@Suite struct FirstContactTests {
  @Test func aStrangerIsHeardApart() async throws {
    let talk = try await Talk("alice", "mallory", seed: "apart")
    let tablet = try await talk.second("tablet", of: "alice")
    try talk.say("buy this", from: "mallory", to: "alice")
    try talk.say("now", from: "mallory", to: "alice")
    try await talk.sync("mallory", "alice", "tablet")
    for name in ["alice", "tablet"] {
      #expect(try talk.requests(name) == ["mallory": ["buy this", "now"]])
      #expect(try talk.texts(name).isEmpty)
    }
    let arrivals = talk.ear.heard.with { $0 }.compactMap {
      if case .arrived(_, let isRequest) = $0 { isRequest } else { nil }
    }
    #expect(arrivals == [true, true, true, true])

    let mallory = try talk["mallory"].user()
    try tablet.database.write { try $0.acceptRequest(from: mallory) }
    try await talk.sync("tablet", "alice")
    for name in ["alice", "tablet"] {
      #expect(try talk.requests(name).isEmpty)
      #expect(try talk.texts(name) == ["buy this", "now"])
    }
    #expect(throws: PostError.notHere) { try tablet.database.write { try $0.acceptRequest(from: mallory) } }
  }

  @Test func whatIsDeclinedGoesAndMayComeAgain() async throws {
    let talk = try await Talk("alice", "mallory", seed: "declined")
    let tablet = try await talk.second("tablet", of: "alice")
    try talk.say("buy this", from: "mallory", to: "alice")
    try await talk.sync("mallory", "alice", "tablet")
    let mallory = try talk["mallory"].user()
    try talk["alice"].database.write { try $0.declineRequest(from: mallory) }
    try await talk.sync("alice", "tablet")
    #expect(try talk.requests("tablet").isEmpty && talk.requests("alice").isEmpty)
    let inbox = Trunk.inbox.cloudID(of: try tablet.user())
    #expect(try talk.world.storage.read { try $0.messageCount(in: inbox, by: mallory) } == 0)
    try talk.say("please", from: "mallory", to: "alice")
    try await talk.sync("mallory", "alice")
    #expect(try talk.requests("alice") == ["mallory": ["please"]])
  }

  /// Whoever has written to somebody, shares a list with them or has compared numbers knows them.
  @Test func whomOneKnowsIsNoStranger() async throws {
    let talk = try await Talk("alice", "bob", "carol", "dave", seed: "known")
    try talk.say("hello", from: "alice", to: "bob")
    let (carol, dave) = (try talk["carol"].user(), try talk["dave"].user())
    try talk["alice"].database.write { transaction in
      try transaction.setVerified(carol)
      let list = try transaction.createBranch(withPath: Treepath(.home, "list"))
      try transaction.share(list.id, with: dave, role: .viewer, title: "List", note: "")
    }
    try await talk.sync("alice")
    for name in ["bob", "carol", "dave"] { try talk.say("I am \(name)", from: name, to: "alice") }
    try await talk.sync("bob", "carol", "dave", "alice")
    #expect(try talk.requests("alice").isEmpty)
    #expect(Set(try talk.texts("alice")) == ["hello", "I am bob", "I am carol", "I am dave"])
  }

  @Test func whoIsBlockedIsSilentlyDropped() async throws {
    let talk = try await Talk("alice", "mallory", seed: "blocked")
    let mallory = try talk["mallory"].user()
    try talk.say("before", from: "mallory", to: "alice")
    try await talk.sync("mallory", "alice")
    try talk["alice"].database.write { try $0.setBlocked(mallory) }
    let post = try talk.say("after", from: "mallory", to: "alice")
    try await talk.sync("mallory", "alice", "alice")
    #expect(try talk.requests("alice").isEmpty && talk.texts("alice").isEmpty)
    let inbox = Trunk.inbox.cloudID(of: try talk["alice"].user())
    #expect(try talk.world.storage.read { try $0.messageCount(in: inbox, by: mallory) } == 0)
    // Mallory sees nothing of it.
    let alice = try talk["alice"].user()
    #expect(try talk["mallory"].database.read { try $0.deliveries(of: post) } == [alice: .delivered])
  }

  @Test func signalsAreReadOnceAndKeptNowhere() async throws {
    let talk = try await Talk("alice", "bob", "mallory", seed: "signals")
    try await talk.acquaint("alice", "bob")
    let (alice, bob) = (try talk["alice"].user(), try talk["bob"].user())
    try talk["bob"].database.write { try $0.sendSignal([1, 2, 3], toRecipients: [alice]) }
    try talk["mallory"].database.write { try $0.sendSignal([4], toRecipients: [alice]) }
    try await talk.sync("bob", "mallory", "alice", "alice", "bob", "mallory")
    let signals = talk.ear.heard.with { $0 }.compactMap {
      if case .signal(let bytes, let user) = $0 { (bytes, user) } else { nil }
    }
    #expect(signals.map(\.0) == [[1, 2, 3]] && signals.map(\.1) == [bob])
    let left = try talk.world.storage.read { storage in
      try ["bob", "mallory"].map { try storage.messageCount(in: Trunk.inbox.cloudID(of: alice), by: talk[$0].user()) }
    }
    #expect(left == [1, 0])
    for name in ["bob", "mallory"] {
      #expect(
        try talk[name].database.read { try $0.children(of: $0.trunk(.outbox).id).count } == (name == "bob" ? 1 : 0))
    }
    #expect(try talk.texts("alice").count == 2)
  }
}
