import GRDB
import TodoCore
import Treesystem

extension Seat {
  /// Puts a list behind another, or before all.
  func moveList(_ process: SimProcess, _ list: TodoList, among lists: [TodoList]) {
    let other = world.dice.pick(lists.filter { $0.node != list.node })
    let place = world.dice.chance(300) ? nil : other
    change("put \(list.name) after \(place?.name ?? "nothing")", process) { transaction in
      guard try transaction.mayWrite(list.node) else { return [] }
      try transaction.moveList(list, after: place)
      return []
    }
  }

  func archive(_ process: SimProcess, _ list: TodoList) {
    change("\(list.isArchived ? "take out" : "put away") \(list.name)", process) { transaction in
      guard try transaction.mayWrite(list.node) else { return [] }
      try transaction.setArchived(!list.isArchived, list)
      return []
    }
  }

  /// Takes a todo to another list.
  func moveToList(_ process: SimProcess, _ list: TodoList, among lists: [TodoList]) {
    guard let other = world.dice.pick(lists.filter { $0.node != list.node }) else { return }
    var taken: [String] = []
    var renamed: [String: String] = [:]
    let isDone = edit("take to \(other.name) from", process, list, [.open, .done]) { transaction, todo in
      guard try transaction.mayWrite(other.node) else { return }
      let before = try places(transaction)
      let moved = try take(todo, to: other, transaction)
      for (node, place) in try places(transaction) {
        guard let old = before[node] else { continue }
        if old.id != place.id { renamed[old.id] = place.id }
        // Its parts go along.
        if old.list != place.list { taken.append(old.id) }
      }
      if moved.list != other.node {
        fail("\(name) took a todo to another list, and it is not there")
      }
    }
    guard isDone else { return }
    for id in taken { world.oracle.moved(id, from: list.id, to: other.id) }
    for (old, id) in renamed { world.oracle.renamed(old, to: id) }
  }

  /// What a pointer hangs below does not leave its list (spec §5.7), and a hostile member hangs one where they like.
  private func take(_ todo: Todo, to other: TodoList, _ transaction: CloudTransaction) throws -> Todo {
    do {
      return try transaction.moveTodo(todo, to: other.node)
    } catch TreeError.notMovable where world.hostileMember != nil {
      throw Declined()
    } catch TreeError.noSuchNode where world.hostileMember != nil {
      // Somebody took it away, and this device has read so, and not yet where it is.
      guard try transaction.node(todo.node) == nil else { throw TreeError.noSuchNode }
      throw Declined()
    }
  }

  private func places(_ transaction: CloudTransaction) throws -> [NodeID: (id: String, list: NodeID)] {
    let rows = try Row.fetchAll(transaction.db, sql: "SELECT node, todo_id, list FROM todos")
    return Dictionary(uniqueKeysWithValues: rows.map { row in (row[0], (id: row[1], list: row[2])) })
  }
}
