import GRDB
import Sharing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// Finding todos by their words.
struct SearchTests {
  private let profile: LocalProfile
  private let todos: [Todo]
  private var database: CloudDatabase { profile.database }

  init() throws {
    profile = try LocalProfile("search")
    todos = try profile.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Groceries")) else { throw TreeError.nameTaken }
      let titles = ["oat milk", "Crème brûlée", "牛乳を買う", "C++ book", "say \"hi\" AND run", "ice-cream", "100% juice"]
      return try transaction.addTodos(titles.map { try Title($0) }, to: list.node)
    }
  }

  @Test(arguments: [
    ("milk", [0]), ("MIL", [0]), ("oat mi", [0]), ("milk oat", [0]), ("ilk", []), ("milk tea", []), ("creme", [1]),
    ("BRULEE", [1]), ("牛乳", [2]), ("買", [2]), ("C++", [3]), ("\"hi\"", [4]), ("AND", [4]), ("OR", []), ("hi*", []),
    ("cream", [5]), ("ice-cream", [5]), ("100%", [6]), ("%", [6]), ("\u{0}", []), ("words:milk", []), ("(", []),
    ("^oat", []), ("-milk", []), ("{", []),
  ])
  func wordsFindWhatBeginsWithThem(text: String, expected: [Int]) throws {
    let found = try database.read { try $0.search(text) }
    #expect(found == Set(expected.map { todos[$0].node }))
  }

  @Test func notesTagsAndCommentsAreFoundAndForgotten() throws {
    let milk = todos[0]
    try database.write { transaction in
      _ = try transaction.setNote(Note("from the farm"), of: milk)
      _ = try transaction.addTag(Tag("breakfast"), to: milk)
      _ = try transaction.addComment(Note("half fat please"), to: milk)
      for word in ["farm", "breakf", "please"] { #expect(try transaction.search(word) == [milk.node]) }
      _ = try transaction.setNote(Note(""), of: milk)
      #expect(try transaction.search("farm") == [])
      try transaction.delete(milk.node)
      for word in ["milk", "please"] { #expect(try transaction.search(word) == []) }
      try transaction.db.execute(sql: "INSERT INTO todo_words (todo_words) VALUES ('integrity-check')")
    }
  }
}
