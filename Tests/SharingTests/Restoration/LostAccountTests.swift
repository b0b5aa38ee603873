import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// A server that was set back to before somebody signed up, who never comes back (spec §4.5).
@Suite struct LostAccountTests {
  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  private func members(_ world: World, _ branch: CloudID) throws -> Set<UserID> {
    let record = try world.storage.read { try $0.permissions(of: branch) }
    return Set(try PermissionsBody(decoding: #require(record).body).entries.compactMap(\.user))
  }

  /// Their list goes on without them, also where a stranger has their handle by now.
  @Test(arguments: [false, true]) func aListOutlivesAMemberWhomTheServerForgot(_ isHandleTaken: Bool) async throws {
    let stage = try await Stage()
    let (alice, mallory, branch) = (stage.alice, stage.mallory, stage.branch)
    let backup = try World(copying: stage.world, seed: "backup")
    let dave = try await stage.world.person("dave")
    let lost = try user(dave)
    try await alice.share("Groceries", with: "dave")
    try await settle(alice, dave)
    try dave.accept()
    try await settle(dave)
    try dave.add("Groceries", "Tea")
    try dave.edit("Milk", to: "Oat milk")
    try await settle(dave, alice, mallory)
    for device in [alice, mallory, stage.carol] { device.transport.setCloud(backup.cloud) }
    let stranger = isHandleTaken ? try await backup.person("dave") : nil
    let outcome = try await alice.session.repairServer().first { $0.branch == branch }?.outcome
    guard case .restored? = outcome else {
      Issue.record("not restored: \(String(describing: outcome))")
      return
    }
    // Nobody has read more than she has.
    _ = try await alice.session.repairServer()
    try alice.add("Groceries", "Bread")
    try await settle(alice, mallory)
    #expect(try members(backup, branch).contains(lost))
    // An account is nobody's to give back, nor a handle.
    dave.transport.setCloud(backup.cloud)
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await dave.sync() }
    // Nobody needs the keyring of whom they remove.
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: lost) }
    try await settle(alice, mallory, stage.carol)
    #expect(try !members(backup, branch).contains(lost))
    try mallory.add("Groceries", "Salt")
    try await settle(mallory, alice, stage.carol)
    let root = try #require(try alice.database.read { try $0.root() })
    let fresh = try backup.device("fresh")
    try await fresh.session.logIn(root: root, handle: "alice", server: "test")
    try await fresh.sync()
    for device in [alice, mallory, stage.carol, fresh] {
      #expect(try await device.sync().troubles[branch] == nil)
      #expect(try device.titles("Groceries") == ["Bread", "Eggs", "Oat milk", "Salt", "Tea"])
      #expect(try device.quarantine().isEmpty)
    }
    if let stranger {
      try await stranger.sync()
      #expect(try !members(backup, branch).contains(user(stranger)) && stranger.listNames().isEmpty)
    }
  }

  /// Whoever comes back signs up again, with everything that they had.
  @Test func aMemberWhomTheServerForgotComesBack() async throws {
    let stage = try await Stage()
    let (alice, branch) = (stage.alice, stage.branch)
    let backup = try World(copying: stage.world, seed: "backup")
    let dave = try await stage.world.person("dave")
    let phone = try await dave.second("phone", "dave", in: stage.world)
    try await alice.share("Groceries", with: "dave")
    try await settle(alice, dave)
    try dave.accept()
    try await settle(dave, phone)
    try phone.add("Groceries", "Tea")
    try await settle(phone, dave, alice)
    for device in [alice, dave, phone] { device.transport.setCloud(backup.cloud) }
    _ = try await alice.session.repairServer()
    try await settle(alice)
    for device in [dave, phone] { _ = try await device.session.repairServer() }
    try phone.add("Groceries", "Bread")
    try await settle(phone, dave, alice)
    for device in [alice, dave, phone] {
      #expect(try await device.sync().troubles[branch] == nil)
      #expect(try device.titles("Groceries") == ["Bread", "Eggs", "Milk", "Tea"])
    }
  }

  /// Nobody fills a server with the keyrings of people whom what is given back does not name.
  @Test func onlyKeyringsThatRecordsNameAreKept() async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    let dave = try await stage.world.person("dave")
    try stage.mallory.add("Groceries", "Tea")
    try await stage.mallory.sync()
    let (branch, other) = (stage.branch, try user(dave))
    var message = try stage.mallory.database.read { transaction in
      let followed = try #require(try transaction.followedBranches().first { $0.cloudID == branch })
      let end = try #require(try transaction.cursor(of: followed.id))
      return try transaction.restoreRequest(of: followed, after: LogHead(startOf: branch), upTo: end.line).message
    }
    let entries = try dave.database.read { try $0.keyring(other)?.entries.map(\.wire) }
    message.keyrings = [
      .with {
        $0.user = data(other.bytes)
        $0.entries = entries ?? []
      }
    ]
    let request = message
    stage.mallory.transport.setCloud(backup.cloud)
    _ = try await stage.mallory.session.connection().call(.restore, request, answer: WireRestored.self)
    #expect(try backup.storage.read { try $0.head(of: branch) } == Hand(stage.mallory, on: branch).head)
    #expect(try backup.storage.read { try $0.lostKeyring(of: other) }.isEmpty)
  }
}
