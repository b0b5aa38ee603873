import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// News name who did what they tell, and nobody who only wrote what was passed on.
@Suite struct MovedDeedTests {
  /// Alice moves what bob wrote to a list that carol reads, and carol moves it on to one that dave reads.
  @Test(arguments: [true, false]) func whatIsMovedIsItsWritersByTheMoversWord(bobReads: Bool) async throws {
    let (alice, bob, world) = try await sharedList(seed: "moved deeds \(bobReads)")
    let (carol, dave) = (try await world.person("carol"), try await world.person("dave"))
    try await alice.begin("Market", with: bobReads ? [("bob", bob), ("carol", carol)] : [("carol", carol)])
    try await carol.begin("Picnic", with: [("dave", dave)])
    let tablet = try await alice.second("tablet", "alice", in: world)
    try bob.add("Groceries", "Bread")
    try await settle(bob, alice, tablet, carol, dave)
    for device in [alice, bob, carol, dave, tablet] { try device.haveSeenNews() }
    try alice.move("Bread", to: "Market")
    try await settle(alice, tablet, bob, carol, dave)
    let writer = bobReads ? "bob" : "somebody"
    #expect(try carol.deeds() == ["\(writer), as alice says added Bread"])
    #expect(try bob.deeds().filter { $0.contains("removed") } == ["alice removed Bread"])
    #expect(try alice.deeds() == [])
    let moved = try carol.todo("Bread")
    #expect(
      try carol.database.read { try $0.name(moved.changed) }
        == "\(writer), as alice says")
    for device in [alice, bob, carol, dave, tablet] { try device.haveSeenNews() }
    try carol.move("Bread", to: "Picnic")
    try await settle(carol, alice, tablet, bob, dave)
    #expect(try dave.deeds() == ["somebody, as carol says added Bread"])
    #expect(try alice.deeds() == ["carol removed Bread"] && tablet.deeds() == ["carol removed Bread"])
    #expect(try bob.deeds() == (bobReads ? ["carol removed Bread"] : []))
    let log = try dave.database.read { transaction in
      let bread = try dave.todo("Bread", transaction)
      return try transaction.log(of: bread, limit: 10).map { try transaction.name(Deed($0.author, via: $0.via)) }
    }
    #expect(log == ["somebody, as carol says"])
    let last = try dave.todo("Bread")
    #expect(try dave.database.read { try $0.name(last.changed) } == "somebody, as carol says")
  }

  /// Where somebody wrote again before it was read, nobody is named who never shared the list.
  @Test func nobodyIsNamedWhoWasNeverThere() async throws {
    let (alice, bob, world) = try await sharedList(seed: "never there")
    let (carol, dave) = (try await world.person("carol"), try await world.person("dave"))
    try await alice.begin("Market", with: [("carol", carol), ("dave", dave)])
    try bob.add("Groceries", "Bread")
    try await settle(bob, alice)
    // Dave knows bob from elsewhere.
    try await bob.begin("Games", with: [("dave", dave)])
    try dave.haveSeenNews()
    try alice.move("Bread", to: "Market")
    try await settle(alice, carol)
    let bread = try carol.todo("Bread")
    try carol.database.write { try $0.addTag(Tag("due"), to: bread) }
    try await settle(carol, dave)
    #expect(try dave.deeds().allSatisfy { !$0.contains("bob") })
    #expect(try dave.deeds().count == 1)
  }

  /// What one deletes for good is no news on one's own other devices, and everybody else's is who did it.
  @Test func whatOneDeletesOneselfIsNoNews() async throws {
    let (alice, bob, world) = try await sharedList(seed: "deleted for good")
    let tablet = try await alice.second("tablet", "alice", in: world)
    try await settle(tablet)
    let milk = try alice.todo("Milk")
    try alice.database.write { transaction in
      try transaction.removeTodo(milk)
      try transaction.delete(milk.node)
    }
    try await settle(alice, tablet, bob)
    #expect(try tablet.deeds() == [] && alice.deeds() == [])
    #expect(try bob.deeds() == ["alice removed Milk"])
  }

  /// A list that is kept is as this person left it: what was new on the one that it is a copy of is none of it.
  @Test(arguments: [true, false]) func aKeptListBringsNoOldNews(whole: Bool) async throws {
    let (alice, bob, world) = try await sharedList(seed: "kept news \(whole)")
    // The words leave the device once they were used on another one.
    let root = try #require(try alice.database.read { try $0.root() })
    let tablet = try await alice.second("tablet", "alice", in: world)
    try await settle(tablet)
    try bob.add("Groceries", "Eggs", "Bread")
    try bob.edit("Milk", to: "Oat milk")
    try await settle(bob, alice)
    #expect(try alice.deeds().count == 3)
    if whole {
      try alice.database.write { try $0.keepLists() }
      try await alice.session.logIn(root: root, handle: "alice", server: "test")
    } else {
      try alice.database.write { transaction in _ = try transaction.keepList(transaction.lists()[0]) }
    }
    let kept = try alice.database.read { try $0.lists().map(\.node) }
    try await settle(alice, tablet)
    let news = try alice.database.read { try $0.news(below: .seen).filter { kept.contains($0.list) } }
    #expect(news.isEmpty)
    // The tablet has not read the old list since: what it tells of that is bob's.
    #expect(try tablet.deeds().allSatisfy { $0.hasPrefix("bob ") })
  }
}

extension CloudTransaction {
  fileprivate func name(_ deed: Deed) throws -> String {
    let who = try deed.user.map { try displayName(of: $0) } ?? "somebody"
    return try who + (deed.via.map { ", as \(try displayName(of: $0)) says" } ?? "")
  }
}

extension Device {
  fileprivate func haveSeenNews() throws { try database.write { try $0.mark($0.news(since: 0), as: .seen) } }

  /// News with who did it, in order of their words.
  fileprivate func deeds() throws -> [String] {
    try database.read { transaction in
      try transaction.news(below: .seen).map { item in
        "\(try transaction.name(Deed(item.author, via: item.via))) \(item.kind.rawValue) \(item.title)"
      }.sorted()
    }
  }

  /// Makes a list that others share, who have accepted it.
  fileprivate func begin(_ list: String, with others: [(String, Device)]) async throws {
    try add(list)
    for (handle, other) in others {
      try await share(list, with: handle)
      try await settle(self, other)
      try other.accept()
      try await settle(other, self)
    }
  }

  fileprivate func move(_ title: String, to list: String) throws {
    let todo = try todo(title)
    try database.write { transaction in
      let target = try #require(try transaction.lists().first { $0.name == list })
      try transaction.moveTodo(todo, to: target.node)
    }
  }
}
