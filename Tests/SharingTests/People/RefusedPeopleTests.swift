import CloudAPI
import CloudServer
import Foundation
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// Somebody whom a user has the server refuse: on all of the user's devices, until they are let in again.
@Suite struct RefusedPeopleTests {
  private func refuses(_ device: Device, _ user: UserID) throws -> Bool? {
    try device.database.read { transaction in
      try transaction.permissions(of: transaction.trunk(.inbox).branch)?.body.refuses(user)
    }
  }

  private func setRefused(_ talk: Talk, _ user: UserID, _ isRefused: Bool) throws {
    try talk["alice"].database.write { transaction in
      try transaction.setBlocked(user, isRefused)
      try transaction.setRefused(user, isRefused)
    }
  }

  @Test func theServerTakesNothingOfTheirs() async throws {
    let talk = try await Talk("alice", "bob", "carol", seed: "refused")
    try await talk.acquaint("alice", "bob")
    try await talk.acquaint("alice", "carol")
    let (alice, bob) = (try talk["alice"], try talk["bob"])
    let (aliceID, bobID) = (try alice.user(), try bob.user())
    let phone = try await talk.second("phone", of: "alice")
    let inbox = Trunk.inbox.cloudID(of: aliceID)
    try setRefused(talk, bobID, true)
    try await talk.sync("alice")
    let lines = try talk.world.storage.read { try $0.head(of: inbox)?.line }
    try talk.say("hello", from: "bob", to: "alice")
    try talk.say("hello", from: "carol", to: "alice")
    try await talk.sync("bob", "carol")
    let refused = try bob.database.read { try $0.operations().filter { $0.state == .refused }.map(\.reason) }
    #expect(refused == [.letterMissing])
    #expect(try talk.world.storage.read { try $0.messageCount(in: inbox, by: bobID) } == 0)
    #expect(try talk.world.storage.read { try $0.head(of: inbox)?.line } == lines.map { $0 + 1 }, "carol's alone")
    // It stands on every device, and stops none of them.
    for _ in 0..<2 { for device in [alice, phone] { #expect(try await device.session.sync().troubles.isEmpty) } }
    for device in [alice, phone] {
      #expect(try refuses(device, bobID) == true)
      #expect(try device.unsent() == 0)
      #expect(try device.quarantine().isEmpty)
    }
    try setRefused(talk, bobID, false)
    try await talk.sync("alice")
    #expect(try refuses(alice, bobID) == false)
    try talk.say("again", from: "bob", to: "alice")
    try await talk.sync("bob", "alice")
    #expect(try talk.texts("alice", with: "bob").contains("again"))
  }

  /// What was not sent yet is the last word only.
  @Test func whoChangesTheirMindSendsNothing() async throws {
    let talk = try await Talk("alice", "bob", seed: "changed mind")
    try await talk.acquaint("alice", "bob")
    let bob = try talk["bob"].user()
    let inbox = Trunk.inbox.cloudID(of: try talk["alice"].user())
    let before = try talk.world.storage.read { try $0.permissions(of: inbox)?.hash }
    for isRefused in [true, false, true, false] { try setRefused(talk, bob, isRefused) }
    try await talk.sync("alice")
    #expect(try talk["alice"].unsent() == 0)
    #expect(try talk.world.storage.read { try $0.permissions(of: inbox)?.hash } == before)
  }

  /// A device of somebody who is refused ends: their entry says nothing about devices, so nobody renews the inbox for it.
  @Test func theirDevicesAreNobodysBusiness() async throws {
    let talk = try await Talk("alice", "bob", seed: "their devices")
    try await talk.acquaint("alice", "bob")
    let bob = try talk["bob"]
    let phone = try await talk.second("phone", of: "bob")
    let bobID = try bob.user()
    try setRefused(talk, bobID, true)
    try await talk.sync("alice")
    let inbox = Trunk.inbox.cloudID(of: try talk["alice"].user())
    let before = try talk.world.storage.read { try $0.permissions(of: inbox)?.hash }
    let device = try phone.database.read { try $0.requireAccount().device }
    try await bob.session.endDevice(device, withAdded: false)
    for _ in 0..<2 { try await talk.sync("alice") }
    #expect(try talk.world.storage.read { try $0.permissions(of: inbox)?.hash } == before)
    #expect(try refuses(talk["alice"], bobID) == true)
  }
}
