import CloudAPI
import CloudServer
import Foundation
import GRDB
import Lies
import Signing
import SwiftProtobuf
import TestSupport
import Testing

@testable import Sharing
@testable import Treesystem

/// What was said for a time goes when that is over, whoever comes back.
@Suite struct ExpiryTests {
  private static let minute: Int64 = 60_000

  /// Neither her device nor his is there when its time is over; somebody else's request is what the server hears next.
  @Test func theServerBurnsWhatNobodyTakesBack() async throws {
    let talk = try await Talk("alice", "bob", "carol", seed: "server burns")
    try await talk.acquaint("alice", "bob")
    let file = try talk["alice"].seal(talk.world.clearFile(100_000))
    let end = talk.world.clock.now() + Self.minute
    try talk.say("for a minute", from: "alice", to: "bob") {
      $0.attachment = file
      $0.expires = end
    }
    _ = try await talk["alice"].session.transferFiles()
    try await talk.sync("alice")
    let (alice, bob) = (try talk["alice"].user(), try talk["bob"].user())
    #expect(try talk.bare(in: .inbox, of: bob) == 0)
    talk.world.clock.advance(Self.minute - 1)
    try await talk.sync("carol")
    #expect(try talk.bare(in: .inbox, of: bob) == 0)
    talk.world.clock.advance(Self.minute + 1)
    try await talk.sync("carol")
    #expect(try talk.bare(in: .inbox, of: bob) == 1)
    #expect(try talk.bare(in: .outbox, of: alice) == 1)
    try await talk.sync("bob", "bob")
    #expect(try talk.texts("bob") == ["hello", "hello"])
    #expect(try talk["bob"].quarantine().isEmpty)
    #expect(try talk["bob"].database.read { try $0.findings() }.isEmpty)
    #expect(try talk["bob"].unsent() == 0)
    // Nothing is left of it where strangers have room for so many only.
    #expect(try talk.bare(in: .inbox, of: bob) == 0)
    try await talk.sync("alice", "alice")
    #expect(try talk["alice"].unsent() == 0)
    #expect(try talk["alice"].quarantine().isEmpty)
    #expect(try talk.bare(in: .outbox, of: alice) == 0)
  }

  /// What was read is kept in its reader's home, and for no longer.
  @Test func whatIsKeptOfItGoesToo() async throws {
    let talk = try await Talk("alice", "bob", "carol", seed: "kept until")
    try await talk.acquaint("alice", "bob")
    let end = talk.world.clock.now() + Self.minute
    let post = try talk.say("for a minute", from: "alice", to: "bob") { $0.expires = end }
    try await talk.sync("alice", "bob")
    try talk["bob"].database.write { try $0.markRead(post) }
    try await talk.sync("bob")
    let bob = try talk["bob"].user()
    #expect(try talk.bare(in: .home, of: bob) == 0)
    _ = try await talk.second("tablet", of: "bob")
    try await talk.sync("tablet")
    #expect(try talk["tablet"].database.read { try $0.post(post)?.expires } == end)
    talk.world.clock.advance(2 * Self.minute)
    try await talk.sync("carol")
    #expect(try talk.bare(in: .home, of: bob) == 1)
    _ = try await talk.second("laptop", of: "bob")
    for name in ["laptop", "tablet", "bob", "laptop"] {
      try await talk.sync(name)
      #expect(try talk[name].database.read { try $0.post(post) } == nil)
      #expect(try talk[name].quarantine().isEmpty)
      #expect(try talk[name].unsent() == 0)
    }
  }

  /// The server says that it is gone before its sender wanted that: this is reported until it would be gone anyway.
  @Test func whatIsGoneTooEarlyIsReported() async throws {
    let talk = try await Talk("alice", "bob", seed: "too early")
    try await talk.acquaint("alice", "bob")
    let end = talk.world.clock.now() + 180 * Self.minute
    try talk.say("for three hours", from: "alice", to: "bob") { $0.expires = end }
    try await talk.sync("alice")
    let bob = try talk["bob"]
    let (inbox, clock) = (Trunk.inbox.cloudID(of: try bob.user()), talk.world.clock)
    bob.transport.setTamper { request, response in
      if case .content? = Route(method: request.method, path: request.path) {
        return .refusing(.notFound, status: 404, at: clock.now())
      }
      return Lie(branch: inbox).page(response, to: request) { page in
        for index in page.rows.indices { page.rows[index].contents = [] }
      }
    }
    try await bob.sync()
    #expect(try bob.quarantine().map(\.reason) == [.contentMissing])
    talk.world.clock.advance(60 * Self.minute)
    try await bob.sync()
    #expect(try bob.quarantine().map(\.reason) == [.contentMissing])
    talk.world.clock.advance(120 * Self.minute)
    try await bob.sync()
    #expect(try bob.quarantine().isEmpty)
    #expect(try talk.texts("bob") == ["hello", "hello"])
    bob.transport.setTamper { $1 }
    try await bob.sync()
    #expect(try bob.unsent() == 0)
    #expect(try talk.bare(in: .inbox, of: bob.user()) == 0)
  }

  /// However much was said: what has not expired is not looked at.
  @Test func anIdleSyncLooksAtNothingThatWasSaid() async throws {
    let talk = try await Talk("alice", seed: "idle")
    let plan = try talk["alice"].database.read { (transaction: CloudTransaction) throws in
      try Row.fetchAll(
        transaction.db, sql: "EXPLAIN QUERY PLAN \(CloudTransaction.expiredPosts)", arguments: [0]
      ).map { $0["detail"] as String }
    }
    #expect(plan.contains { $0.contains("SEARCH posts USING") && $0.contains("expiring_posts (expires<?)") })
    #expect(!plan.contains { $0.contains("SCAN") })
  }

  /// What an older program says of it stands inside, where the server does not see it.
  @Test func nothingOfItIsInside() async throws {
    let talk = try await Talk("alice", "bob", seed: "one place")
    let end = talk.world.clock.now() + Self.minute
    try talk.say("for a minute", from: "alice", to: "bob") { $0.expires = end }
    try await talk.sync("alice")
    let bob = try talk["bob"].user()
    let headers = try talk.world.storage.read { storage in
      try storage.nodes(of: Trunk.inbox.cloudID(of: bob)).map { try HeaderBody(decoding: $0.record.body).expires }
    }
    #expect(headers.filter { $0 != 0 } == [UInt64(end)])
  }
}

extension Talk {
  /// How many nodes of a trunk list what the server has not got.
  fileprivate func bare(in trunk: Trunk, of user: UserID) throws -> Int {
    let branch = trunk.cloudID(of: user)
    return try world.storage.read { storage in
      try storage.nodes(of: branch).filter(\.isLive).filter { node in
        try HeaderBody(decoding: node.record.body).contents.contains {
          try storage.contentHash($0.content, in: branch) == nil
        }
      }.count
    }
  }
}
