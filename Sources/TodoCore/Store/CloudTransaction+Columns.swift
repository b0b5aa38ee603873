import GRDB
public import Treesystem

extension CloudTransaction {
  /// Reads the columns of every list and todo from its document again. Returns the nodes whose columns said something
  /// else; with `mending` they are right from then on. Documents stay as they are.
  public func nodesWithWrongColumns(mending: Bool) throws -> [NodeID] {
    var wrong: [NodeID] = []
    try db.inSavepoint {
      wrong = try wrongLists() + wrongTodos()
      return mending ? .commit : .rollback
    }
    return wrong
  }

  private func wrongLists() throws -> [NodeID] {
    let lists = try Row.fetchAll(db, sql: "SELECT * FROM lists")
    return try lists.compactMap { before in
      let node: NodeID = before["node"]
      guard let content = try document(of: node, in: .lists) else { return nil }
      try store(content, ofList: node)
      let after = try Row.fetchOne(db, sql: "SELECT * FROM lists WHERE node = ?", arguments: [node])
      return before == after ? nil : node
    }
  }

  private func wrongTodos() throws -> [NodeID] {
    let todos = try Row.fetchAll(db, sql: "SELECT * FROM todos")
    return try todos.compactMap { before in
      let node: NodeID = before["node"]
      guard let content = try document(of: node, in: .todos), let id = TodoID(text: before["todo_id"]) else {
        return nil
      }
      try store(content, of: id, node: node, list: before["list"])
      let after = try Row.fetchOne(db, sql: "SELECT * FROM todos WHERE node = ?", arguments: [node])
      return before == after ? nil : node
    }
  }
}
