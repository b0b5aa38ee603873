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

/// What devices make of posts that come in an order, or at a place, that no program of ours gives them.
@Suite struct UntrueTests {
  /// The tombstone in the inbox comes before what was kept in home: for a while this device has nothing of it.
  @Test func whatIsReadElsewhereMayBeGoneForAWhile() async throws {
    let talk = try await Talk("alice", "bob", seed: "gone and back")
    let tablet = try await talk.second("tablet", of: "alice")
    try await talk.acquaint("alice", "bob")
    let post = try talk.say("the red one", from: "bob", to: "alice")
    try await talk.sync("bob", "alice", "tablet")
    let home = Trunk.home.cloudID(of: try tablet.user())
    let head = try talk.world.storage.read { try $0.head(of: home) }
    try talk["alice"].database.write { try $0.markRead(post) }
    try await talk.sync("alice", "alice")
    // The server tells of one trunk, and not yet of the other.
    tablet.transport.setTamper { request, response in
      Lie(branch: home).head(response, to: request) { told in
        guard let head else { return }
        told.line = head.line
        told.logHash = data(head.hash.bytes)
      }
    }
    talk.ear.heard.with { $0 = [] }
    try await tablet.sync()
    #expect(try tablet.database.read { try $0.post(post) } == nil)
    tablet.transport.setTamper { $1 }
    try await tablet.sync()
    let heard = talk.ear.heard.with { $0 }.filter { event in
      if case .arrived(let other, _) = event { return other.id == post }
      return [.gone(post), .read(post)].contains(event)
    }
    let there = try #require(try tablet.database.read { try $0.post(post) })
    #expect(heard == [.gone(post), .arrived(there, isRequest: false)])
    #expect(there.isRead && there.text == "the red one")
    #expect(try tablet.quarantine().isEmpty)
    #expect(try tablet.unsent() == 0)
  }

  /// A device of one's own puts what was said below the node of another conversation.
  @Test func aPostOfOnesOwnStandsBelowItsConversation() async throws {
    let talk = try await Talk("alice", "bob", "carol", seed: "elsewhere")
    let tablet = try await talk.second("tablet", of: "alice")
    try await talk.acquaint("alice", "bob")
    try await talk.acquaint("alice", "carol")
    try await talk.sync("tablet")
    let post = try talk.say("for bob", from: "alice", to: "bob")
    let alice = try talk["alice"]
    try alice.database.write { transaction in
      let node = try #require(try transaction.post(post)?.node.flatMap { try transaction.node($0) })
      let other = try transaction.children(of: transaction.trunk(.outbox).id).first { $0.id != node.parent }
      let move = try transaction.db.cachedStatement(sql: "UPDATE nodes SET parent = ? WHERE id = ?")
      try move.execute(arguments: [try #require(other).id, node.id])
    }
    try await talk.sync("alice", "tablet")
    #expect(try tablet.quarantine().map(\.reason) == [.originWrong])
    #expect(try tablet.database.read { try $0.post(post) } == nil)
  }

  /// What was told as the newest stands beyond the end that the log then has.
  @Test func theNewestOfALogThatEndsBeforeIsARollback() async throws {
    let story = try await LongTalk(about: 2, rounds: 2, seed: "beyond")
    let tablet = try await story.newDevice(pageLines: 10)
    let home = Trunk.home.cloudID(of: try tablet.user())
    tablet.transport.setTamper { request, response in
      guard request.path == Route.newest.path, response.status == 200,
        var answer = try? decode(WireNewest.self, response.body), Array(answer.branch) == home.bytes,
        let last = answer.rows.indices.last
      else { return response }
      answer.headLine += 100
      answer.rows[last].line = answer.headLine
      return response.carrying(answer)
    }
    try await tablet.sync()
    try tablet.database.read { (transaction: CloudTransaction) throws in
      let found = try transaction.findings()
      #expect(Set(found.map(\.kind)) == [.rollback])
      let end = try #require(try transaction.branch(home).flatMap { try transaction.cursor(of: $0) })
      #expect(found.allSatisfy { $0.line == end.line + 1 })
      #expect(try !transaction.hasProvisional())
    }
  }
}
