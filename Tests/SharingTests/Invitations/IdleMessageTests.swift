import CloudAPI
import CloudServer
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Two people who share much: what they have told each other does not fill their inboxes.
@Suite struct IdleMessageTests {
  private let world: World
  private let alice: Device
  private let bob: Device

  init() async throws {
    world = try World(seed: "idle messages")
    (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
  }

  private func share(_ names: [String]) async throws {
    for name in names {
      try alice.add(name, "first of \(name)")
      try await alice.share(name, with: "bob")
    }
    try await settle(alice, bob)
  }

  /// How many of bob's messages lie in alice's inbox.
  private func waiting() throws -> Int {
    try world.storage.read { try $0.messageCount(in: Trunk.inbox.cloudID(of: alice.user()), by: bob.user()) }
  }

  private func node(_ list: String) throws -> NodeID {
    try #require(try alice.database.read { try $0.lists().first { $0.name == list } }).node
  }

  @Test func whatIsSaidOfAListGoesWithIt() async throws {
    try await share(["Deleted", "Left", "Taken", "Stays"])
    for _ in 0..<4 { try bob.accept() }
    try await settle(bob, alice)
    #expect(try waiting() == 4)
    let tablet = try await alice.second("tablet", "alice", in: world)
    let (deleted, taken, user) = (try node("Deleted"), try node("Taken"), try bob.user())
    try alice.database.write { transaction in
      _ = try transaction.close(deleted)
      _ = try transaction.unshare(taken, with: user)
    }
    let left = try #require(try bob.database.read { try $0.lists().first { $0.name == "Left" } }).node
    try bob.database.write { _ = try $0.leave(left) }
    try await settle(bob, alice, tablet)
    #expect(try waiting() == 1)
    for device in [alice, tablet] {
      let members = try device.database.read { transaction in
        try transaction.lists().filter { $0.name == "Stays" }.flatMap {
          try transaction.members(of: $0.node, history: true)
        }
      }
      #expect(members.count == 2)
      #expect(members.allSatisfy { $0.hasJoined == true })
      #expect(try device.unsent() == 0)
    }
  }

  @Test func whatSomebodyDeclinedGoesWhenTheyAreOnItNoMore() async throws {
    try await share(["Games"])
    try bob.decline()
    try await settle(bob, alice)
    #expect(try waiting() == 1)
    let (games, user) = (try node("Games"), try bob.user())
    try alice.database.write { _ = try $0.unshare(games, with: user) }
    try await settle(alice, bob)
    #expect(try waiting() == 0)
  }

  /// More than a hundred lists that all go on: bob may still tell alice something.
  @Test func whoSharesMuchIsStillHeard() async throws {
    let names = (0..<60).map { "List \($0)" }
    try await share(names)
    for _ in names { try bob.accept() }
    try await settle(bob, alice)
    #expect(try waiting() == 60, "nothing of bob's tells it yet")
    for name in names.prefix(30) { try bob.add(name, "of bob's") }
    try await settle(bob, alice)
    #expect(try waiting() == 50)
    let lists = try alice.database.read { try $0.lists() }
    let joined = try alice.database.read { transaction in
      try lists.allSatisfy { try transaction.members(of: $0.node, history: true).allSatisfy { $0.hasJoined == true } }
    }
    #expect(joined)
  }

  /// Nobody can accept it, and it would take a place for ever.
  @Test func anInvitationThatHasExpiredGoes() async throws {
    try await share(["Old"])
    let inbox = Trunk.inbox.cloudID(of: try bob.user())
    world.clock.advance(100 * 24 * 3600 * 1000)
    try await settle(bob)
    #expect(try world.storage.read { try $0.messageCount(in: inbox, by: alice.user()) } == 1)
    world.clock.advance(30 * 24 * 3600 * 1000)
    try await settle(bob)
    #expect(try world.storage.read { try $0.messageCount(in: inbox, by: alice.user()) } == 0)
    #expect(try bob.invites().isEmpty)
  }
}
