import CloudAPI
import CloudServer
import Sharing
import Signing
import Synchronization
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What somebody's other devices hear of a list that was left on one of them: it is nobody else who took it from them.
@Suite struct LeftElsewhereTests {
  private let world: World
  private let alice: Device
  private let bob: Device
  private let phone: Device

  init() async throws {
    (alice, bob, world) = try await sharedList(seed: "left elsewhere")
    phone = try await bob.second("phone", "bob", in: world)
    // What is not sent keeps the list in view.
    try phone.add("Groceries", "Bread")
  }

  private func leave(_ device: Device) throws {
    try device.database.write { _ = try $0.leave($0.lists()[0].node) }
  }

  private func removal(_ device: Device) throws -> Removal? {
    try device.database.read { try $0.removal(from: $0.lists()[0].branch) }
  }

  private func news(_ device: Device) throws -> [String] {
    try device.database.read { transaction in
      try transaction.news(since: 0).filter(\.kind.isAboutPeople).map { item in
        let who = try item.author.map { try transaction.displayName(of: $0) } ?? "somebody"
        return "\(who) \(item.kind.rawValue) \(item.title)"
      }
    }
  }

  /// How many of somebody's messages to themselves lie in their inbox.
  private func waiting(_ device: Device) throws -> Int {
    let user = try device.user()
    return try world.storage.read { try $0.messageCount(in: Trunk.inbox.cloudID(of: user), by: user) }
  }

  @Test func whoLeftIsToldThatTheyDid() async throws {
    let time = world.clock.now()
    try leave(bob)
    try await bob.sync()
    world.clock.advance(3_600_000)
    try await settle(phone)
    #expect(try phone.titles("Groceries") == ["Bread", "Milk"])
    #expect(try removal(phone)?.by == bob.user() && removal(phone)?.since == time)
    #expect(try news(phone).last == "bob left bob")
    #expect(try bob.listNames().isEmpty && bob.unsent() == 0)
  }

  /// The device that left went out of reach before it could say so.
  @Test func itIsKnownOnceItIsSaid() async throws {
    try leave(bob)
    let batches = Mutex(0)
    bob.transport.setFate { request in
      guard request.path == Route.batch.path else { return .delivered }
      return batches.withLock { count in
        count += 1
        return count == 1 ? .delivered : .lost
      }
    }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    try await phone.sync()
    #expect(try removal(phone)?.by == nil && removal(phone) != nil)
    #expect(try news(phone).last == "somebody unshared bob")
    bob.transport.setFate { _ in .delivered }
    try await settle(bob, phone)
    #expect(try removal(phone)?.by == bob.user())
    #expect(try news(phone).last == "bob left bob")
    #expect(try news(phone).count { $0.hasSuffix("bob") && !$0.contains("joined") } == 1)
  }

  /// Whoever took them off before their leave arrived says so, and that stands.
  @Test func whoWasTakenOffFirstDidNotLeave() async throws {
    try leave(bob)
    let friend = try bob.user()
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await alice.sync()
    try await settle(bob, phone)
    #expect(try removal(phone)?.by == alice.user())
    #expect(try bob.unsent() == 0 && bob.listNames().isEmpty && waiting(bob) == 0)
  }

  private func invited() throws -> [String] { try phone.database.read { try $0.invites().map(\.title) } }

  /// Alice shares again with somebody who has left, before they have said yes.
  private func shareAgain() async throws {
    try await settle(alice)
    try await alice.share("Groceries", with: "bob")
    try alice.add("Groceries", "Salt")
    try await settle(alice)
  }

  /// What was said of the first time says nothing about the second.
  @Test func whoComesBackHasNotLeft() async throws {
    try leave(bob)
    try await settle(bob, phone)
    #expect(try removal(phone)?.by == bob.user() && waiting(bob) == 1)
    try await shareAgain()
    try await settle(bob, phone, bob)
    #expect(try bob.listNames().isEmpty && phone.titles("Groceries") == ["Bread", "Milk"])
    #expect(try removal(phone)?.by == bob.user() && phone.unsent() == 1)
    try bob.accept()
    try await settle(bob, phone, alice)
    #expect(try removal(phone) == nil && waiting(bob) == 0)
    #expect(try phone.unsent() == 0 && alice.titles("Groceries") == ["Bread", "Milk", "Salt"])
  }

  /// The device that hears of both at once sends nothing either, and offers what is offered.
  @Test func nothingIsSentBeforeTheSecondYes() async throws {
    try leave(bob)
    try await bob.sync()
    try await shareAgain()
    try await settle(phone, bob, alice)
    #expect(try phone.titles("Groceries") == ["Bread", "Milk"])
    #expect(try invited() == ["Groceries"])
    #expect(try bob.listNames().isEmpty && alice.titles("Groceries") == ["Milk", "Salt"])
    try phone.add("Groceries", "Butter")
    try await settle(phone, alice)
    #expect(try alice.titles("Groceries") == ["Milk", "Salt"])
    try phone.accept()
    try await settle(phone, alice, bob)
    for device in [alice, bob, phone] {
      #expect(try device.titles("Groceries") == ["Bread", "Butter", "Milk", "Salt"])
    }
    #expect(try phone.unsent() == 0 && removal(phone) == nil && invited().isEmpty)
  }

  /// Another name for it is nothing to come back for.
  @Test func anotherNameBringsNothingBack() async throws {
    try phone.database.write { transaction in
      let root = try transaction.lists()[0].node
      let pointer = try #require(try transaction.pointer(to: root))
      try transaction.setAlias("Food", of: pointer)
    }
    try leave(bob)
    try await bob.sync()
    try await shareAgain()
    try await settle(phone, bob, alice)
    #expect(try bob.listNames().isEmpty && invited() == ["Groceries"])
    #expect(try alice.titles("Groceries") == ["Milk", "Salt"])
  }

  @Test func whatIsGivenUpIsNotSaid() async throws {
    try leave(bob)
    try bob.database.write { transaction in
      let leave = try #require(try transaction.operations().first { $0.kind == .permit })
      try transaction.discardOperation(leave.sequence)
    }
    try await settle(bob, phone)
    #expect(try removal(phone) == nil && waiting(bob) == 0 && bob.unsent() == 0)
    #expect(try phone.titles("Groceries") == ["Bread", "Milk"])
  }

  /// A server keeps a hundred messages of one sender, of oneself too.
  @Test func whoLeavesMuchKeepsRoom() async throws {
    let names = (0..<25).map { "List \($0)" }
    for name in names {
      try alice.add(name, "first")
      try await alice.share(name, with: "bob")
    }
    try await settle(alice, bob)
    for _ in names { try bob.accept() }
    try await settle(bob)
    try bob.database.write { transaction in
      for list in try transaction.lists() where list.name != "Groceries" { try transaction.leave(list.node) }
    }
    try await settle(bob)
    try await settle(bob)
    #expect(try waiting(bob) == 20 && bob.unsent() == 0)
  }
}
