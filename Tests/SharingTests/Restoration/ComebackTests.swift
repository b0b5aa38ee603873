import CloudAPI
import CloudServer
import Foundation
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// Whoever goes on with a server that was set back is told who is back by that, and has it taken back (spec §4.4).
@Suite struct ComebackTests {
  private func letters(_ device: Device, _ world: World, _ branch: CloudID) throws -> Letters {
    let user = try device.user()
    return try world.storage.read { try $0.letters(of: user, on: branch) }
  }

  /// - Parameter root: of an account whose device has it no more.
  private func signInAgain(_ device: Device, as handle: String = "alice", root: RootKey? = nil) async throws {
    let root = try #require(try root ?? device.database.read { try $0.root() })
    try device.database.write { try $0.keepTree() }
    try await device.session.logIn(root: root, handle: handle, server: "test")
  }

  @Test(arguments: [false, true]) func whoIsBackIsNamedAndRemovedAgain(_ hasSigned: Bool) async throws {
    let stage = try await Stage()
    let (alice, mallory, carol, branch) = (stage.alice, stage.mallory, stage.carol, stage.branch)
    // With letters to share the removed member can also make records of their own.
    try await alice.share("Groceries", with: "mallory", role: hasSigned ? .admin : .editor)
    try await alice.share("Groceries", with: "carol", role: .editor)
    try await settle(alice, mallory, carol)
    let backup = try World(copying: stage.world, seed: "backup")
    let (me, removed, lowered) = (try alice.user(), try mallory.user(), try carol.user())
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: removed) }
    try await alice.share("Groceries", with: "carol", role: .viewer)
    try await alice.sync()
    for device in [alice, mallory, carol] { device.transport.setCloud(backup.cloud) }
    // Whom the removed member lets in is named with them.
    var newcomers: Set<UserID> = []
    if hasSigned {
      newcomers = [try await backup.person("dave").user()]
      try await mallory.share("Groceries", with: "dave")
    }
    try mallory.add("Groceries", "Wine")
    try await mallory.sync()
    #expect(try await alice.sync().troubles[branch] == .fork)
    let back = try alice.database.read { try $0.comebacks() }
    #expect(Set(back.map(\.user)) == newcomers.union([removed, lowered]))
    #expect(
      back.allSatisfy { $0.by == ($0.isNew ? removed : me) && $0.isNew == newcomers.contains($0.user) && !$0.isQueued })
    #expect(back.first { $0.user == removed }?.before == [])
    #expect(back.first { $0.user == lowered }?.before == [.read])
    #expect(try letters(mallory, backup, branch).contains(.write))
    // The way that is advised leads to a list where nobody has more than they had.
    try await signInAgain(alice)
    try await alice.sync()
    let named = try alice.database.read { try $0.comebacks() }
    #expect(Set(named.map(\.user)) == newcomers.union([removed, lowered]))
    #expect(named.allSatisfy { $0.isQueued && !$0.isTold })
    for user in newcomers { #expect(try backup.storage.read { try $0.letters(of: user, on: branch) }.isEmpty) }
    #expect(try letters(mallory, backup, branch).isEmpty)
    #expect(try letters(carol, backup, branch) == [.read])
    try alice.database.write { try $0.noteComebacksTold() }
    try await alice.sync()
    #expect(try alice.database.read { try $0.comebacks() }.isEmpty)
    // Whom the owner lets in after all stays.
    try alice.database.write { transaction in
      let list = try #require(try transaction.lists().first { try transaction.cloudID(of: $0.branch) == branch })
      try transaction.share(list.node, with: removed, role: .editor, title: list.title, note: "")
    }
    try await settle(alice, alice)
    #expect(try letters(mallory, backup, branch).contains(.write))
  }

  /// Whoever signs out before the server has shown anything remembers, too.
  @Test func whoIsBackIsFoundWithoutASyncBefore() async throws {
    let stage = try await Stage()
    let (alice, mallory, branch) = (stage.alice, stage.mallory, stage.branch)
    let backup = try World(copying: stage.world, seed: "backup")
    let removed = try mallory.user()
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: removed) }
    try await alice.sync()
    alice.transport.setCloud(backup.cloud)
    try await signInAgain(alice)
    try await settle(alice, alice)
    #expect(try letters(mallory, backup, branch).isEmpty)
  }

  /// A block that the server lost is made again.
  @Test(arguments: [false, true]) func whoWasBlockedIsBlockedAgain(_ hasSynced: Bool) async throws {
    let stage = try await Stage()
    let (alice, mallory) = (stage.alice, stage.mallory)
    let inbox = Trunk.inbox.cloudID(of: try alice.user())
    let backup = try World(copying: stage.world, seed: "backup")
    let (user, root) = (try mallory.user(), try alice.database.read { try $0.root() })
    try alice.database.write { try $0.setRefused(user) }
    try await settle(alice, alice)
    #expect(try letters(mallory, stage.world, inbox).isEmpty)
    #expect(try !letters(mallory, backup, inbox).isEmpty)
    alice.transport.setCloud(backup.cloud)
    if hasSynced { try await alice.sync() }
    try await signInAgain(alice)
    try await alice.sync()
    let back = try alice.database.read { try $0.comebacks() }
    #expect(back.map(\.user) == [user] && back.allSatisfy { $0.branch == inbox && $0.isQueued })
    try await settle(alice, alice)
    #expect(try letters(mallory, backup, inbox).isEmpty)
    // Who is let in again afterwards is not forgotten to be.
    try alice.database.write { try $0.setRefused(user, false) }
    try await settle(alice, alice)
    try await signInAgain(alice, root: root)
    try await settle(alice, alice)
    #expect(try !letters(mallory, backup, inbox).isEmpty)
  }

  /// Nobody can take back what a former owner owns again: it is said, and stays said.
  @Test func aFormerOwnerIsNamed() async throws {
    let (alice, bob, world) = try await sharedList(seed: "former owner")
    let branch = try alice.branch("Groceries")
    let backup = try World(copying: world, seed: "backup")
    let (former, successor) = (try alice.user(), try bob.user())
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.offerOwnership(of: list.node, to: successor, title: list.title)
    }
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    bob.transport.setCloud(backup.cloud)
    #expect(try await bob.sync().troubles[branch] == .fork)
    #expect(try bob.database.read { try $0.comebacks() }.map(\.user) == [former])
    try await signInAgain(bob, as: "bob")
    for _ in 0..<2 {
      try await bob.sync()
      let back = try bob.database.read { try $0.comebacks() }
      #expect(back.map(\.user) == [former] && back.allSatisfy { $0.isOwner && !$0.isQueued })
    }
  }

  /// Where the server has all that was read nobody is back, whoever was let in again since.
  @Test func whoWasLetInAgainSinceStays() async throws {
    let stage = try await Stage()
    let (alice, mallory, branch) = (stage.alice, stage.mallory, stage.branch)
    let backup = try World(copying: stage.world, seed: "backup")
    let removed = try mallory.user()
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: removed) }
    try await alice.sync()
    alice.transport.setCloud(backup.cloud)
    #expect(try await alice.sync().troubles[branch] == .fork)
    let phone = try await alice.second("phone", "alice", in: stage.world)
    try await phone.sync()
    try await phone.share("Groceries", with: "mallory")
    try await phone.sync()
    alice.transport.setCloud(stage.world.cloud)
    try await signInAgain(alice)
    try await settle(alice, alice)
    #expect(try alice.database.read { try $0.comebacks() }.isEmpty)
    #expect(try letters(mallory, stage.world, branch).contains(.write))
  }
}
