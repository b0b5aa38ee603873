import CloudAPI
import Glibc
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@Suite struct NewsTests {
  @Test func whatOthersDoIsNewsAndWhatOneDoesOneselfIsNot() async throws {
    let (alice, bob, world) = try await sharedList()
    try bob.add("Groceries", "Eggs")
    try bob.edit("Milk", to: "Oat milk")
    try await settle(bob, alice)
    world.clock.advance(1000)
    try bob.tick("Eggs")
    try await settle(bob, alice)
    #expect(try news(alice) == ["bob added Eggs", "bob retitled Oat milk (Milk)", "bob done Eggs"])
    #expect(try news(bob) == [])
    #expect(try alice.database.read { try $0.news(below: .seen).allSatisfy { item in item.time <= world.clock.now() } })
  }

  @Test func removalAndReturnAreNews() async throws {
    let (alice, bob, _) = try await sharedList()
    let milk = try bob.todo("Milk")
    try bob.database.write { try $0.removeTodo(milk) }
    try await settle(bob, alice)
    try bob.database.write { try $0.restoreTodo(milk) }
    try await settle(bob, alice)
    #expect(try news(alice) == ["bob removed Milk", "bob restored Milk"])
  }

  /// Who comes, goes, and may do something else; to everybody but who did it.
  @Test func whatBecomesOfPeopleIsNews() async throws {
    let (alice, bob, world) = try await sharedList()
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol", role: .viewer)
    try await settle(alice, bob, carol)
    #expect(try news(bob) == ["alice joined carol (viewer)"])
    try carol.accept()
    try await settle(carol, bob)
    try await alice.share("Groceries", with: "carol", role: .admin)
    try await settle(alice, carol, bob)
    #expect(try news(bob) == ["alice joined carol (viewer)", "alice role-changed carol (admin)"])
    let list = try bob.database.read { try $0.lists()[0] }
    try bob.database.write { try $0.leave(list.node) }
    try await settle(bob, carol, alice)
    #expect(try news(alice) == ["carol joined carol (viewer)", "bob left bob (editor)"])
    #expect(try news(carol) == ["alice role-changed carol (admin)", "bob left bob (editor)"])
  }

  @Test func whoComesWithACodeIsNews() async throws {
    let (alice, bob, world) = try await sharedList()
    let hank = try await world.person("hank")
    let code = try alice.database.write { transaction in
      try transaction.makeCode(for: transaction.lists()[0].node, role: .editor, title: "Groceries", note: "")
    }
    let inviter = try #require(try await hank.session.lookUp(handle: "alice"))
    try hank.database.write { try $0.claim(code, of: inviter.user) }
    try await settle(hank, alice, bob)
    #expect(try news(alice) == ["hank joined hank (editor)"])
    #expect(try news(bob) == ["alice joined hank (editor)"])
  }

  @Test func anEditThatBeatsARemovalIsToldWhole() async throws {
    let (alice, bob, world) = try await sharedList()
    defer { withExtendedLifetime(world) {} }
    let milk = try alice.todo("Milk")
    try alice.database.write { try $0.removeTodo(milk) }
    try bob.edit("Milk", to: "Oat milk")
    try bob.tick("Oat milk")
    try await settle(alice, bob)
    #expect(try news(alice) == ["bob restored Oat milk", "bob retitled Oat milk (Milk)", "bob done Oat milk"])
  }

  @Test func aListThatIsReadForTheFirstTimeIsNoFlood() async throws {
    let (alice, bob, world) = try await sharedList()
    try bob.add("Groceries", "Eggs", "Bread")
    try await settle(bob, alice)
    let laptop = try await alice.second("laptop", "alice", in: world)
    try await laptop.sync()
    #expect(try laptop.titles("Groceries") == ["Bread", "Eggs", "Milk"])
    #expect(try news(laptop) == [])
    #expect(try news(bob) == [])
    try bob.add("Groceries", "Tea")
    try await settle(bob, laptop)
    #expect(try news(laptop) == ["bob added Tea"])
  }

  @Test func whatOneDoesOnAnotherDeviceIsShownAndNotCounted() async throws {
    let (alice, _, world) = try await sharedList()
    let laptop = try await alice.second("laptop", "alice", in: world)
    let last = try alice.database.read { try $0.lastNews() }
    try laptop.add("Groceries", "Tea")
    try await settle(laptop, alice)
    #expect(try alice.database.read { try $0.news(since: last).map(\.title) } == ["Tea"])
    #expect(try alice.database.read { try $0.news(below: .seen) } == [])
  }

  @Test func newsIsMetOnceAndKeptInBounds() async throws {
    let (alice, bob, _) = try await sharedList()
    try bob.database.write { transaction in
      let list = try #require(try transaction.lists().first)
      try transaction.addTodos((1...1010).map { try Title("todo \($0)") }, to: list.node)
    }
    try await settle(bob, alice)
    let all = try alice.database.read { try $0.news(since: 0) }
    #expect((300..<400).contains(all.count))
    let new = try alice.database.read { try $0.news(below: .noticed).count }
    try alice.database.write { try $0.mark(all.suffix(10), as: .noticed) }
    #expect(try alice.database.read { try $0.news(below: .noticed).count } == new - 10)
    try alice.database.write { try $0.mark(all, as: .seen) }
    #expect(try alice.database.read { try $0.news(below: .seen).count } == 0)
    #expect(try alice.database.read { try $0.lastNews() } == all.last?.id)
  }

  private func news(_ device: Device) throws -> [String] {
    try device.database.read { transaction in
      try transaction.news(below: .seen).map { item in
        let who = try item.author.map { try transaction.displayName(of: $0) } ?? "somebody"
        return "\(who) \(item.kind.rawValue) \(item.title)" + (item.detail.isEmpty ? "" : " (\(item.detail))")
      }
    }
  }
}

/// Events and turns, with devices and a server in one process.
@Suite struct LiveTests {
  @Test func aDeviceHearsOfWhatItHasNotRead() async throws {
    let (alice, bob, _) = try await sharedList()
    var events = try await alice.session.events(over: alice.transport).makeAsyncIterator()
    // The heads of the trunks, none of which is news to who is up to date; the list is told of once it was asked about.
    let heads = try #require(try await events.next())
    try await alice.sync()
    #expect(!heads.isEmpty)
    #expect(try alice.database.read { transaction in try heads.filter { try transaction.isBehind($0) } } == [])
    try bob.add("Groceries", "Eggs")
    try await bob.sync()
    let heard = try #require(try await events.next())
    #expect(heard.map(\.branch) == [try bob.branch("Groceries")])
    #expect(try alice.database.read { try $0.isBehind(heard[0]) })
    try await alice.sync()
    #expect(try !alice.database.read { try $0.isBehind(heard[0]) })
  }

  @Test func whoComesWhileASyncRunsLeavesWord() async throws {
    let (alice, _, world) = try await sharedList()
    defer { withExtendedLifetime(world) {} }
    try alice.add("Groceries", "Eggs")
    let other = try Device(
      path: alice.path, transport: alice.transport, clock: alice.database.clock, entropy: SeededEntropy("other"))
    // The one sync stands still at the server until the other has been turned away.
    let (isThere, isTurnedAway) = (Locked(false), Locked(false))
    alice.transport.setFate { request in
      guard request.path == Route.batch.path else { return .delivered }
      isThere.with { $0 = true }
      for _ in 0..<120_000 where !isTurnedAway.with({ $0 }) { usleep(1000) }
      return .delivered
    }
    let (ours, theirs) = (alice.session, other.session)
    async let first = ours.syncUnlessBusy()
    while !isThere.with({ $0 }) { await Task.yield() }
    let second = try await theirs.syncUnlessBusy()
    isTurnedAway.with { $0 = true }
    #expect(second == nil)
    #expect(try await first?.sent == 1)
    #expect(try alice.database.read { try $0.wantsAnotherSync() })
    #expect(try await ours.syncUnlessBusy() != nil)
    #expect(try !alice.database.read { try $0.wantsAnotherSync() })
  }
}
