import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Somebody who was on a list, and is on it again: whether they have answered is told of the last time.
@Suite struct ReturnTests {
  private let world: World
  private let alice: Device
  private let bob: Device

  init() async throws { (alice, bob, world) = try await sharedList(seed: "return") }

  private func hasJoined(_ device: Device) throws -> Bool? {
    let friend = try bob.user()
    return try device.database.read { transaction in
      try transaction.members(of: transaction.lists()[0].node, history: true).first { $0.user == friend }?.hasJoined
    }
  }

  private func leave() throws { try bob.database.write { _ = try $0.leave($0.lists()[0].node) } }

  private func unshare() throws {
    let friend = try bob.user()
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
  }

  private func acceptIfAsked() throws { if try !bob.invites().isEmpty { try bob.accept() } }

  /// Another device of the one who invited them, which has slept meanwhile, reads both words at once.
  @Test(arguments: [true, false])
  func whoLeftAndCameBackHasAnswered(_ hasPhone: Bool) async throws {
    let phone = hasPhone ? try await alice.second("phone", "alice", in: world) : nil
    try leave()
    try await settle(bob, alice)
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    #expect(try hasJoined(alice) == false)
    try acceptIfAsked()
    try await settle(bob, alice)
    #expect(try hasJoined(alice) == true)
    if let phone {
      try await settle(phone, alice, phone)
      for device in [phone, alice] { #expect(try hasJoined(device) == true && device.unsent() == 0) }
    }
  }

  @Test(arguments: [true, false], [true, false])
  func whoWasTakenOffAndLetInHasAnswered(_ isRead: Bool, _ hasLetGo: Bool) async throws {
    try unshare()
    try await alice.sync()
    if isRead { try await settle(bob, alice) }
    if hasLetGo, isRead {
      try bob.database.write { transaction in
        for list in try transaction.lists() { try transaction.removeList(list) }
      }
      try await settle(bob, alice)
    }
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try acceptIfAsked()
    try await settle(bob, alice)
    #expect(try bob.listNames() == ["Groceries"])
    #expect(try hasJoined(alice) == true)
  }

  /// Both in one go: nothing of the removal was sent before they were let in again.
  @Test func whoWasNeverGoneHasAnswered() async throws {
    try unshare()
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try acceptIfAsked()
    try await settle(bob, alice)
    #expect(try hasJoined(alice) == true)
  }

  /// A viewer signs nothing on the list.
  @Test func aViewerWhoCameBackHasAnswered() async throws {
    try unshare()
    try await settle(alice, bob)
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await alice.sync()
    try await bob.sync()
    try acceptIfAsked()
    try await settle(bob, alice)
    #expect(try hasJoined(alice) == true)
  }

  /// The pointer has the id that follows from the two lists, so its deletion and its return are of one node.
  @Test func whoLetGoAndComesBackBeforeThatWasSentHasTheList() async throws {
    let laptop = try await bob.second("laptop", "bob", in: world)
    try await settle(laptop)
    let branch = try bob.branch("Groceries")
    let first = try #require(
      try bob.database.read { transaction in
        try transaction.branch(branch).flatMap { try transaction.firstPermissions(of: $0) }
      })
    try unshare()
    try await settle(alice, bob)
    try bob.letGo("Groceries")
    try await alice.share("Groceries", with: "bob")
    try await alice.sync()
    try bob.database.write {
      _ = try $0.graftNode(
        withLocalPath: Treepath(.home, branch.description), remoteCloudID: branch, firstPermissions: first)
    }
    try await settle(bob, laptop, bob)
    for device in [bob, laptop] { #expect(try device.listNames() == ["Groceries"] && device.unsent() == 0) }
  }
}
