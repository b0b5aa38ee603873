import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// What a server lost that was set back, and nobody has any more who may write.
struct LostContentTests {
  /// Carol, a viewer, gives back the lines of what alice wrote after the backup; alice's own device is gone.
  private func lose() async throws -> (stage: Stage, backup: World, fresh: Device) {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    try stage.alice.add("Groceries", "Salt")
    let salt = try stage.alice.todo("Salt")
    try stage.alice.database.write { _ = try $0.addComment(try Note("the coarse one"), to: salt) }
    try await settle(stage.alice, stage.carol)
    stage.carol.transport.setCloud(backup.cloud)
    _ = try await stage.carol.session.repairServer()
    let fresh = try backup.device("fresh")
    let root = try #require(try stage.alice.database.read { try $0.root() })
    try await fresh.session.logIn(root: root, handle: "alice", server: "test")
    try await fresh.sync()
    return (stage, backup, fresh)
  }

  @Test func whoMayWriteGivesItUpForEverybody() async throws {
    let (stage, _, fresh) = try await lose()
    #expect(try fresh.titles("Groceries") == ["Eggs", "Milk"])
    for _ in 0..<2 { try await fresh.sync() }
    #expect(try fresh.quarantine().count == 2)
    // A viewer may not decide that, and has nothing to.
    #expect(try stage.carol.database.read { try $0.lostNodes() }.isEmpty)
    try fresh.database.write { try $0.giveUp($0.lostNodes()) }
    #expect(try fresh.database.read { try $0.lostNodes() }.isEmpty)
    for _ in 0..<2 { try await fresh.sync() }
    #expect(try fresh.quarantine().isEmpty && fresh.unsent() == 0)
    #expect(try fresh.database.read { try $0.operations().isEmpty })
    try await stage.carol.sync()
    #expect(try stage.carol.titles("Groceries") == ["Eggs", "Milk"] && stage.carol.quarantine().isEmpty)
    try fresh.add("Groceries", "Salt")
    try await settle(fresh, stage.carol)
    #expect(try stage.carol.titles("Groceries") == ["Eggs", "Milk", "Salt"])
  }

  /// Another member who had read it waits for nobody either.
  @Test func whoReadsOfItsEndComplainsNoMore() async throws {
    let (stage, backup, fresh) = try await lose()
    stage.mallory.transport.setCloud(backup.cloud)
    for _ in 0..<2 { try await stage.mallory.sync() }
    #expect(try stage.mallory.quarantine().count == 2)
    try fresh.database.write { try $0.giveUp($0.lostNodes()) }
    try await settle(fresh, stage.mallory)
    #expect(try stage.mallory.quarantine().isEmpty)
  }

  /// A message that no device had read: its recipient's own inbox.
  @Test func aLostMessageIsGivenUp() async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    try stage.alice.add("Work", "Mail")
    try await stage.alice.share("Work", with: "carol")
    try await settle(stage.alice, stage.carol)
    #expect(try stage.carol.invites().count == 1)
    // The phone of carol gives the lines of her inbox back, and is gone then.
    stage.carol.transport.setCloud(backup.cloud)
    for device in [stage.alice, stage.carol] {
      device.transport.setCloud(backup.cloud)
      _ = try await device.session.repairServer()
    }
    let root = try #require(try stage.carol.database.read { try $0.root() })
    let fresh = try backup.device("fresh")
    try await fresh.session.logIn(root: root, handle: "carol", server: "test")
    for _ in 0..<2 { try await fresh.sync() }
    let lost = try fresh.database.read { try $0.lostNodes() }
    #expect(lost.count == 1)
    try fresh.database.write { try $0.giveUp(lost) }
    for _ in 0..<2 { try await fresh.sync() }
    #expect(try fresh.quarantine().isEmpty && fresh.unsent() == 0)
  }
}
