import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A member of one list hangs a pointer there to somebody else's, which the others on it can read only later (spec §3.8).
@Suite struct BaitTests {
  /// Alice and mallory share Shared, bob has Plans with mallory as a viewer; the bait hangs in Shared, and both of alice's devices have read it.
  private func baited(
    _ seed: String, isTrue: Bool
  ) async throws -> (World, alice: Device, tablet: Device, bob: Device) {
    let world = try World(seed: seed)
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    let mallory = try await world.person("mallory")
    for (owner, list, role) in [(alice, "Shared", Role.editor), (bob, "Plans", .viewer)] {
      try owner.add(list, "a todo of \(list)")
      try await owner.share(list, with: "mallory", role: role)
      try await settle(owner, mallory)
      try mallory.accept()
      try await settle(mallory, owner)
    }
    let tablet = try await alice.second("tablet", "alice", in: world)
    try mallory.add("Shared", "bait")
    let bait = try mallory.todo("bait")
    let plans = try mallory.branch("Plans")
    try mallory.database.write { transaction in
      let branch = try #require(try transaction.branch(plans))
      try transaction.db.execute(sql: "UPDATE nodes SET pointer = ? WHERE id = ?", arguments: [branch, bait.node])
      guard !isTrue else { return }
      try transaction.db.execute(
        sql: "UPDATE branches SET first_permissions = randomblob(32) WHERE id = ?", arguments: [branch])
    }
    try await mallory.sync()
    for device in [alice, tablet] {
      try await device.sync()
      #expect(try device.database.read { try $0.branch(plans) } != nil, "she follows the bait")
    }
    return (world, alice, tablet, bob)
  }

  @Test(arguments: [true, false]) func nothingIsSharedAlongThatABaitLeadsTo(isTrue: Bool) async throws {
    let (world, alice, tablet, bob) = try await baited("a bait \(isTrue)", isTrue: isTrue)
    try await bob.share("Plans", with: "alice", role: .admin)
    try await settle(bob, alice)
    #expect(try alice.invites().map(\.title) == ["Plans"], "nobody makes an invitation vanish")
    try alice.accept()
    try await settle(alice, bob, tablet)
    for device in [alice, tablet] { #expect(try device.listNames().sorted() == ["Plans", "Shared"]) }
    let carol = try await world.person("carol")
    // A device that was not asked whether it wants Plans.
    try await tablet.share("Shared", with: "carol")
    try await settle(tablet, alice, bob, carol)
    #expect(try carol.invites().map(\.title) == ["Shared"])
    #expect(try members(of: "Plans", on: bob) == ["alice", "bob", "mallory"])
    try await bob.share("Plans", with: "alice", role: .editor)
    try await settle(bob, alice, tablet)
    for device in [alice, tablet] { #expect(try device.database.read { try $0.troubles() }.isEmpty) }
    // What is done to Shared is done to nothing else.
    try tablet.database.write { transaction in
      let shared = try #require(try transaction.lists().first { $0.name == "Shared" })
      _ = try transaction.close(shared.node)
    }
    try await settle(tablet, alice, bob)
    for device in [alice, tablet] { #expect(try device.listNames() == ["Plans"]) }
    #expect(try members(of: "Plans", on: bob) == ["alice", "bob", "mallory"])
  }

  private func members(of list: String, on device: Device) throws -> [String] {
    try device.database.read { transaction in
      let found = try #require(try transaction.lists().first { $0.name == list })
      return try transaction.members(of: found.node).map(\.name).sorted()
    }
  }
}
