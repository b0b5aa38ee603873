import CloudAPI
import CloudServer
import Foundation
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// A server that was set back takes nothing new on a branch before its owner has given back what they have (spec §4.5).
@Suite struct RestoreWaitTests {
  private func serverHead(_ world: World, _ branch: CloudID) throws -> LogHead? {
    try world.storage.read { try $0.head(of: branch) }
  }

  private func letters(_ device: Device, _ world: World, _ branch: CloudID) throws -> Letters {
    let user = try device.user()
    return try world.storage.read { try $0.letters(of: user, on: branch) }
  }

  private func obstacles(_ device: Device) throws -> Set<Obstacle> {
    try device.database.read { transaction in
      try Set(transaction.operations().compactMap { try transaction.obstacle(to: $0) })
    }
  }

  /// Whoever was removed after the backup was made does not get in before it is known.
  @Test func whoWasRemovedWritesNothingBeforeTheRemovalIsBack() async throws {
    let stage = try await Stage()
    let (alice, mallory, branch) = (stage.alice, stage.mallory, stage.branch)
    let backup = try World(copying: stage.world, seed: "backup")
    let user = try mallory.user()
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: user) }
    try await alice.sync()
    let read = try Hand(alice, on: branch).head
    for device in [alice, mallory] { device.transport.setCloud(backup.cloud) }
    try backup.cloud.awaitOwners(for: Cloud.usualRestoreWait)
    let before = try serverHead(backup, branch)
    try mallory.add("Groceries", "Wine")
    #expect(try await mallory.sync().unsent == 1)
    #expect(try obstacles(mallory) == [.restoreAwaited(isOwn: false)])
    #expect(try mallory.database.read { try $0.refusedOperationCount() } == 0)
    #expect(try serverHead(backup, branch) == before)
    _ = try await alice.session.repairServer()
    #expect(try serverHead(backup, branch) == read)
    try await mallory.sync()
    #expect(try serverHead(backup, branch) == read && letters(mallory, backup, branch).isEmpty)
    #expect(try await alice.sync().troubles.isEmpty)
    #expect(try alice.titles("Groceries") == ["Eggs", "Milk"])
  }

  /// Who lost nothing does not fork the inbox of whoever read more of it.
  @Test func aMessageWaitsUntilItsReaderHasGivenBack() async throws {
    let stage = try await Stage()
    let (alice, mallory, carol) = (stage.alice, stage.mallory, stage.carol)
    let backup = try World(copying: stage.world, seed: "backup")
    try carol.add("Books", "Dune")
    try await carol.share("Books", with: "alice")
    try await settle(carol, alice)
    for device in [alice, mallory] { device.transport.setCloud(backup.cloud) }
    try backup.cloud.awaitOwners(for: Cloud.usualRestoreWait)
    try mallory.add("Cars", "Beetle")
    try await mallory.share("Cars", with: "alice")
    #expect(try await mallory.sync().unsent == 1)
    #expect(try obstacles(mallory) == [.restoreAwaited(isOwn: false)])
    _ = try await alice.session.repairServer()
    try await settle(mallory, alice)
    #expect(try mallory.unsent() == 0)
    #expect(try await alice.sync().troubles.isEmpty)
    #expect(try alice.invites().map(\.title).sorted() == ["Books", "Cars"])
  }

  /// A restart changes nothing, nobody waits longer than the period, and a server that takes nothing back forgets it.
  @Test func theWaitOutlivesARestartAndEnds() async throws {
    let stage = try await Stage()
    let (mallory, branch) = (stage.mallory, stage.branch)
    let (backup, wait) = (try World(copying: stage.world, seed: "backup"), Cloud.usualRestoreWait)
    func restart(accepting: Bool) throws -> Int64? {
      let cloud = Cloud(
        storage: backup.storage, blobs: MemoryBlobStore(), policy: .open, clock: backup.clock,
        acceptsRestores: accepting)
      mallory.transport.setCloud(cloud)
      return try cloud.awaitOwners(for: wait)
    }
    let end = try #require(try restart(accepting: true))
    let before = try serverHead(backup, branch)
    try mallory.add("Groceries", "Wine")
    backup.clock.advance(wait - 60_000)
    #expect(try restart(accepting: true) == end)
    try await mallory.sync()
    #expect(try serverHead(backup, branch) == before)
    backup.clock.advance(60_000)
    try await mallory.sync()
    #expect(try mallory.unsent() == 0 && serverHead(backup, branch) != before)
    #expect(try restart(accepting: true) == nil)
    #expect(try restart(accepting: false) == nil)
    #expect(try restart(accepting: true) == backup.clock.now() + wait)
  }

  /// To have nothing more is to have given back.
  @Test func whoHasNothingMoreEndsTheWait() async throws {
    let stage = try await Stage()
    let (alice, mallory, branch) = (stage.alice, stage.mallory, stage.branch)
    try stage.world.cloud.awaitOwners(for: Cloud.usualRestoreWait)
    try mallory.add("Groceries", "Wine")
    try await mallory.sync()
    // Somebody else on the list does not say it for its owner.
    _ = try await mallory.session.repairServer()
    #expect(try await mallory.sync().unsent == 1)
    try alice.add("Groceries", "Bread")
    #expect(try await alice.sync().unsent == 1)
    #expect(try obstacles(alice) == [.restoreAwaited(isOwn: true)])
    _ = try await alice.session.repairServer()
    try await settle(alice, mallory, alice)
    for device in [alice, mallory] {
      #expect(try device.titles("Groceries") == ["Bread", "Eggs", "Milk", "Wine"] && device.unsent() == 0)
    }
    #expect(try serverHead(stage.world, branch) == Hand(alice, on: branch).head)
  }

  /// What only this device reads waits for nobody: neither what it had, nor a new list, nor a new account.
  @Test func whatIsReadByOneDeviceAloneDoesNotWait() async throws {
    let stage = try await Stage()
    let (alice, mallory) = (stage.alice, stage.mallory)
    try alice.add("Diary", "Monday")
    try await alice.sync()
    try stage.world.cloud.awaitOwners(for: Cloud.usualRestoreWait)
    try alice.add("Diary", "Tuesday")
    try alice.add("Plans", "Moon")
    #expect(try await alice.sync().unsent == 0)
    let dave = try await stage.world.person("dave")
    try dave.add("Work", "Mail")
    #expect(try await dave.sync().unsent == 0)
    try await dave.share("Work", with: "mallory")
    try await dave.sync()
    #expect(try dave.unsent() == 1)
    // Mallory's inbox opens with the first that mallory sends there, or gives back.
    _ = try await mallory.session.repairServer()
    try await settle(dave, mallory)
    #expect(try mallory.invites().map(\.title) == ["Work"])
  }
}
