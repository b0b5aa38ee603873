import CloudAPI
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import Treesystem

/// What was said is taken back.
@Suite struct BurnTests {
  @Test func whatNobodyHasReadIsGone() async throws {
    let talk = try await Talk("alice", "bob", seed: "burn")
    _ = try await talk.second("tablet", of: "bob")
    try await talk.acquaint("alice", "bob")
    let post = try talk.say("never mind", from: "alice", to: "bob")
    try await talk.sync("alice", "bob", "tablet")
    #expect(try talk.texts("bob").last == "never mind")
    try talk["alice"].database.write { try $0.burn(post) }
    try await talk.sync("alice", "bob", "tablet", "alice")
    for name in ["alice", "bob", "tablet"] {
      #expect(try talk.texts(name) == ["hello", "hello"])
      #expect(try talk[name].quarantine().isEmpty)
    }
    let bob = try talk["bob"].user()
    #expect(try talk["alice"].database.read { try $0.deliveries(of: post) } == [bob: .burnt])
    #expect(talk.ear.heard.with { $0 }.filter { $0 == .gone(post) }.count == 2)
    #expect(talk.ear.heard.with { $0 }.contains(.burnt(post, of: bob)))
    #expect(try talk["alice"].unsent() == 0)
    let outbox = try talk["alice"].database.read { transaction in
      let places = try transaction.children(of: transaction.trunk(.outbox).id)
      return try places.map { try transaction.children(of: $0.id).count }
    }
    #expect(outbox == [1])
  }

  @Test func whatWasReadStaysWithItsReader() async throws {
    let talk = try await Talk("alice", "bob", "carol", seed: "too late")
    try await talk.acquaint("alice", "bob")
    try await talk.acquaint("alice", "carol")
    let post = try talk.say("never mind", from: "alice", to: "bob", "carol")
    try await talk.sync("alice", "bob", "carol")
    try talk["bob"].database.write { try $0.markRead(post) }
    try await talk.sync("bob")
    try talk["alice"].database.write { try $0.burn(post) }
    try await talk.sync("alice", "bob", "carol")
    let (bob, carol) = (try talk["bob"].user(), try talk["carol"].user())
    #expect(try talk["alice"].database.read { try $0.deliveries(of: post) } == [bob: .read, carol: .burnt])
    #expect(try talk.texts("bob", with: "alice", "carol") == ["never mind"])
    #expect(try talk.texts("carol", with: "alice", "bob").isEmpty)
    #expect(try talk["alice"].unsent() == 0)
  }

  /// Its reader has read it, and is not online before it is taken back: its file cannot be had any more.
  @Test func aPictureThatIsTakenBackFirstGoes() async throws {
    let talk = try await Talk("alice", "bob", seed: "picture back")
    _ = try await talk.second("tablet", of: "bob")
    try await talk.acquaint("alice", "bob")
    let file = try talk["alice"].seal(talk.world.clearFile(100_000), thumbnail: [1, 2, 3])
    let post = try talk.say("the shelf", from: "alice", to: "bob") { $0.attachment = file }
    _ = try await talk["alice"].session.transferFiles()
    try await talk.sync("alice", "bob", "tablet")
    try talk["bob"].database.write { try $0.markRead(post) }
    try talk["alice"].database.write { try $0.burn(post) }
    try await talk.sync("alice", "alice", "bob", "tablet", "bob")
    for name in ["bob", "tablet"] {
      #expect(try talk.texts(name) == ["hello", "hello"])
      #expect(try talk[name].database.read { try $0.operations().isEmpty })
      #expect(try talk[name].quarantine().isEmpty)
    }
    #expect(talk.ear.heard.with { $0 }.filter { $0 == .gone(post) }.count == 2)
    let bob = try talk["bob"].user()
    #expect(try talk["alice"].database.read { try $0.deliveries(of: post) } == [bob: .burnt])
  }

  /// A server that says so of a file which it has: the message lies in the inbox as before.
  @Test func aPictureThatTheServerDeniesIsUnread() async throws {
    let talk = try await Talk("alice", "bob", seed: "picture denied")
    try await talk.acquaint("alice", "bob")
    let file = try talk["alice"].seal(talk.world.clearFile(100_000))
    let post = try talk.say("the shelf", from: "alice", to: "bob") { $0.attachment = file }
    _ = try await talk["alice"].session.transferFiles()
    try await talk.sync("alice", "bob")
    let bob = try talk["bob"]
    try bob.database.write { try $0.markRead(post) }
    bob.transport.setTamper { request, response in
      guard request.path == Route.batch.path, let batch = try? WireBatch(serializedBytes: request.body),
        let answer = try? WireOutcomes(serializedBytes: response.body), response.status == 200
      else { return response }
      let denied = WireOutcomes.with { denied in
        denied.outcomes = zip(batch.operations, answer.outcomes).map { operation, outcome in
          guard !operation.put.borrowed.isEmpty else { return outcome }
          return WireOutcome.with {
            $0.operation = outcome.operation
            $0.refused.reason = Refusal.contentMissing.rawValue
          }
        }
      }
      guard let bytes: [UInt8] = try? denied.serializedBytes() else { return response }
      return CloudResponse(status: response.status, headers: response.headers, body: bytes)
    }
    try await bob.sync()
    try await bob.sync()
    #expect(try bob.database.read { try $0.operations().isEmpty })
    #expect(try talk.texts("bob").filter { $0 == "the shelf" }.count == 1)
    bob.transport.setTamper { $1 }
    try bob.database.write { try $0.markRead(post) }
    try await bob.sync()
    #expect(try bob.unsent() == 0)
    #expect(try talk.texts("bob").filter { $0 == "the shelf" }.count == 1)
  }

  @Test func whatWaitsIsNotSent() async throws {
    let talk = try await Talk("alice", "bob", seed: "not sent")
    _ = try await talk.second("tablet", of: "alice")
    try await talk.acquaint("alice", "bob")
    let post = try talk.say("never mind", from: "alice", to: "bob")
    try talk["alice"].database.write { try $0.burn(post) }
    try await talk.sync("alice", "bob")
    #expect(try talk.texts("bob") == ["hello", "hello"])
    let bob = try talk["bob"].user()
    #expect(try talk["alice"].database.read { try $0.deliveries(of: post) } == [bob: .givenUp])
    let other = try talk.say("from here", from: "alice", to: "bob")
    try await talk.sync("alice", "tablet")
    #expect(throws: PostError.onAnotherDevice) { try talk["tablet"].database.write { try $0.burn(other) } }
  }

  /// By everybody's devices, each when it syncs next.
  @Test func whatHasExpiredGoesEverywhere() async throws {
    let talk = try await Talk("alice", "bob", "carol", seed: "expires")
    _ = try await talk.second("tablet", of: "bob")
    try await talk.acquaint("alice", "bob")
    try await talk.acquaint("alice", "carol")
    let end = talk.world.clock.now() + 60_000
    let post = try talk.say("for a minute", from: "alice", to: "bob", "carol") { $0.expires = end }
    try await talk.sync("alice", "bob", "carol")
    try talk["bob"].database.write { try $0.markRead(post) }
    try await talk.sync("bob", "tablet")
    #expect(try talk.texts("tablet", with: "alice", "carol") == ["for a minute"])
    talk.world.clock.advance(61_000)
    for name in ["alice", "bob", "tablet", "carol"] {
      #expect(try talk[name].database.read { try $0.conversations().allSatisfy { $0.users.count == 1 } })
    }
    try await talk.sync("alice", "bob", "carol", "tablet", "alice")
    for name in ["alice", "bob", "tablet", "carol"] {
      #expect(try talk[name].database.read { try $0.post(post) } == nil)
      #expect(try talk[name].unsent() == 0)
      #expect(try talk[name].quarantine().isEmpty)
    }
    // What comes late is not shown.
    let late = try talk.say("too late", from: "alice", to: "bob") { $0.expires = end }
    try await talk.sync("alice", "bob")
    #expect(try talk["bob"].database.read { try $0.post(late) } == nil)
  }
}
