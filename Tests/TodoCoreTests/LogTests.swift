import Foundation
import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Who did what when.
struct LogTests {
  private let profile: LocalProfile
  private var clock: ManualClock { profile.clock }
  private var database: CloudDatabase { profile.database }

  init() throws { profile = try LocalProfile("log") }

  private func addList(_ name: String, _ transaction: CloudTransaction) throws -> TodoList {
    guard case .list(let list) = try transaction.addList(ListName(name)) else { throw TreeError.nameTaken }
    return list
  }

  private func words(_ news: [News]) -> [String] { news.map { "\($0.kind.rawValue) \($0.title) \($0.detail)" } }

  @Test func whatOneDoesOneselfIsKept() throws {
    try database.write { transaction in
      let list = try addList("Groceries", transaction)
      let other = try addList("Work", transaction)
      var todo = try transaction.addTodos([Title("milk")], to: list.node)[0]
      try transaction.addTodos([Title("report")], to: other.node)
      clock.advance(1000)
      todo = try transaction.setTitle(Title("oat milk"), of: todo)
      clock.advance(1000)
      try transaction.addComment(Note("the cheap one"), to: todo)
      clock.advance(1000)
      todo = try transaction.setDone(true, todo)
      _ = try transaction.setDone(true, todo)
      clock.advance(1000)
      todo = try transaction.removeTodo(todo)
      #expect(
        try words(transaction.log(of: todo, limit: 100)) == [
          "removed oat milk ", "done oat milk ", "commented oat milk the cheap one", "retitled oat milk milk",
          "added milk ",
        ])
      #expect(try transaction.log(of: list.node, limit: 100).count == 5)
      #expect(try words(transaction.log(limit: 100)).contains("added report "))
      #expect(try words(transaction.log(limit: 1)) == ["removed oat milk "])
      let times = try transaction.log(limit: 100).map(\.time)
      #expect(times == times.sorted(by: >) && times.first == clock.now())
      // It is no news.
      #expect(try transaction.lastNews() == 0)
    }
  }

  /// Old changes go, however many there were, and what was said stays with its todo.
  @Test func oldChangesGoAndCommentsStay() throws {
    try database.write { transaction in
      let list = try addList("Groceries", transaction)
      let todo = try transaction.addTodos([Title("milk")], to: list.node)[0]
      try transaction.addComment(Note("early"), to: todo)
      for _ in 0..<6 {
        clock.advance(1)
        try transaction.addTodos((0..<200).map { try Title("bread \($0)") }, to: list.node)
      }
      #expect(try transaction.log(limit: 5000).count == 1002)
      #expect(try words(transaction.log(of: todo, limit: 5)) == ["commented milk early"])
    }
  }

  /// What goes for good takes no names along, and a list that goes takes all.
  @Test func whatWasDoneOnAListGoesWithIt() throws {
    try database.write { transaction in
      let list = try addList("Groceries", transaction)
      try transaction.addTodos([Title("milk")], to: list.node)
      try transaction.removeList(list)
      #expect(try transaction.log(limit: 100).isEmpty)
    }
  }
}
