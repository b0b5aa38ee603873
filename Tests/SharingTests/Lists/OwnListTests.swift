import CloudAPI
import Sharing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// Which list is meant, and whether it is there, is nobody else's to decide (spec §7.11).
@Suite struct OwnListTests {
  /// What a member with a changed client can write into the document of a list.
  static let writes: [(name: String, write: @Sendable (inout Document, Int64, Replica) throws -> Void)] =
    [
      field("titled as the default list", .title, "Todo"), field("titled as a private list", .title, "Home"),
      field("titled as no list", .title, "Work"), field("untitled", .title, ""), field("another kind", .kind, "todo"),
      field("first of all", .order, "000000000001"), field("put away", .archived, "1"),
      ("made before all others", { try $0.write(.created, timeValue(0), now: $1, replica: $2) }),
      ("deleted", { document, _, _ in document.delete() }),
    ]

  private static func field(
    _ name: String, _ field: Field, _ value: String
  ) -> (name: String, write: @Sendable (inout Document, Int64, Replica) throws -> Void) {
    (name, { try $0.write(field, Array(value.utf8), now: $1, replica: $2) })
  }

  /// The branches in which what is added to some names, and without one, ends.
  private func ends(_ device: Device) throws -> [String] {
    try device.database.read { transaction in
      let named = try ["Groceries", "Todo", "Home", "Work"].map { name in
        guard case .one(let list) = try transaction.findList(name) else { return "\(name): a new list" }
        return "\(name): \(list.id)"
      }
      guard case .list(let list) = try transaction.defaultList() else { return named }
      return named + [list.id]
    }
  }

  @Test(arguments: writes.indices) func noWriteOfAnotherUserChangesWhereAnAddEnds(index: Int) async throws {
    let (alice, mallory, world) = try await sharedList(seed: "ends \(index)")
    try alice.add("Home", "diary")
    let own = try alice.add("Todo", "private")
    try alice.database.write { try $0.setDefaultList(own) }
    try await settle(alice, mallory)
    let before = try ends(alice)
    #expect(before.count == 5)
    try mallory.database.write { transaction in
      let list = try #require(try transaction.lists().first)
      try transaction.changeList(list.node) { try Self.writes[index].write(&$0, $1, $2) }
    }
    try await settle(mallory, alice)
    #expect(try ends(alice) == before, "\(Self.writes[index].name)")
    let tablet = try await alice.second("tablet", "alice", in: world)
    try await settle(tablet, alice)
    #expect(try ends(tablet) == before, "\(Self.writes[index].name), on a new device")
    #expect(try tablet.listNames().sorted() == ["Groceries", "Home", "Todo"])
  }

  /// Who adds without naming a list has not said that others may read it, should that list be shared one day.
  @Test(arguments: [true, false]) func aListThatWasOnlySettledIsAskedAboutOnceItIsShared(_ isSaid: Bool) async throws {
    let (alice, _, _) = try await sharedList(seed: "settled \(isSaid)")
    let list = try alice.add("Todo", "private")
    try alice.database.write { try isSaid ? $0.setDefaultList(list) : $0.settleDefaultList(list) }
    try await alice.share("Todo", with: "bob")
    try await settle(alice)
    let found = try alice.database.read { try $0.defaultList() }
    switch found {
    case .list(let found): #expect(isSaid && found.node == list.node)
    case .shared(let found): #expect(!isSaid && found.node == list.node)
    default: Issue.record("\(found)")
    }
  }

  @Test func aTitleOfOthersIsShownUntilItIsTaken() async throws {
    let (alice, bob, world) = try await sharedList(seed: "titles")
    let tablet = try await alice.second("tablet", "alice", in: world)
    func list(_ device: Device) throws -> TodoList { try #require(try device.database.read { try $0.lists().first }) }
    _ = try bob.database.write { try $0.renameList($0.lists()[0], to: ListName("Food")) }
    try await settle(bob, alice, tablet)
    for device in [alice, tablet] {
      #expect(try list(device).name == "Groceries" && list(device).otherTitle == "Food")
    }
    #expect(try alice.database.read { try $0.news(below: .seen) }.map(\.kind) == [.retitled])
    _ = try alice.database.write { try $0.renameList($0.lists()[0], to: ListName("Food")) }
    try await settle(alice, tablet, bob)
    for device in [alice, tablet, bob] { #expect(try list(device).name == "Food" && list(device).otherTitle == nil) }
    _ = try alice.database.write { transaction in
      try transaction.asAction { try transaction.renameList(transaction.lists()[0], to: ListName("Larder")) }
    }
    #expect(try list(alice).title == "Larder")
    #expect(try alice.database.write { try $0.undo() }?.steps.map(\.list?.name) == ["Food"])
    #expect(try list(alice).title == "Food")
  }

  @Test func whoMayOnlyReadCallsAListWhatTheyLike() async throws {
    let world = try World(seed: "readers' names")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await settle(alice, bob)
    try bob.accept()
    try await settle(bob, alice)
    _ = try bob.database.write { try $0.renameList($0.lists()[0], to: ListName("Food")) }
    try await settle(bob, alice)
    #expect(try bob.listNames() == ["Food"] && alice.listNames() == ["Groceries"])
  }

  /// An editor deletes the list's document; then an admin lets somebody in.
  @Test func aListIsThereAsLongAsItHangsInHome() async throws {
    let (alice, bob, world) = try await sharedList(seed: "deleted")
    _ = try await world.person("carol")
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try bob.database.write { transaction in
      try transaction.changeList(transaction.lists()[0].node) { document, _, _ in document.delete() }
    }
    // Alice reads of it before somebody comes.
    try await settle(bob, alice)
    try await bob.share("Groceries", with: "carol")
    try await settle(bob, alice)
    for device in [alice, bob, try await alice.second("tablet", "alice", in: world)] {
      #expect(try device.listNames() == ["Groceries"] && device.titles("Groceries") == ["Milk"])
      #expect(try device.database.read { try $0.unshownLists() } == 0)
    }
    let news = try alice.database.read { try $0.news(below: .seen) }
    #expect(news.map(\.kind) == [.joined] && news.map(\.title) == ["carol"])
  }

  /// Whoever knows what another program calls a todo puts something under its id on a list that they share.
  @Test func whatOthersHaveUnderAnIDIsNoTodoOfAFile() async throws {
    let (alice, mallory, _) = try await sharedList(seed: "imports")
    let home = try alice.add("Home", "diary")
    try await settle(alice)
    let name = ForeignName.other("taskwarrior:6f0b")
    func place(_ device: Device, _ list: TodoList, titled title: String = "pay the rent") throws -> (Todo?, TodoID) {
      try device.database.write { transaction in
        let keys = try transaction.ownListKeys()
        if let known = try transaction.importedTodo(name, titled: title, to: list, keys: keys) {
          return (known, known.id)
        }
        let place = try transaction.placeToImport(name, titled: title, to: list, below: nil)
        return (place.known, place.id)
      }
    }
    let theirs = try #require(try mallory.database.read { try $0.lists().first { $0.name == "Groceries" } })
    let taken = try place(mallory, theirs).1
    let rent = ForeignTodo(NewTodo(try Title("pay the rent")), id: taken)
    _ = try mallory.database.write { try $0.importTodo(rent, to: theirs.node, place: 0) }
    try await settle(mallory, alice)
    let free = try place(alice, home)
    #expect(free.0 == nil && free.1 != taken)
    // What she called something else is not what the file means.
    let groceries = try #require(try alice.database.read { try $0.lists() }.first { $0.name == "Groceries" })
    #expect(try place(alice, groceries, titled: "pay the plumber").0 == nil)
    var mine = ForeignTodo(rent.new, id: free.1)
    mine.createdAt = 1
    _ = try alice.database.write { try $0.importTodo(mine, to: home.node, place: 0) }
    #expect(try place(alice, home).0?.id == free.1)
    #expect(try place(alice, groceries).0?.id == taken)

  }

  /// What was chosen before there was an account is told to its devices, unless they chose already.
  @Test func theAccountsChoiceCounts() async throws {
    let world = try World(seed: "choices")
    let alice = try await world.person("alice")
    let work = try alice.add("Work", "mail")
    try alice.database.write { try $0.setDefaultList(work) }
    try await settle(alice)
    let laptop = try world.device("laptop")
    let home = try laptop.add("Home", "diary")
    try laptop.database.write { try $0.setDefaultList(home) }
    #expect(try laptop.defaultList() == "Home")
    let root = try #require(try alice.database.read { try $0.root() })
    try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    try await settle(laptop, alice)
    #expect(try laptop.defaultList() == "Work" && alice.defaultList() == "Work")
    let other = try world.device("other")
    let own = try other.add("Own", "mine")
    try other.database.write { try $0.setDefaultList(own) }
    try await other.session.signUp(handle: "olga", server: "test")
    try await settle(other)
    let second = try await other.second("second", "olga", in: world)
    #expect(try second.defaultList() == "Own")
  }
}
