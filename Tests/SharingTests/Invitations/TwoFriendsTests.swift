import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@Suite struct TwoFriendsTests {
  @Test func aListIsSharedAndBothWriteOnIt() async throws {
    let world = try World()
    let alice = try world.device("alice")
    try alice.add("Groceries", "Milk", "Öl", "🥑")
    try await alice.session.signUp(handle: "alice", server: "test")
    try await alice.sync()
    let bob = try await world.person("bob")
    try await alice.share("Groceries", with: "bob", note: "let's tackle this holiday dinner")
    try await alice.sync()
    try await bob.sync()
    let invite = try #require(try bob.database.read { try $0.invites() }.first)
    #expect(invite.senderName == "alice")
    #expect(invite.title == "Groceries")
    #expect(invite.note == "let's tackle this holiday dinner")
    #expect(invite.role == .editor)
    #expect(try bob.titles("Groceries") == [])
    try bob.accept()
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk", "Öl", "🥑"].sorted())
    try bob.add("Groceries", "BBQ sauce")
    let milk = try bob.todo("Milk")
    try bob.database.write { try $0.setDone(true, milk) }
    try await bob.sync()
    let report = try await alice.sync()
    #expect(report.troubles.isEmpty)
    #expect(try alice.titles("Groceries") == ["BBQ sauce", "✓ Milk", "Öl", "🥑"].sorted())
    let author = try #require(try alice.todo("BBQ sauce").changed.user)
    #expect(try alice.database.read { try $0.displayName(of: author) } == "bob")
    #expect(try alice.quarantine().isEmpty)
    #expect(try bob.quarantine().isEmpty)
    #expect(try alice.database.read { try $0.pendingOperationCount() } == 0)
    #expect(try bob.database.read { try $0.invites() }.isEmpty)
  }

  @Test func offlineEditsConverge() async throws {
    let (alice, bob, world) = try await sharedList()
    alice.transport.setCloud(nil)
    bob.transport.setCloud(nil)
    try alice.add("Groceries", "Bread")
    try bob.add("Groceries", "Butter")
    let milk = try bob.todo("Milk")
    try bob.database.write { try $0.setDone(true, milk) }
    world.clock.advance(5)
    let same = try alice.todo("Milk")
    try alice.database.write { try $0.setTitle(try Title("Oat milk"), of: same) }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    alice.transport.setCloud(world.cloud)
    bob.transport.setCloud(world.cloud)
    for _ in 0..<2 {
      try await alice.sync()
      try await bob.sync()
    }
    try await alice.sync()
    #expect(try alice.titles("Groceries") == ["Bread", "Butter", "✓ Oat milk"])
    #expect(try bob.titles("Groceries") == ["Bread", "Butter", "✓ Oat milk"])
  }

  @Test func aLostReplyLosesNothingAndDoublesNothing() async throws {
    let (alice, bob, _) = try await sharedList()
    try alice.add("Groceries", "milk")
    alice.transport.setFate { $0.path == "/v1/batch" ? .replyLost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    let milk = try alice.todo("milk")
    try alice.database.write { try $0.setTitle(try Title("oat milk"), of: milk) }
    alice.transport.setFate { _ in .delivered }
    try await alice.sync()
    try await bob.sync()
    #expect(try alice.titles("Groceries") == ["Milk", "oat milk"])
    #expect(try bob.titles("Groceries") == ["Milk", "oat milk"])
    #expect(try alice.database.read { try $0.pendingOperationCount() } == 0)
  }

  @Test func aSecondDeviceFromTheWordsHasEverythingAndKeepsItsOwn() async throws {
    let (alice, bob, world) = try await sharedList()
    let root = try #require(try alice.database.read { try $0.root() })
    let laptop = try world.device("laptop")
    try laptop.add("Groceries", "Candles")
    let local = Set(try laptop.database.read { try $0.lists() }.map(\.node))
    try await laptop.session.logIn(
      root: try RecoveryWords(text: RecoveryWords(root: root).words.joined(separator: " ")).root(), handle: "alice",
      server: "test")
    try await laptop.sync()
    try laptop.database.write { try $0.keepApart(local) }
    try await laptop.sync()
    #expect(try laptop.titles("Groceries") == ["Milk"])
    #expect(try laptop.titles("Groceries (2)") == ["Candles"])
    try laptop.add("Groceries", "From the laptop")
    try await laptop.sync()
    try await bob.sync()
    try await alice.sync()
    #expect(try bob.titles("Groceries") == ["From the laptop", "Milk"])
    #expect(try alice.titles("Groceries (2)") == ["Candles"])
    #expect(try laptop.database.read { try $0.root() } == nil)
  }

  /// Alice and bob on one list with Milk on it.
  private func sharedList() async throws -> (Device, Device, World) {
    let world = try World()
    let alice = try await world.person("alice")
    let bob = try await world.person("bob")
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await alice.sync()
    try await bob.sync()
    try bob.accept()
    try await bob.sync()
    return (alice, bob, world)
  }
}
