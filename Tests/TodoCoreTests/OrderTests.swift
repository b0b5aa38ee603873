import Foundation
import GRDB
import Sharing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// What is moved stands where it was put, on every device.
final class OrderTests {
  private let world: World
  private let phone: Device
  private let list: TodoList

  init() throws {
    world = try World(seed: "order")
    phone = try world.device("phone")
    list = try phone.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      return list
    }
  }

  private func add(_ titles: String...) throws -> [Todo] {
    world.clock.advance(1000)
    return try phone.database.write { try $0.addTodos(titles.map { try Title($0) }, to: list.node) }
  }

  private func titles() throws -> String {
    try phone.database.read { try $0.todos(in: list.node, .open).map(\.title).joined(separator: " ") }
  }

  @Test func todosAreMovedUpDownAndBetweenOthers() throws {
    let todos = try add("a", "b", "c", "d")
    _ = try phone.database.write { try $0.moveTodo(todos[0], after: todos[2]) }
    #expect(try titles() == "b c a d")
    _ = try phone.database.write { try $0.moveTodoToTop(todos[3]) }
    #expect(try titles() == "d b c a")
    _ = try phone.database.write { try $0.moveTodoToBottom(todos[1]) }
    #expect(try titles() == "d c a b")
    _ = try add("e")
    #expect(try titles() == "d c a b e")
    _ = try phone.database.write { try $0.moveTodo(todos[3], after: todos[0]) }
    #expect(try titles() == "c a d b e")
    _ = try phone.database.write { try $0.setDone(false, $0.setDone(true, todos[0])) }
    #expect(try titles() == "c a d b e")
  }

  @Test func aTodoIsMovedBehindOpenOnesOfItsListOnly() throws {
    let todos = try add("a", "b")
    try phone.database.write { transaction in
      try transaction.setDone(true, todos[1])
      #expect(throws: TreeError.noSuchNode) { try transaction.moveTodo(todos[0], after: todos[1]) }
      #expect(throws: TreeError.noSuchNode) { try transaction.moveTodo(todos[0], after: todos[0]) }
    }
  }

  /// Two that were made in the same millisecond on two devices have equal keys.
  @Test func roomIsMadeBetweenEquals() throws {
    let todos = try add("a", "b", "c", "d")
    try phone.database.write { transaction in
      for todo in todos[..<3] {
        _ = try transaction.change(todo) { document, now, replica in
          try document.write(.created, timeValue(5), now: now, replica: replica)
        }
      }
    }
    let order = try phone.database.read { try $0.todos(in: list.node, .open) }
    _ = try phone.database.write { try $0.moveTodo(todos[3], after: order[0]) }
    #expect(try titles() == "\(order[0].title) d \(order[1].title) \(order[2].title)")
  }

  /// Back and forth between the last two until keys are as long as they may be, and on.
  @Test func roomIsMadeWhereThereIsNone() throws {
    let todos = try add("a", "b")
    var (lower, expected) = (todos[0], ["a", "b"])
    for number in 0..<60 {
      let new = try add("\(number)")[0]
      _ = try phone.database.write { try $0.moveTodo(new, after: lower) }
      expected.insert(new.title, at: (expected.firstIndex(of: lower.title) ?? 0) + 1)
      if number.isMultiple(of: 2) { lower = new }
    }
    #expect(try titles() == expected.joined(separator: " "))
    let longest = try phone.database.read {
      try Int.fetchOne($0.db, sql: "SELECT max(length(place)) FROM todos")
    }
    #expect(longest ?? 0 > 20 && longest ?? 0 <= OrderKey.limit)
  }

  @Test func moreIsAddedBehindWhatWasMoved() throws {
    let todos = try phone.database.write { try $0.addTodos(["a", "b"].map { try Title($0) }, to: list.node) }
    _ = try phone.database.write { try $0.moveTodoToBottom(todos[0]) }
    _ = try phone.database.write { try $0.addTodos([Title("c")], to: list.node) }
    #expect(try titles() == "b a c")
  }

  @Test func listsAreMovedAndPutAway() throws {
    try phone.database.write { transaction in
      for name in ["Work", "Home", "Books"] { _ = try transaction.addList(ListName(name)) }
      func named(_ name: String) throws -> TodoList { try #require(try transaction.lists().first { $0.name == name }) }
      #expect(try transaction.lists().map(\.name) == ["Books", "Groceries", "Home", "Work"])
      try transaction.moveList(named("Work"), after: nil)
      #expect(try transaction.lists().map(\.name) == ["Work", "Books", "Groceries", "Home"])
      try transaction.moveList(named("Books"), after: named("Groceries"))
      #expect(try transaction.lists().map(\.name) == ["Work", "Groceries", "Books", "Home"])
      try transaction.moveList(named("Home"), after: named("Work"))
      #expect(try transaction.lists().map(\.name) == ["Work", "Home", "Groceries", "Books"])
      try transaction.setArchived(true, named("Home"))
      #expect(try transaction.lists().map(\.isArchived) == [false, true, false, false])
      try transaction.setArchived(false, named("Home"))
      #expect(try named("Home").isArchived == false)
    }
  }
}
