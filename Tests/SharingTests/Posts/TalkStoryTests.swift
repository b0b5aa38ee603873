import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

/// Two people talk, one of them on two devices, and the server is started anew between all that they do.
@Suite final class TalkStoryTests {
  private var restarts = 0
  private var storage: SQLiteStorage?

  @Test func peopleTalkWhileTheServerIsRestarted() async throws {
    let talk = try await Talk("alice", "bob", seed: "story")
    _ = try await talk.second("tablet", of: "alice")
    try await talk.acquaint("alice", "bob")
    try await readOnOneDevice(talk)
    let picture = try await answerWithAPicture(talk)
    try await talkOffline(talk)
    try await shake(talk, rounds: 2)
    let texts = try talk.texts("alice")
    #expect(texts.count == 15 && Set(texts).count == 14)
    for name in ["alice", "tablet", "bob"] {
      #expect(try talk.texts(name) == texts)
      #expect(try talk[name].unsent() == 0)
      #expect(try talk[name].quarantine().isEmpty)
    }
    for name in ["alice", "tablet", "bob"] {
      #expect(texts.filter { $0.hasPrefix("\(name) ") } == (1...3).map { "\(name) \($0)" })
    }
    #expect(try talk["bob"].database.read { try $0.post(picture)?.isRead } == true)
    #expect(restarts == 37)
  }

  private func readOnOneDevice(_ talk: Talk) async throws {
    let question = try talk.say("which sauce?", from: "bob", to: "alice")
    try await shake(talk)
    #expect(try talk.texts("tablet").last == "which sauce?")
    #expect(try talk.unread("alice") == 2 && talk.unread("tablet") == 2)
    try talk["alice"].database.write { try $0.markRead(question) }
    try await shake(talk)
    #expect(try talk.unread("alice") == 0 && talk.unread("tablet") == 0)
  }

  private func answerWithAPicture(_ talk: Talk) async throws -> PostID {
    let file = try talk["tablet"].seal(talk.world.clearFile(300_000), thumbnail: [1, 2, 3])
    let answer = try talk.say("this one", from: "tablet", to: "bob") { $0.attachment = file }
    try talk.say("do you see it?", from: "tablet", to: "bob")
    _ = try await talk["tablet"].session.transferFiles()
    try restart(talk)
    try await shake(talk)
    #expect(try talk.texts("bob").suffix(2) == ["this one", "do you see it?"])
    let bob = try talk["bob"]
    try bob.database.write { try $0.markRead(answer) }
    try await shake(talk)
    let node = try #require(try bob.database.read { try $0.post(answer)?.node })
    let there = try #require(try bob.database.read { try $0.file(of: node) })
    try await bob.session.fetchFile([.thumbnail, .data], of: node)
    #expect(try bob.database.diskStore.section(.thumbnail, of: there) == [1, 2, 3])
    return answer
  }

  /// All three say three things before any of them is online again.
  private func talkOffline(_ talk: Talk) async throws {
    for name in ["alice", "tablet", "bob"] { try talk[name].transport.setCloud(nil) }
    for number in 1...3 {
      for name in ["alice", "tablet"] { try talk.say("\(name) \(number)", from: name, to: "bob") }
      try talk.say("bob \(number)", from: "bob", to: "alice")
    }
    for name in ["alice", "tablet", "bob"] {
      await #expect(throws: CloudFailure.unreachable) { try await talk[name].sync() }
    }
    try await shake(talk, rounds: 2)
    try talk.say("good night", from: "bob", to: "alice")
    try await shake(talk)
    for name in ["alice", "tablet", "bob"] { #expect(try talk.texts(name).last == "good night") }
  }

  /// Everybody syncs, each with a server that has just been started.
  private func shake(_ talk: Talk, rounds: Int = 1) async throws {
    for _ in 0..<rounds {
      for name in ["bob", "alice", "tablet", "bob"] {
        try restart(talk)
        try await talk.sync(name)
      }
    }
  }

  /// A new server on what the one before has left on its disk.
  private func restart(_ talk: Talk) throws {
    (storage ?? talk.world.storage).close()
    let next = try SQLiteStorage(unlockedFolder: talk.world.folder.appendingPathComponent("server").path)
    let cloud = Cloud(storage: next, blobs: talk.world.blobs, policy: .open, clock: talk.world.clock)
    try cloud.removeLeftovers()
    for device in talk.devices.values { device.transport.setCloud(cloud) }
    storage = next
    restarts += 1
  }
}
