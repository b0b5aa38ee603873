import CloudAPI
import CloudServer
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// What somebody whom one does not know can do.
@Suite struct StrangerTests {
  private let world: World
  private let alice: Device
  private let mallory: Device

  init() async throws {
    world = try World(seed: "stranger")
    alice = try await world.person("alice")
    mallory = try await world.person("mallory")
  }

  /// A hundred of one person's messages lie there, the others wait, and everything goes on.
  @Test func anInboxTakesSoManyOfOne() async throws {
    let victim = try user(alice)
    try mallory.database.write { transaction in
      for _ in 0..<130 {
        var message = SealedMessage()
        message.decline.branch = data(CloudID.random(transaction.entropy).bytes)
        try transaction.sendMessage(message, toRecipients: [victim], withDependencies: [])
      }
    }
    try await mallory.sync()
    let inbox = Trunk.inbox.cloudID(of: victim)
    #expect(try world.storage.read { try $0.messageCount(in: inbox, by: user(mallory)) } == 100)
    let waiting = try mallory.database.read { transaction in
      try transaction.operations().map { try transaction.obstacle(to: $0) }
    }
    #expect(waiting == Array(repeating: .inboxFull, count: 30))
    try await alice.sync()
    let bob = try await world.person("bob")
    try bob.add("Groceries", "Milk")
    try await bob.share("Groceries", with: "alice")
    try await settle(bob, alice)
    #expect(try alice.invites().map(\.title) == ["Groceries"])
    #expect(try alice.quarantine().isEmpty)
  }

  /// In another's name: it is thrown away, and the next sync has nothing to complain of.
  @Test func whatIsNoMessageDoesNotStay() async throws {
    let victim = try user(alice)
    try mallory.database.write { transaction in
      var message = SealedMessage()
      message.decline.branch = data(CloudID.random(transaction.entropy).bytes)
      try transaction.sendMessage(message, toRecipients: [victim], withDependencies: [])
      message.sender = data(victim.bytes)
      try transaction.db.execute(sql: "UPDATE outgoing SET message = ?", arguments: [Data(encode(message))])
    }
    try await mallory.sync()
    let inbox = Trunk.inbox.cloudID(of: victim)
    #expect(try world.storage.read { try $0.messageCount(in: inbox, by: user(mallory)) } == 1)
    try await alice.sync()
    #expect(try alice.quarantine().isEmpty)
    #expect(try alice.unsent() == 0)
    #expect(try world.storage.read { try $0.messageCount(in: inbox, by: user(mallory)) } == 0)
  }

  /// A device that was stolen says nothing any more, also where the server would let it.
  @Test func aDeviceThatHasEndedIsNotListenedTo() async throws {
    let laptop = try await world.person("bob")
    let phone = try await laptop.second("phone", "bob", in: world)
    try laptop.add("Groceries", "Milk")
    try await laptop.share("Groceries", with: "alice")
    try await laptop.sync()
    try await phone.session.endDevice(laptop.database.read { try $0.requireAccount().device }, withAdded: false)
    try await alice.sync()
    #expect(try alice.invites().isEmpty)
    #expect(try alice.quarantine().isEmpty)
    // Another device of bob's may ask again.
    try await phone.sync()
    try await phone.share("Groceries", with: "alice")
    try await settle(phone, alice)
    #expect(try alice.invites().map(\.title) == ["Groceries"])
  }

  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }
}
