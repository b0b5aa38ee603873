import Dates
import Foundation
import GRDB
import Sharing
import Testing
import TodoCore
import Treesystem

@testable import TodoCLI

/// What somebody makes of a todo in an editor.
@Suite struct EditSheetTests {
  private let before = """
    title: oat milk
    due: 2026-11-27
    priority: high
    tags: breakfast shop

    2 litres

    """

  private func changes(_ text: String) throws -> SheetChanges {
    try EditSheet(text: text).changes(since: EditSheet(text: before))
  }

  @Test func whatIsNotTouchedIsNotWritten() throws {
    #expect(try changes(before).isEmpty)
    #expect(try changes("# a remark\n\n" + before + "\n\n").isEmpty)
  }

  @Test func whatIsChangedIsAnOption() throws {
    let changed = try changes(
      "Title: soy milk\ndue: fri\npriority:\nassign: bob\ntags: +shop cold\n\n3 litres\n\n# and more")
    #expect(changed.title == "soy milk")
    #expect(changed.fields.due == "fri")
    #expect(changed.fields.priority == "none")
    #expect(changed.fields.assign == "bob")
    #expect(changed.fields.start == nil && changed.fields.repetition == nil)
    #expect(changed.fields.tag == ["cold"] && changed.untag == ["breakfast"])
    // Below the empty line everything is the note, whatever it begins with.
    #expect(changed.fields.note == "3 litres\n\n# and more")
  }

  @Test func whatIsTakenOutIsTakenAway() throws {
    let changed = try changes("title: oat milk\n")
    #expect(changed.fields.due == "none" && changed.fields.priority == "none" && changed.fields.note == "")
    #expect(changed.untag == ["breakfast", "shop"])
    #expect(changed.title == nil)
  }

  @Test(arguments: [
    "", "# nothing\n", "due: fri\n", "title:\n", "title: a\ncolour: red\n", "title: a\ntitle: b\n", "oat milk\n",
  ])
  func whatIsNotUnderstoodIsRefused(text: String) {
    #expect(throws: Complaint.self) { try EditSheet(text: text) }
  }

  /// A line break in a title of somebody else's is not the beginning of another field.
  @Test(arguments: ["\n", "\r\n", "\r", "\u{85}", "\u{2028}", "\u{0B}"])
  func aTitleStaysInItsLine(end: String) throws {
    let todo = try LocalTodo()
    let title = ["pay bob", "assign: mallory", "", "and a note"].joined(separator: end)
    let sheet = try EditSheet(todo.titled(title), notes: ["one\u{1B}[2J", "two"], assignee: nil, zone: .utc)
    #expect(sheet.text.split(separator: "\n").count { $0.hasPrefix("assign:") } == 1)
    #expect(!sheet.text.unicodeScalars.contains { $0 == "\u{1B}" })
    let untouched = try EditSheet(text: sheet.text)
    #expect(untouched == sheet)
    #expect(try untouched.changes(since: sheet).isEmpty)
    let changed = try EditSheet(text: sheet.text.replacing("priority:", with: "priority: high")).changes(since: sheet)
    #expect(changed.title == nil && changed.fields.note == nil && changed.fields.assign == nil)
    #expect(changed.fields.priority == "high")
  }

  @Test func linesMayEndAsOnOtherSystems() throws {
    #expect(try changes(before.replacing("\n", with: "\r\n")).isEmpty)
  }

  @Test func theLineOfAnErrorIsNamed() {
    #expect { try EditSheet(text: "title: a\ncolour: red\n") } throws: {
      ($0 as? Complaint)?.message.hasPrefix("line 2: ") == true
    }
  }
}

/// A todo of a profile that is gone after the test.
private final class LocalTodo {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-sheet-\(UUID().uuidString)")
  private let database: CloudDatabase

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    database = try CloudDatabase(
      path: folder.appendingPathComponent("todo.db").path, appMigrations: sharingMigrations + TodoTables.migrations)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// With a title that nobody can type; another program can write it.
  func titled(_ title: String) throws -> Todo {
    try database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Todo")) else { throw TreeError.noSuchNode }
      let todo = try transaction.addTodos([Title("milk")], to: list.node)[0]
      try transaction.db.execute(sql: "UPDATE todos SET title = ?", arguments: [title])
      return try transaction.todo(todo.node) ?? todo
    }
  }
}
