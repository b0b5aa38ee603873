import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Mallory, an editor, renews the permissions with keys that open nothing: she signs rightly, so that no server can tell.
@Suite struct JunkKeyTests {
  private let stage: Stage

  init() async throws { stage = try await Stage() }

  /// A new epoch whose key and older keys are noise, for everybody.
  private func junk(_ hand: Hand) -> Draft {
    hand.permit { body in
      let key = BranchKey(branch: body.branch, epoch: body.epoch + 1, secret: SecretBytes(hand.entropy.bytes(32)))
      body.olderKeys = (1...body.epoch).map { OlderKey(epoch: $0, sealed: hand.entropy.bytes(72)) }
      body.epoch += 1
      body.commitment = key.commitment
      body.entries = body.entries.map { entry in
        var entry = entry
        if !entry.sealedKey.isEmpty { entry.sealedKey = hand.entropy.bytes(80) }
        return entry
      }
    }
  }

  private func sendJunk() async throws {
    try await stage.mallory.sync()
    #expect(try await stage.send(junk(Hand(stage.mallory, on: stage.branch))) == "accepted")
  }

  private func epoch(_ device: Device) throws -> UInt64 {
    try device.database.read { transaction in
      let branch = try #require(try transaction.branch(stage.branch))
      return try #require(try transaction.permissions(of: branch)).body.epoch
    }
  }

  @Test func whoeverWritesNextGivesTheListAKeyThatOpens() async throws {
    try await sendJunk()
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk"])
    #expect(try epoch(stage.carol) == 3)
    for device in [stage.alice, stage.carol] {
      #expect(try device.database.read { try $0.quarantined().isEmpty })
      #expect(try device.unsent() == 0)
    }
  }

  @Test func sheCanBeRemovedAllTheSame() async throws {
    try await sendJunk()
    let list = try stage.alice.database.read { try #require(try $0.lists().first) }
    try stage.alice.database.write { try $0.unshare(list.node, with: try stage.mallory.user()) }
    try await stage.alice.sync()
    try await stage.alice.sync()
    #expect(try stage.alice.unsent() == 0)
    let members = try stage.alice.database.read { try $0.members(of: list.node).map(\.name) }
    #expect(!members.contains("mallory"))
    try stage.alice.add("Groceries", "Champagne")
    try await stage.alice.sync()
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Champagne", "Eggs", "Milk"])
  }

  /// What she made of the older keys is not what newcomers get.
  @Test func whoJoinsLaterReadsWhatIsOld() async throws {
    try await sendJunk()
    try await stage.alice.sync()
    let dave = try await stage.world.person("dave")
    try await stage.alice.share("Groceries", with: "dave")
    try await stage.alice.sync()
    try await dave.sync()
    try dave.accept()
    try await dave.sync()
    #expect(try dave.titles("Groceries") == ["Eggs", "Milk"])
    #expect(try dave.database.read { try $0.quarantined().isEmpty })
  }

  /// Where two begin the same epoch, the one that lost is no key of the list.
  @Test func aKeyThatLostIsForgotten() async throws {
    try await sendJunk()
    try stage.alice.database.write { transaction in
      let branch = try #require(try transaction.branch(stage.branch))
      try transaction.setBranchKey(SecretBytes(SystemEntropy().bytes(32)), of: branch, epoch: 2)
    }
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk"])
    #expect(try epoch(stage.carol) == 3)
  }

  @Test func sheCannotDoThatForEver() async throws {
    var sent = 0
    while sent < 200 {
      try await stage.alice.sync()
      try await stage.mallory.sync()
      guard try await stage.send(junk(Hand(stage.mallory, on: stage.branch))) == "accepted" else { break }
      sent += 1
    }
    #expect(sent == 32)
    try stage.alice.add("Groceries", "Bread")
    try await stage.alice.sync()
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk"])
  }
}
