import CloudAPI
import Sealing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// A key that a device drew for an epoch which somebody else began.
@Suite struct DrawnKeyTests {
  /// Bob drew one while alice took him off the list. He comes back later, with a key of a later epoch that opens the older ones.
  @Test func itDoesNotHideWhatWasWrittenThen() async throws {
    let (alice, bob, world) = try await sharedList(seed: "drawn")
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await alice.sync()
    let (friend, third) = try (
      bob.database.read { try $0.requireAccount().user }, carol.database.read { try $0.requireAccount().user }
    )
    try bob.database.write { transaction in
      let list = try #require(try transaction.lists().first)
      try transaction.setBranchKey(SecretBytes(SystemEntropy().bytes(32)), of: list.branch, epoch: 2)
    }
    for (user, title) in [(friend, "Bread"), (third, "Butter")] {
      try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: user) }
      try await alice.sync()
      try alice.add("Groceries", title)
      try await alice.sync()
    }
    try await bob.sync()
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    #expect(try bob.titles("Groceries") == ["Bread", "Butter", "Milk"])
    #expect(try bob.quarantine().isEmpty)
  }
}
