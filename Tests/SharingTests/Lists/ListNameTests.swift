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

  @Test func aListThatComesTakesNoName() async throws {
    let world = try World(seed: "late names")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    let tablet = try await bob.second("tablet", "bob", in: world)
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await bob.sync()
    #expect(try bob.listNames() == ["Groceries"])
    try tablet.add("Groceries", "Tea")
    try await settle(tablet, bob)
    #expect(try bob.listNames() == ["Groceries", "Groceries (2)"])
    #expect(try bob.titles("Groceries") == ["Milk"])
    #expect(try bob.titles("Groceries (2)") == ["Tea"])
  }
}
