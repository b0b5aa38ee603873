import CloudAPI
import CloudServer
import Foundation
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// By how many years the clock of a list's owner is wrong, and that of whoever they share it with.
struct WrongClocks: Sendable {
  static let year: Int64 = 365 * 24 * 3600 * 1000
  static let all = [
    WrongClocks(owner: 1, other: 0), WrongClocks(owner: -1, other: 0), WrongClocks(owner: 0, other: 1),
    WrongClocks(owner: 0, other: -1),
    // So far that what others write is of the end of time (spec §7.2).
    WrongClocks(owner: 20, other: -20),
  ]

  let owner: Int64
  let other: Int64
}

/// A device whose clock is a year off invites, lets in and hands over like any other, once the server has answered it.
@Suite struct WrongClockTests {
  private let world: World

  init() throws { world = try World(seed: "wrong clock") }

  /// Somebody whose only device has a clock that is wrong by so many years.
  private func person(_ handle: String, off years: Int64) async throws -> Device {
    try await person(handle, clock: ManualClock(world.clock.now() + years * WrongClocks.year))
  }

  private func person(_ handle: String, clock: ManualClock) async throws -> Device {
    let device = try Device(
      path: world.folder.appendingPathComponent("\(handle).db").path, transport: InProcessTransport(world.cloud),
      clock: clock, entropy: SeededEntropy("wrong clock/\(handle)"))
    try await device.session.signUp(handle: handle, server: "test")
    try await device.sync()
    return device
  }

  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  private func shared(_ clocks: WrongClocks) async throws -> (owner: Device, other: Device) {
    let alice = try await person("alice", off: clocks.owner)
    let bob = try await person("bob", off: clocks.other)
    try await share(alice, with: bob)
    return (alice, bob)
  }

  /// The same with a clock of bob's that can be set.
  private func shared(off years: Int64) async throws -> (alice: Device, bob: Device, clock: ManualClock) {
    let clock = ManualClock(world.clock.now() + years * WrongClocks.year)
    let (alice, bob) = (try await person("alice", off: 0), try await person("bob", clock: clock))
    try await share(alice, with: bob)
    return (alice, bob, clock)
  }

  private func share(_ alice: Device, with bob: Device) async throws {
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice, bob)
  }

  @Test(arguments: WrongClocks.all) func anInvitationStands(_ clocks: WrongClocks) async throws {
    let (alice, bob) = try await shared(clocks)
    #expect(try bob.titles("Groceries") == ["Milk"])
    #expect(try alice.unsent() == 0 && bob.unsent() == 0)
  }

  /// Bob edits a todo while his clock is three years ahead, deletes it, and sets the clock right. Alice's edit brings it back.
  @Test func whatWasKeptOfADeletedTodoIsBroughtBack() async throws {
    let (alice, bob, clock) = try await shared(off: 0)
    clock.advance(3 * WrongClocks.year)
    try bob.edit("Milk", to: "Oat milk")
    try bob.deleteForGood("Oat milk")
    clock.advance(-3 * WrongClocks.year)
    let milk = try alice.todo("Milk")
    try alice.database.write { _ = try $0.setNote(try Note("two bottles"), of: milk) }
    try await settle(alice, bob, alice)
    for device in [alice, bob] {
      #expect(try device.titles("Groceries") == ["Oat milk"])
      #expect(try device.unsent() == 0 && device.quarantine().isEmpty)
    }
  }

  /// Bob's clock was two years behind when he synced last, and is three years behind when he writes.
  @Test func aClockThatJumpsAgainLosesNothing() async throws {
    let (alice, bob, clock) = try await shared(off: -2)
    clock.advance(-WrongClocks.year)
    try bob.edit("Milk", to: "Oat milk")
    try await settle(bob, alice)
    #expect(try alice.titles("Groceries") == ["Oat milk"] && bob.titles("Groceries") == ["Oat milk"])
  }

  @Test(arguments: WrongClocks.all) func anOfferIsAccepted(_ clocks: WrongClocks) async throws {
    let (alice, bob) = try await shared(clocks)
    let successor = try user(bob)
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.offerOwnership(of: list.node, to: successor, title: list.title)
    }
    try await settle(alice, bob)
    #expect(try bob.invites().first?.isOwnership == true)
    try bob.accept()
    try await settle(bob, alice)
    for device in [alice, bob] {
      let roles = try device.database.read { transaction in
        try transaction.members(of: transaction.lists()[0].node).map { "\($0.name) \($0.role.rawValue)" }
      }
      #expect(roles == ["bob owner", "alice admin"])
    }
  }

  @Test(arguments: WrongClocks.all) func aCodeLetsIn(_ clocks: WrongClocks) async throws {
    let alice = try await person("alice", off: clocks.owner)
    let bob = try await person("bob", off: clocks.other)
    try alice.add("Groceries", "Milk")
    try await alice.sync()
    let code = try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      return try transaction.makeCode(for: list.node, role: .editor, title: list.title, note: "")
    }
    let inviter = try #require(try await bob.session.lookUp(handle: "alice"))
    try bob.database.write { try $0.claim(code, of: inviter.user) }
    #expect(try bob.database.read { try $0.openClaims().map(\.dead) } == [nil])
    try await settle(bob, alice, bob)
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  /// It is not that nothing expires: a week later by the server's clock the code is dead.
  @Test func aCodeExpiresByTheServersClock() async throws {
    let (alice, bob) = (try await person("alice", off: -1), try await world.person("bob"))
    try alice.add("Groceries", "Milk")
    try await alice.sync()
    let code = try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      return try transaction.makeCode(for: list.node, role: .editor, title: list.title, note: "")
    }
    let inviter = try #require(try await bob.session.lookUp(handle: "alice"))
    try bob.database.write { try $0.claim(code, of: inviter.user) }
    // Alice's clock stands, and the difference grows.
    world.clock.advance(8 * 24 * 3600 * 1000)
    try await settle(bob, alice, bob)
    #expect(try bob.listNames().isEmpty)
  }

  /// A server that says once that it is much later takes nothing that still stands.
  @Test func aWrongDateEndsNothing() async throws {
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice)
    let friend = try user(alice)
    try await bob.sync()
    try bob.database.write { try $0.note(clockAhead: -WrongClocks.year) }
    #expect(try bob.invites().isEmpty)
    try bob.database.write { try $0.deleteIdleMessages() }
    try bob.database.write { try $0.note(clockAhead: 0) }
    #expect(try bob.invites().map(\.sender) == [friend])
    try await bob.sync()
    let inbox = try Trunk.inbox.cloudID(of: user(bob))
    #expect(try world.storage.read { try $0.messageCount(in: inbox, by: friend) } == 1)
    try bob.accept()
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk"])
  }
}
