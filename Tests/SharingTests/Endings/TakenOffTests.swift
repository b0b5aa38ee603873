import CloudAPI
import Foundation
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// What somebody hears who was taken off a list: nothing that they may read says so, but whoever did it tells them.
@Suite struct TakenOffTests {
  private let world: World
  private let alice: Device
  private let bob: Device

  init() async throws { (alice, bob, world) = try await sharedList(seed: "taken-off") }

  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  private func unshare() throws {
    let friend = try user(bob)
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
  }

  private func removal(_ device: Device) throws -> Removal? {
    try device.database.read { try $0.removal(from: $0.lists()[0].branch) }
  }

  private func inbox(_ device: Device) throws -> Int {
    try device.database.read { try $0.children(of: $0.trunk(.inbox).id).count }
  }

  @Test func whoDidItIsKnownOnAllDevices() async throws {
    let root = try #require(try bob.database.read { try $0.root() })
    let phone = try await bob.second("phone", "bob", in: world)
    try unshare()
    let time = world.clock.now()
    try await alice.sync()
    world.clock.advance(3_600_000)
    #expect(try removal(bob) == nil)
    try await settle(bob, phone)
    for device in [bob, phone] { #expect(try removal(device) == Removal(since: time, by: user(alice))) }
    // One that comes later has the pointer, and nothing behind it.
    let laptop = try world.device("laptop")
    try await laptop.session.logIn(root: root, handle: "bob", server: "test")
    try await laptop.sync()
    #expect(try laptop.database.read { try $0.lists() }.isEmpty)
    #expect(try news(bob) == ["alice unshared bob (editor)"])
    #expect(try news(phone) == ["alice unshared bob (editor)"])
  }

  /// They slept while they were let in again, and taken off once more.
  @Test func theDateIsThatOfTheLastTime() async throws {
    try unshare()
    try await settle(alice, bob)
    let first = try #require(try removal(bob)?.since)
    world.clock.advance(3_600_000)
    try await alice.share("Groceries", with: "bob")
    try await alice.sync()
    world.clock.advance(3_600_000)
    try unshare()
    let time = world.clock.now()
    try await alice.sync()
    world.clock.advance(3_600_000)
    try await bob.sync()
    #expect(try removal(bob) == Removal(since: time, by: user(alice)))
    #expect(first < time)
  }

  /// Whoever says that they took somebody off a list was one who could.
  @Test func nobodyElseIsBelieved() async throws {
    let carol = try await world.person("carol")
    try await carol.say(to: "bob", of: alice.branch("Groceries")) { $0.withdrawal.branch = $1 }
    try await settle(carol, bob)
    #expect(try removal(bob) == nil, "they are on it")
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.recursiveRemoveShareItem(forUserID: user(bob), nodeID: list.node)
    }
    try await settle(alice, bob)
    let found = try #require(try removal(bob))
    #expect(found.by == nil && found.since == world.clock.now())
    #expect(try news(bob) == ["somebody unshared bob (editor)"])
  }

  /// A member who takes nobody off a list says that they did, or offers it once more: who did it stays known.
  @Test(arguments: [true, false]) func nobodyElseMakesItUnsaid(_ isOffer: Bool) async throws {
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol", role: .viewer)
    try await settle(alice, carol)
    try carol.accept()
    try await settle(carol, bob)
    let list = try alice.branch("Groceries")
    let first = try alice.database.read { transaction in
      try #require(try transaction.branch(list).flatMap { try transaction.firstPermissions(of: $0) })
    }
    let owner = try user(alice)
    try unshare()
    try await settle(alice, bob)
    let found = try removal(bob)
    #expect(found?.by == owner)
    try await carol.say(to: "bob", of: list) { message, branch in
      guard isOffer else {
        message.withdrawal.branch = branch
        return
      }
      message.invitation.branch = branch
      message.invitation.firstPermissions = Data(first.bytes)
      message.invitation.owner = Data(owner.bytes)
      message.invitation.letters = Letters([.read, .write]).rawValue
      message.invitation.title = "Groceries"
    }
    try await settle(carol, bob)
    #expect(try removal(bob) == found)
    #expect(try inbox(bob) == 1)
  }

  /// The copy goes on under the name that the list had here.
  @Test func aNameOfOnesOwnIsKept() async throws {
    try bob.database.write { transaction in
      let list = try transaction.lists()[0]
      try transaction.setAlias("Alices", of: #require(try transaction.pointer(to: list.node)))
    }
    try bob.add("Groceries", "Tea")
    try unshare()
    try await settle(alice, bob)
    let kept = try bob.database.write { transaction in
      try transaction.keepList(#require(try transaction.lists().first { $0.name == "Alices" }))
    }
    #expect(kept.name == "Alices" && kept.title == "Alices")
    try await settle(bob)
    #expect(try bob.listNames().sorted() == ["Alices", "Groceries"])
    #expect(try bob.titles("Alices") == ["Milk"] && bob.titles("Groceries") == ["Tea"])
  }

  @Test func whoIsLetInAgainIsToldBoth() async throws {
    try unshare()
    try await settle(alice, bob)
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await settle(alice, bob)
    #expect(try removal(bob) == nil)
    #expect(try news(bob) == ["alice unshared bob (editor)", "alice joined bob (viewer)"])
    #expect(try inbox(bob) == 0)
    // And once more.
    try unshare()
    try await settle(alice, bob)
    #expect(try removal(bob)?.by == user(alice))
    #expect(try news(bob).suffix(1) == ["alice unshared bob (viewer)"])
    #expect(try news(bob).count == 3)
  }

  @Test func whatWasSaidGoesWithTheList() async throws {
    try alice.add("Groceries", "Bread")
    try await settle(alice, bob)
    let bread = try bob.todo("Bread")
    try bob.database.write { _ = try $0.removeTodo(bread) }
    try await settle(bob, alice)
    try unshare()
    try await settle(alice, bob)
    #expect(try inbox(bob) == 1)
    try bob.database.write { transaction in _ = try transaction.keepList(transaction.lists()[0]) }
    try await settle(bob)
    #expect(try inbox(bob) == 0 && bob.unsent() == 0)
    #expect(try bob.titles("Groceries") == ["Milk"])
    let kept = try bob.database.read { try $0.lists()[0].node }
    #expect(try bob.database.read { try $0.todos(in: kept, .trash).map(\.title) } == ["Bread"])
  }

  @Test func aChangeOfOnesOwnRoleIsNews() async throws {
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    #expect(try news(bob) == ["alice role-changed bob (admin)"])
  }

  @Test func aDeletedListIsNews() async throws {
    try alice.database.write { _ = try $0.close($0.lists()[0].node) }
    try await settle(alice, bob)
    #expect(try news(bob) == ["alice closed Groceries (owner)"])
    #expect(try removal(bob) == nil)
  }

  @Test func anInvitationIsToldOnce() async throws {
    try alice.add("Flat", "rent")
    try await alice.share("Flat", with: "bob")
    try await settle(alice, bob)
    let level = NewsState.seen.rawValue
    let invites = try bob.database.read { try $0.invites(toldBelow: level) }
    #expect(invites.map(\.title) == ["Flat"])
    try bob.database.write { try $0.mark(invites, asTold: NewsState.noticed.rawValue) }
    #expect(try bob.database.read { try $0.invites(toldBelow: NewsState.noticed.rawValue) }.isEmpty)
    #expect(try bob.database.read { try $0.invites(toldBelow: level) } == invites)
    try bob.database.write { try $0.mark(invites, asTold: level) }
    #expect(try bob.database.read { try $0.invites(toldBelow: level) }.isEmpty)
  }

  /// The owner's device that deleted it sent that, and no more: another takes it off the owner's lists.
  @Test(arguments: [true, false])
  func aDeletedListGoesFromTheOwnersOtherDevices(_ hasUnsent: Bool) async throws {
    let root = try #require(try alice.database.read { try $0.root() })
    let phone = try await alice.second("phone", "alice", in: world)
    if hasUnsent { try phone.add("Groceries", "Bread") }
    try alice.database.write { _ = try $0.close($0.lists()[0].node) }
    let batches = Counter()
    // The record arrives; what follows it does not.
    alice.transport.setFate { $0.path == Route.batch.path && batches.next() > 1 ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    #expect(try alice.listNames() == [] && alice.unsent() == 1)
    try await phone.sync()
    try await phone.sync()
    #expect(try phone.listNames() == (hasUnsent ? ["Groceries"] : []))
    let laptop = try world.device("laptop")
    try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    try await laptop.sync()
    try await laptop.sync()
    #expect(try laptop.listNames() == [])
    if hasUnsent {
      try phone.database.write { transaction in _ = try transaction.keepList(transaction.lists()[0]) }
      try await phone.sync()
      #expect(try phone.titles("Groceries") == ["Bread", "Milk"])
    }
    alice.transport.setFate { _ in .delivered }
    try await settle(alice, phone, laptop)
    for device in [alice, phone, laptop] {
      #expect(try device.unsent() == 0)
      #expect(try device.listNames() == (hasUnsent ? ["Groceries"] : []))
    }
  }
}

/// Who took what was offered to them.
@Suite struct JoinedTests {
  private let world: World
  private let alice: Device
  private let bob: Device

  init() async throws {
    world = try World(seed: "joined")
    (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await settle(alice, bob)
  }

  private func joined(_ device: Device, _ name: String) throws -> Bool? {
    try device.database.read { transaction in
      try transaction.members(of: transaction.lists()[0].node, history: true).first { $0.name == name }?.hasJoined
    }
  }

  @Test func whoAcceptedHasJoinedOnAllDevices() async throws {
    #expect(try joined(alice, "bob") == false)
    #expect(try joined(alice, "alice") == true)
    try bob.accept()
    try await settle(bob, alice)
    #expect(try joined(alice, "bob") == true)
    #expect(try news(alice) == ["bob joined bob (viewer)"])
    let phone = try await alice.second("phone", "alice", in: world)
    #expect(try joined(phone, "bob") == true)
    #expect(try news(phone) == [], "it was new before this device was")
  }

  /// To those who did not invite them it shows with what they write.
  @Test func othersSeeWhatTheyWrite() async throws {
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await alice.share("Groceries", with: "bob", role: .editor)
    try await settle(alice, carol, bob)
    for device in [carol, bob] { try device.accept() }
    try await settle(carol, bob, alice)
    #expect(try joined(alice, "carol") == true && joined(alice, "bob") == true)
    #expect(try joined(carol, "bob") == nil)
    try bob.add("Groceries", "Bread")
    try await settle(bob, carol)
    #expect(try joined(carol, "bob") == true)
  }

  @Test func anotherRoleIsNoOtherInvitation() async throws {
    try bob.accept()
    try await settle(bob, alice)
    try await alice.share("Groceries", with: "bob", role: .editor)
    try await alice.sync()
    #expect(try joined(alice, "bob") == true)
    try await settle(bob, alice)
    #expect(try joined(alice, "bob") == true)
    #expect(try news(alice) == ["bob joined bob (viewer)"], "told once")
  }

  /// Whoever was taken off and is invited again has not said anything to that.
  @Test(arguments: [true, false])
  func anotherInvitationIsAnotherQuestion(_ keepsIt: Bool) async throws {
    try bob.accept()
    try await settle(bob, alice)
    let friend = try bob.database.read { try $0.requireAccount().user }
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await settle(alice, bob)
    if !keepsIt { try bob.database.write { try $0.removeList($0.lists()[0]) } }
    try await bob.sync()
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await alice.sync()
    #expect(try joined(alice, "bob") == false)
    try await settle(bob, alice)
    #expect(try joined(alice, "bob") == keepsIt, "whose list hangs there still reads on by itself")
    if !keepsIt {
      try bob.accept()
      try await settle(bob, alice)
    }
    #expect(try joined(alice, "bob") == true)
    #expect(try bob.unsent() == 0 && alice.unsent() == 0)
  }

  @Test func aDeclinedInvitationIsNews() async throws {
    try bob.decline()
    try await settle(bob, alice)
    #expect(try news(alice) == ["bob declined bob (viewer)"])
    #expect(try joined(alice, "bob") == false)
  }

  /// It stays nowhere: neither here nor at the server.
  @Test func whatIsSaidOfNoListHereIsThrownAway() async throws {
    let carol = try await world.person("carol")
    try carol.add("Flat", "rent")
    try await carol.sync()
    try await carol.say(to: "alice", of: carol.branch("Flat")) { $0.joined.branch = $1 }
    try await settle(carol, alice)
    #expect(try alice.database.read { try $0.children(of: $0.trunk(.inbox).id).isEmpty })
    let (stranger, list) = try (carol.user(), carol.branch("Flat"))
    #expect(try alice.database.read { try !$0.hasSaidJoined(stranger, list) })
    #expect(try alice.unsent() == 0)
  }

  /// Whoever was never asked says that they joined, or declined.
  @Test func whatNobodyAskedIsNoNews() async throws {
    let carol = try await world.person("carol")
    try await carol.say(to: "alice", of: alice.branch("Groceries")) { $0.joined.branch = $1 }
    try await carol.say(to: "alice", of: alice.branch("Groceries")) { $0.decline.branch = $1 }
    try await settle(carol, alice)
    #expect(try news(alice) == [])
    #expect(try alice.database.read { try $0.members(of: $0.lists()[0].node) }.map(\.name) == ["alice", "bob"])
  }
}

extension Device {
  /// Sends a message that no program sends by itself.
  fileprivate func say(
    to handle: String, of branch: CloudID, _ fill: (inout SealedMessage, Data) -> Void
  ) async throws {
    guard let person = try await session.lookUp(handle: handle) else { throw ShareError.unknownUser(handle) }
    var message = SealedMessage()
    fill(&message, Data(branch.bytes))
    try database.write { try $0.sendMessage(message, toRecipients: [person.user], withDependencies: []) }
  }
}

/// Counts from 1.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  func next() -> Int {
    lock.withLock {
      count += 1
      return count
    }
  }
}

private func news(_ device: Device) throws -> [String] {
  try device.database.read { transaction in
    try transaction.news(below: .seen).map { item in
      let who = try item.author.map { try transaction.displayName(of: $0) } ?? "somebody"
      return "\(who) \(item.kind.rawValue) \(item.title)" + (item.detail.isEmpty ? "" : " (\(item.detail))")
    }
  }
}
