import CloudAPI
import Foundation
import GRDB
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// An inbox that is read from its first line again says what it said before: `todo doctor --repair` does that, and so does who was lied to.
@Suite struct InboxAgainTests {
  /// What a device makes of its inbox.
  private struct Reading: Equatable {
    let invites: [String]
    let joined: [UserID]
    let removals: [UserID?]

    init(_ device: Device) throws {
      (invites, joined, removals) = try device.database.read { transaction in
        (
          try transaction.invites().map { "\($0.title) \($0.isOwnership)" },
          try UserID.fetchAll(transaction.db, sql: "SELECT user FROM joined ORDER BY node"),
          try transaction.lists().compactMap { try transaction.removal(from: $0.branch) }.map(\.by)
        )
      }
    }
  }

  private func readAgain(_ device: Device, at location: SourceLocation = #_sourceLocation) async throws -> Reading {
    let before = try Reading(device)
    try await device.session.repull(device.database.read { try $0.trunk(.inbox).branch })
    try await device.sync()
    #expect(try Reading(device) == before, sourceLocation: location)
    #expect(try device.quarantine().isEmpty && device.unsent() == 0, sourceLocation: location)
    return before
  }

  @Test func whatIsReadOnceMoreSaysTheSame() async throws {
    let world = try World(seed: "inbox again")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    #expect(try await readAgain(bob).invites == ["Groceries false"])
    try bob.accept()
    try await settle(bob, alice)
    #expect(try await readAgain(alice).joined == [try bob.user()])
    let (owner, friend) = (try alice.user(), try bob.user())
    try alice.database.write { try $0.offerOwnership(of: $0.lists()[0].node, to: friend, title: "Groceries") }
    try await settle(alice, bob)
    #expect(try await readAgain(bob).invites == ["Groceries true"])
    try alice.database.write { transaction in _ = try transaction.unshare(transaction.lists()[0].node, with: friend) }
    try await settle(alice, bob)
    #expect(try await readAgain(bob).removals == [owner])
  }

  /// What one device says to the others of its user.
  @Test func aLeaveIsReadOnceMore() async throws {
    let (alice, bob, world) = try await sharedList(seed: "leave again")
    let tablet = try await bob.second("tablet", "bob", in: world)
    try await settle(bob, tablet, alice)
    try bob.database.write { _ = try $0.leave($0.lists()[0].node) }
    try await settle(bob, alice, tablet)
    for device in [bob, tablet] { _ = try await readAgain(device) }
  }
}
