import GRDB
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// Any member hangs a todo wherever they like: below a comment, an image, or under a name that another one has. It is shown like any other,
/// and is not deleted with what it hangs below.
struct HiddenTodoTests {
  private let profile: LocalProfile
  private let list: NodeID
  private let junk: Todo
  private let precious: Todo
  private var database: CloudDatabase { profile.database }

  init() throws {
    profile = try LocalProfile("hidden todos")
    (list, junk, precious) = try profile.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Home")) else { throw TreeError.nameTaken }
      let todos = try transaction.addTodos([Title("junk"), Title("precious")], to: list.node)
      return (list.node, todos[0], todos[1])
    }
  }

  private func hang(_ todo: Todo, below parent: NodeID) throws {
    try database.write { transaction in
      try transaction.db.execute(sql: "UPDATE nodes SET parent = ? WHERE id = ?", arguments: [parent, todo.node])
    }
  }

  private func open() throws -> [String] {
    try database.read { transaction in
      try transaction.lists().flatMap { try transaction.todos(in: $0.node, .open) }.map(\.title)
    }
  }

  private func emptyTrash() throws {
    try database.write { transaction in
      _ = try transaction.removeTodo(transaction.todo(junk.node) ?? junk)
      try transaction.deleteForGood(transaction.todos(in: list, .trash))
    }
  }

  @Test func whatHangsBelowACommentIsNotDeletedWithItsTodo() throws {
    let comment = try database.write { try $0.addComment(Note("see below"), to: junk) }
    try hang(precious, below: comment.node)
    #expect(try open().sorted() == ["junk", "precious"])
    try emptyTrash()
    #expect(try open() == ["precious"])
  }

  @Test func norWithTheCommentThatIsTakenBack() throws {
    let comment = try database.write { transaction in
      try transaction.asAction { try transaction.addComment(Note("see below"), to: junk) }
    }
    try hang(precious, below: comment.node)
    #expect(try database.write { try $0.undo() }?.steps.map(\.did) == [["commented"]])
    #expect(try open().sorted() == ["junk", "precious"])
    #expect(try database.read { try $0.parts(of: junk) }.map(\.title) == ["precious"])
  }

  /// What is copied of a list are all of its todos.
  @Test func whatHangsBelowNothingThatCanBeReadIsCopied() throws {
    let strange = try database.write { try $0.createNode(named: "strange", in: junk.node) }
    try hang(precious, below: strange.id)
    _ = try database.write { transaction in
      try transaction.asAction { try transaction.keepList(#require(try transaction.list(list))) }
    }
    #expect(throws: ActionEnd.listKept) { try database.write { try $0.undo() } }
    #expect(try open().sorted() == ["junk", "precious"])
  }

  /// Two nodes of one name cannot stand beside each other, and that stops nothing.
  @Test func aNameThatIsTakenStopsNoTrash() throws {
    let twin = try database.write { try $0.addTodos([Title("twin")], to: list)[0] }
    try hang(precious, below: junk.node)
    try database.write { transaction in
      try transaction.db.execute(
        sql: "UPDATE nodes SET name = (SELECT name FROM nodes WHERE id = ?) WHERE id = ?",
        arguments: [twin.node, precious.node])
    }
    try emptyTrash()
    #expect(try open().sorted() == ["precious", "twin"])
  }
}
