import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A list keeps the name under which somebody knows it, whatever becomes of others: a script must not meet another list.
@Suite struct ListNameTests {
  @Test func aNameThatIsFreeAgainPassesToNoOtherList() async throws {
    let world = try World(seed: "names")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try bob.add("Groceries", "Tea")
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    #expect(try bob.listNames() == ["Groceries", "Groceries (alice)"])
    let own = try #require(try bob.database.read { try $0.lists().first { $0.name == "Groceries" } })
    try bob.database.write { try $0.removeList(own) }
    try await bob.sync()
    #expect(try bob.listNames() == ["Groceries (alice)"])
    #expect(try bob.titles("Groceries (alice)") == ["Milk"])
    guard case .unknown(let similar) = try bob.database.read({ try $0.findList("Groceries") }) else {
      Issue.record("the name of a list that went means another one")
      return
    }
    #expect(similar == ["Groceries (alice)"])
    // Whoever wants it asks for it.
    let list = try bob.database.read { try $0.lists()[0] }
    _ = try bob.database.write { try $0.renameList(list, to: ListName("Groceries")) }
    #expect(try bob.listNames() == ["Groceries"])
  }

  /// Two devices of one person call a list differently at the same time: the one that sends last decides, and neither loses its word to what it
  /// reads first.
  @Test func aNewNameIsNotLostToWhatAnotherDeviceSentMeanwhile() async throws {
    let world = try World(seed: "two names")
    let laptop = try await world.person("alice")
    let list = try laptop.add("Groceries", "Milk")
    try await settle(laptop)
    let phone = try await laptop.second("phone", "alice", in: world)
    try await settle(phone, laptop)
    try phone.call(list.id, "Kitchen")
    try laptop.call(list.id, "Food")
    try await phone.sync()
    try await laptop.sync()
    #expect(try laptop.listNames() == ["Food"])
    try await settle(phone, laptop)
    #expect(try phone.listNames() == ["Food"] && laptop.listNames() == ["Food"])
    #expect(try phone.unsent() == 0 && laptop.unsent() == 0)
  }

  /// What a device calls a list by itself gives way to what its user called it elsewhere.
  @Test func aFirstNameGivesWayToOneThatWasGiven() async throws {
    let world = try World(seed: "first names")
    let (alice, laptop) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Groceries", "Milk")
    try await settle(alice, laptop)
    let phone = try await laptop.second("phone", "bob", in: world)
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, phone, laptop)
    try phone.accept()
    try await settle(phone)
    let list = try #require(try phone.database.read { try $0.lists().first { $0.name == "Groceries" } })
    try phone.call(list.id, "Family")
    try await phone.sync()
    try laptop.accept()
    try await settle(laptop, phone)
    #expect(try phone.listNames() == ["Family"] && laptop.listNames() == ["Family"])
  }

  /// What is added without a list's name must not be read by whoever calls a list of theirs "Todo".
  @Test(arguments: [true, false]) func nobodyElsesListIsTheDefaultOne(isRenamed: Bool) async throws {
    let world = try World(seed: "standard")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    let list = try alice.add(isRenamed ? "Party" : "todo", "Balloons")
    try await alice.share(list.name, with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    if isRenamed { _ = try alice.database.write { try $0.renameList(list, to: ListName("todo")) } }
    try await settle(alice, bob)
    #expect(try bob.listNames() == [isRenamed ? "Party" : "todo (alice)"])
    #expect(try bob.defaultList() == "none")
    try bob.add("Todo", "my secret")
    try await settle(bob, alice)
    #expect(try alice.titles("todo") == ["Balloons"])
    #expect(try bob.defaultList() == "Todo")
  }

  /// A name is not enough: a list that others read is the default one only for whoever says so.
  @Test func aSharedListIsTheDefaultOneOnlyIfChosen() async throws {
    let world = try World(seed: "chosen")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Party", "Balloons")
    try await alice.share("Party", with: "bob")
    try await settle(alice, bob)
    try bob.database.write { _ = try $0.graftInvite($0.invites()[0].number, named: "Todo") }
    try await settle(bob, alice)
    #expect(try bob.defaultList() == "shared Todo")
    try bob.database.write { try $0.setDefaultList(#require(try $0.lists().first)) }
    #expect(try bob.defaultList() == "Todo")
    let tablet = try await bob.second("tablet", "bob", in: world)
    try await settle(bob, tablet)
    #expect(try tablet.defaultList() == "Todo")
  }

  /// Which of the two ids is the lower one is another with each seed.
  @Test(arguments: 0..<6) func aListThatComesTakesNoName(seed: Int) async throws {
    let world = try World(seed: "late names \(seed)")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    let tablet = try await bob.second("tablet", "bob", in: world)
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await bob.sync()
    #expect(try bob.listNames() == ["Groceries"])
    try tablet.add("Groceries", "Tea")
    try await settle(tablet, bob, tablet)
    // Two of one name that nobody saw together: what is private comes first, on every device.
    for device in [bob, tablet] {
      #expect(try device.listNames() == ["Groceries", "Groceries (alice)"])
      #expect(try device.titles("Groceries") == ["Tea"])
      #expect(try device.titles("Groceries (alice)") == ["Milk"])
    }
  }
}

extension Device {
  /// Gives a list another name on its owner's devices.
  fileprivate func call(_ id: String, _ name: String) throws {
    try database.write { transaction in
      let list = try #require(try transaction.lists().first { $0.id == id })
      let pointer = try #require(try transaction.pointer(to: list.node))
      try transaction.setAlias(name, of: pointer)
    }
  }
}
