import Foundation
import GRDB
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What people do with lists and todos, without an account and without a network.
struct VerbTests {
  private let profile: LocalProfile
  private var clock: ManualClock { profile.clock }
  private var database: CloudDatabase { profile.database }

  init() throws { profile = try LocalProfile("verbs") }

  private func list(_ name: String) throws -> TodoList {
    guard case .list(let list) = try database.write({ try $0.addList(ListName(name)) }) else {
      throw TreeError.nameTaken
    }
    return list
  }

  @discardableResult
  private func add(_ titles: String..., to list: TodoList) throws -> [Todo] {
    try database.write { try $0.addTodos(titles.map { try Title($0) }, to: list.node) }
  }

  private func titles(_ list: TodoList, _ state: TodoState = .open) throws -> [String] {
    try database.read { try $0.todos(in: list.node, state).map(\.title) }
  }

  @Test func todosKeepTheOrderTheyWereAddedIn() throws {
    let groceries = try list("Groceries")
    try add("milk", "eggs", "bread", to: groceries)
    clock.advance(1000)
    try add("apples", to: groceries)
    #expect(try titles(groceries) == ["milk", "eggs", "bread", "apples"])
    #expect(try database.read { try $0.todoCount(in: groceries.node, .open) } == 4)
  }

  @Test func aTodoIsTickedOpenedEditedRemovedAndRestored() throws {
    let groceries = try list("Groceries")
    var milk = try add("milk", to: groceries)[0]
    clock.advance(5000)
    milk = try database.write { try $0.setDone(true, milk) }
    #expect(milk.doneAt == clock.now())
    #expect(try titles(groceries, .done) == ["milk"])
    milk = try database.write { try $0.setDone(false, milk) }
    #expect(milk.state == .open)
    milk = try database.write { try $0.setTitle(Title("oat milk"), of: milk) }
    #expect(try database.read { try $0.earlierTitles(of: milk) } == ["milk"])
    milk = try database.write { try $0.removeTodo(milk) }
    #expect(milk.state == .trash)
    #expect(try titles(groceries).isEmpty)
    milk = try database.write { try $0.restoreTodo(milk) }
    #expect(try titles(groceries) == ["oat milk"])
  }

  @Test func listNamesAreUnique() throws {
    let groceries = try list("Groceries")
    guard case .taken(let other) = try database.write({ try $0.addList(ListName("groceries")) }) else {
      Issue.record("a second list of the name")
      return
    }
    #expect(other.node == groceries.node)
    let todo = try list("Todo")
    guard case .taken = try database.write({ try $0.renameList(todo, to: ListName("GROCERIES")) }) else {
      Issue.record("renamed to a name that is taken")
      return
    }
    _ = try database.write { try $0.renameList(groceries, to: ListName("GROCERIES")) }
    #expect(try database.read { try $0.lists().map(\.name) } == ["GROCERIES", "Todo"])
  }

  @Test func aRemovedListTakesItsTodosAndItsUploadsWithIt() throws {
    let groceries = try list("Groceries")
    try add("milk", to: groceries)
    try database.write { try $0.removeList(groceries) }
    #expect(try database.read { try $0.lists().isEmpty })
    #expect(try database.read { try $0.pendingOperationCount() } == 0)
    #expect(try titles(groceries).isEmpty)
  }

  @Test func listsThatShareANameByChanceAreKeptApart() throws {
    let local = try list("Groceries")
    let account = try list("Other")
    _ = try database.write { try $0.renameList(account, to: ListName("Temporary")) }
    let renamed = try database.write { transaction in
      // The list that comes with an account arrives under a name that is taken here.
      try transaction.db.execute(
        sql: "UPDATE nodes SET alias = 'groceries' WHERE pointer = ?", arguments: [account.branch])
      return try transaction.keepApart([local.node])
    }
    #expect(renamed.map(\.title) == ["Groceries (2)"])
    #expect(renamed.map(\.node) == [local.node])
    // One that was kept apart before goes on counting.
    let again = try database.write { transaction in
      try transaction.db.execute(
        sql: "UPDATE nodes SET alias = 'groceries (2)' WHERE pointer = ?", arguments: [account.branch])
      return try transaction.keepApart([local.node])
    }
    #expect(again.map(\.title) == ["Groceries (3)"])
  }

  @Test func referencesAreExactOrRefused() throws {
    let groceries = try list("Groceries")
    let work = try list("Work")
    let milk = try add("milk", "eggs", "a/b", to: groceries)[0]
    try add("Milk", to: work)
    let expected = [
      milk.id.text: "milk", milk.shortID.uppercased(): "milk", String(milk.id.text.prefix(1)): "unknown",
      "milk": "ambiguous 2", "groceries/MILK": "milk", "Work/milk": "Milk", "EGGS": "eggs", "a/b": "a/b",
      "Wrok/milk": "unknown list Work", "2": "position", "": "unknown",
    ]
    for (reference, meaning) in expected { #expect(try find(reference) == meaning, "\(reference)") }
    _ = try database.write { try $0.setDone(true, milk) }
    #expect(try find("milk") == "Milk")
    _ = try database.write { transaction in
      for todo in try transaction.todos(in: work.node, .open) { try transaction.setDone(true, todo) }
    }
    #expect(try find("milk") == "only other 2")
  }

  @Test func aTitleIsLookedForInTheWantedState() throws {
    let groceries = try list("Groceries")
    let milk = try add("milk", "eggs", to: groceries)[0]
    _ = try database.write { try $0.setDone(true, milk) }
    try add("milk", to: groceries)
    #expect(try found("milk", .done)?.node == milk.node)
    #expect(try found("groceries/MILK", .done)?.node == milk.node)
    #expect(try found(milk.id.text, .open)?.node == milk.node)
    #expect(try found("milk", .open)?.state == .open)
    #expect(try found("eggs", .done) == nil)
  }

  private func found(_ reference: String, _ wanted: TodoState) throws -> Todo? {
    guard case .one(let todo) = try database.read({ try $0.findTodo(reference, wanted: wanted) }) else { return nil }
    return todo
  }

  private func find(_ reference: String) throws -> String {
    switch try database.read({ try $0.findTodo(reference) }) {
    case .one(let todo): todo.title
    case .ambiguous(let todos): "ambiguous \(todos.count)"
    case .unknown: "unknown"
    case .unknownList(_, let similar): "unknown list \(similar.joined(separator: " "))"
    case .otherState(let todos): "only other \(todos.count)"
    case .position: "position"
    }
  }

  @Test func todosAreShownAndAddedThroughAnIndex() throws {
    try database.read { transaction in
      for sql in [
        "SELECT * FROM todos t WHERE t.list = 1 AND t.state = 'open' AND t.place >= '' ORDER BY t.place, t.todo_id",
        "SELECT 1 FROM todos WHERE todo_id >= 'k3fa' AND todo_id < 'k3fa~'",
        "SELECT * FROM todos t WHERE t.folded = 'milk' AND t.state = 'open' ORDER BY t.place",
      ] {
        let plan = try transaction.db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
        let steps = try plan.fetchedDetails()
        #expect(steps.allSatisfy { !$0.hasPrefix("SCAN") }, "\(steps)")
      }
    }
  }
}
