import CloudAPI
import Sharing
import TestSupport
import TodoCore
import Treesystem

/// What one person does with the todo list in these tests.
extension Device {
  @discardableResult
  func addList(_ name: String, _ titles: String...) throws -> TodoList {
    try database.write { transaction in
      guard case .list(let list) = try transaction.addList(try ListName(name)) else { throw TreeError.nameTaken }
      try transaction.addTodos(titles.map { try Title($0) }, to: list.node)
      return list
    }
  }

  func titles() throws -> [String] {
    try database.read { transaction in
      try transaction.lists().flatMap { list in
        try transaction.todos(in: list.node, .open).map { "\(list.name)/\($0.title)" }
      }.sorted()
    }
  }

  func rename(_ title: String, to new: String) throws {
    try database.write { transaction in
      for list in try transaction.lists() {
        for todo in try transaction.todos(in: list.node, .open) where todo.title == title {
          try transaction.setTitle(try Title(new), of: todo)
        }
      }
    }
  }
}
