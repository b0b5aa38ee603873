import CloudAPI
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A list that one device takes off its person's tree, while with what another device of that person did nobody else could
/// bring it back.
@Suite struct StrandedTests {
  private let world: World
  private let alice: Device
  private let laptop: Device
  private let bob: Device

  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "stranded")
    laptop = try await alice.second("laptop", "alice", in: world)
    try await settle()
  }

  private func settle() async throws {
    for _ in 0..<3 { for device in [alice, laptop, bob] { try await device.sync() } }
  }

  private func unshareBob(_ device: Device) throws {
    try device.database.write { transaction in
      let list = try transaction.lists()[0]
      let bob = try #require(try transaction.members(of: list.node).first { $0.name == "bob" })
      try transaction.unshare(list.node, with: bob.user)
    }
  }

  private func removeList(_ device: Device) throws {
    try device.database.write { try $0.removeList(try $0.lists()[0]) }
  }

  @Test(arguments: [true, false])
  func comesBackWithWhatWasAdded(_ removalFirst: Bool) async throws {
    try unshareBob(alice)
    try alice.add("Groceries", "Champagne")
    try removeList(laptop)
    for device in removalFirst ? [laptop, alice] : [alice, laptop] { try await device.sync() }
    try await settle()
    for device in [alice, laptop] {
      #expect(try device.titles("Groceries") == ["Champagne", "Milk"])
      #expect(try device.unsent() == 0)
      #expect(try device.quarantine().isEmpty)
    }
  }

  @Test func comesBackAlsoAfterWhatWasAddedWasSent() async throws {
    try removeList(laptop)
    try unshareBob(alice)
    try await alice.sync()
    try alice.add("Groceries", "Champagne")
    try await alice.sync()
    try await settle()
    for device in [alice, laptop] { #expect(try device.titles("Groceries") == ["Champagne", "Milk"]) }
  }

  /// Nothing is on it that the device which removed it had not seen, and it is deleted, not left.
  @Test func aListOfOneselfAloneGoesFromEveryDevice() async throws {
    try unshareBob(alice)
    try alice.add("Groceries", "Champagne")
    try await settle()
    try removeList(laptop)
    try await settle()
    for device in [alice, laptop] {
      #expect(try device.database.read { try $0.lists() }.isEmpty)
      #expect(try device.unsent() == 0)
      #expect(try device.quarantine().isEmpty)
    }
  }

  @Test func aListThatOthersReadIsLeft() async throws {
    try removeList(laptop)
    try await settle()
    #expect(try alice.database.read { try $0.lists() }.isEmpty)
    #expect(try bob.titles("Groceries") == ["Milk"])
  }
}
