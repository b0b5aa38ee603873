import CloudAPI
import Foundation
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// An inbox's lines decide nothing, so its owner goes on with what the server has, and loses nothing that they had read (spec §4.4).
@Suite struct ForkedInboxTests {
  private func inboxFindings(_ device: Device) throws -> [Finding] {
    let inbox = Trunk.inbox.cloudID(of: try device.user())
    return try device.database.read { try $0.findings().filter { $0.branch == inbox } }
  }

  @Test func anInboxGoesOnAfterAForkAndLosesNothingThatWasRead() async throws {
    let stage = try await Stage()
    let (alice, mallory, carol) = (stage.alice, stage.mallory, stage.carol)
    let phone = try await alice.second("phone", "alice", in: stage.world)
    try mallory.add("Bikes", "Bell")
    try await mallory.share("Bikes", with: "alice")
    try await settle(mallory, alice, phone)
    let backup = try World(copying: stage.world, seed: "backup")
    // Alice answers what came before, and reads what came since.
    try alice.decline()
    try carol.add("Books", "Dune")
    try await carol.share("Books", with: "alice")
    try await settle(alice, carol, alice)
    #expect(try alice.invites().map(\.title) == ["Books"])
    for device in [alice, mallory, phone] { device.transport.setCloud(backup.cloud) }
    try mallory.add("Cars", "Beetle")
    try await mallory.share("Cars", with: "alice")
    try await mallory.sync()
    let inbox = Trunk.inbox.cloudID(of: try alice.user())
    #expect(try await alice.sync().troubles[inbox] == nil)
    #expect(try Set(alice.invites().map(\.title)).isSuperset(of: ["Books", "Cars"]))
    let found = try inboxFindings(alice)
    #expect(found.count == 1 && found.allSatisfy { $0.kind == .fork && $0.ended != nil })
    #expect(try alice.database.read { try $0.branchesWithBrokenLog().isEmpty })
    #expect(try await alice.sync().troubles[inbox] == nil)
    // What the server never had is answered all the same, and nothing waits for ever.
    while try !alice.invites().isEmpty { try alice.decline() }
    try await alice.sync()
    #expect(try alice.database.read { try $0.refusedOperationCount() } == 0)
    let waiting = try alice.database.read { transaction in
      let branch = try transaction.trunkBranch(.inbox)
      return try transaction.operations().filter { $0.branch == branch }
    }
    #expect(waiting.isEmpty)
    try await mallory.share("Bikes", with: "alice", role: .viewer)
    try await settle(mallory, phone)
    #expect(try await phone.sync().troubles[inbox] == nil)
  }

  /// A past that differs in who may do what is nobody's to go on with.
  @Test func aForkBeforeARecordStands() async throws {
    let stage = try await Stage()
    let (alice, mallory) = (stage.alice, stage.mallory)
    let phone = try await alice.second("phone", "alice", in: stage.world)
    try await settle(alice, phone)
    let backup = try World(copying: stage.world, seed: "backup")
    // The inbox gets a new key, which the phone has not.
    let device = try phone.database.read { try $0.requireAccount().device }
    try await alice.session.endDevice(device, withAdded: false)
    try await settle(alice)
    for device in [alice, mallory] { device.transport.setCloud(backup.cloud) }
    try mallory.add("Cars", "Beetle")
    try await mallory.share("Cars", with: "alice")
    try await mallory.sync()
    let inbox = Trunk.inbox.cloudID(of: try alice.user())
    #expect(try await alice.sync().troubles[inbox] == .fork)
    #expect(try inboxFindings(alice).contains { $0.kind == .fork && $0.ended == nil })
  }
}
