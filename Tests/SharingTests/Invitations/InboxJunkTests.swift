import CloudAPI
import CloudServer
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// What lies in an inbox and is nothing.
@Suite struct InboxJunkTests {
  private let world: World
  private let alice: Device
  private let mallory: Device

  init() async throws {
    world = try World(seed: "junk")
    alice = try await world.person("alice")
    mallory = try await world.person("mallory")
  }

  /// A row that cannot even be parsed stands in the inbox's quarantine: it keeps nobody from reading, and no junk beside it from going.
  @Test func whatCannotBeParsedHoldsNothingUp() async throws {
    let victim = try alice.user()
    try alice.database.write { transaction in
      let inbox = try transaction.trunkBranch(.inbox)
      for (number, row) in [(900, [0xFF]), (901, [0x0A, 0x02, 0xFF, 0xFF])] as [(UInt64, [UInt8])] {
        let line = Line(number: number, kind: .header, cloudID: .random(transaction.entropy), hash: .zeros)
        try transaction.quarantine(line, row, in: inbox, .malformed)
      }
    }
    try mallory.database.write { transaction in
      var message = SealedMessage()
      message.decline.branch = data(CloudID.random(transaction.entropy).bytes)
      try transaction.sendMessage(message, toRecipients: [victim], withDependencies: [])
      message.sender = data(victim.bytes)
      try transaction.db.execute(sql: "UPDATE outgoing SET message = x'\(Base16.encode(encode(message)))'")
    }
    try await mallory.sync()
    let inbox = Trunk.inbox.cloudID(of: victim)
    #expect(try world.storage.read { try $0.messageCount(in: inbox, by: mallory.user()) } == 1)
    try await alice.sync()
    #expect(try world.storage.read { try $0.messageCount(in: inbox, by: mallory.user()) } == 0)
    #expect(try alice.quarantine().count == 2, "what nobody can read is nobody's to delete")
    let bob = try await world.person("bob")
    try bob.add("Groceries", "Milk")
    try await bob.share("Groceries", with: "alice")
    try await settle(bob, alice)
    #expect(try alice.invites().map(\.title) == ["Groceries"])
  }
}
