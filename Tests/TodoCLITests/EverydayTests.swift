import Dates
import Foundation
import Sharing
import Testing
import Treesystem

@testable import TodoCLI
@testable import TodoCore

/// What people see of their own todos every day.
final class EverydayTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-day-\(UUID().uuidString)")
  private let database: CloudDatabase

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    database = try CloudDatabase(
      path: folder.appendingPathComponent("todo.db").path, appMigrations: sharingMigrations + TodoTables.migrations)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func add(_ new: NewTodo...) throws -> [Todo] {
    try database.write { transaction in
      try transaction.addTodos(new, to: transaction.lists().first?.node ?? transaction.makeList("Work").node)
    }
  }

  private func todo(_ title: String, due: When? = nil, priority: Priority? = nil, under: Todo? = nil) throws -> NewTodo
  {
    var new = NewTodo(try Title(title))
    (new.due, new.priority, new.parent) = (due, priority, under?.node)
    return new
  }

  /// At nine, what was due at eight today is late, and what is due today is not.
  @Test func aTimeThatHasPassedIsLate() throws {
    let nine: Int64 = 1_790_000_000_000 / 86_400_000 * 86_400_000 + 9 * 3_600_000
    let dates = DatePhrase(now: nine, zone: .utc)
    _ = try add(
      todo("at eight", due: .moment(nine - 3_600_000)), todo("at ten", due: .moment(nine + 3_600_000)),
      todo("today", due: .day(dates.today)))
    let page = try database.read { try $0.dueToday([], dates) }
    #expect(page.late.map(\.todo.title) == ["at eight"])
    #expect(Set(page.today.map(\.todo.title)) == ["at ten", "today"])
  }

  @Test(arguments: [TodoOrder.due, .priority, .created, .title])
  func whatIsDoneIsLast(_ order: TodoOrder) throws {
    let day = try #require(Day(iso: "2026-11-27"))
    var todos = try add(
      todo("a", due: .day(day), priority: .high), todo("b", due: .day(#require(day.adding(days: 1)))), todo("c"))
    todos[0] = try database.write { [todo = todos[0]] in try $0.setDone(true, todo) }
    #expect(todos.sorted(order, .utc).map(\.title) == ["b", "c", "a"])
  }

  /// What was ticked along with its whole is opened with it, and nothing that was ticked before.
  @Test func undoneOpensWhatDoneTicked() throws {
    let whole = try #require(try add(todo("whole")).first)
    let parts = try add(todo("early", under: whole), todo("late", under: whole))
    try database.write { _ = try $0.setDone(true, parts[0]) }
    usleep(2000)
    let opened = try database.write { transaction in
      let ticked = try transaction.setDone(true, whole)
      _ = try transaction.setDone(true, parts[1])
      return try transaction.open(ticked)
    }
    #expect(opened.map(\.title) == ["whole", "late"] && opened.allSatisfy { $0.state == .open })
    #expect(try database.read { try $0.todo(parts[0].node)?.state } == .done)
  }
}
