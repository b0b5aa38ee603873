import CloudAPI
import Sharing
import TodoCore
import Treesystem

extension CloudTransaction {
  /// The list that somebody named, or a complaint that says what is there.
  func requireList(_ name: String) throws -> TodoList {
    switch try findList(name) {
    case .one(let list): return list
    case .unknown(let similar):
      if try listInTrash(name) != nil { throw Complaint.listInTrash(name) }
      throw Complaint.unknownList(name, similar: similar)
    }
  }

  /// The list in the trash with this name; the one that was removed last, where there are several.
  func listInTrash(_ name: String) throws -> TodoList? {
    try listsInTrash().first { areSameName($0.name, name) }
  }

  /// The list for a todo for which none is named; nil where it is yet to be made.
  /// - Parameter name: what it is called where none was chosen.
  func requireDefaultList(_ name: ListName) throws -> TodoList? {
    switch try defaultList(named: name) {
    case .list(let list): return list
    case .none: return nil
    case .shared(let list): throw Complaint.defaultListShared(list.name, with: try otherMembers(of: list))
    case .unread: throw Complaint.defaultListUnread
    }
  }

  /// Makes it, or takes it for good: what is called so later changes nothing.
  func settleDefaultList(_ found: TodoList?, _ name: ListName) throws -> TodoList {
    let list = try found ?? makeList(name.text)
    try settleDefaultList(list)
    return list
  }

  /// Refuses what the server would refuse later.
  func requireWrite(_ list: NodeID) throws {
    try requireStaying(list)
    if try mayWrite(list) { return }
    throw Complaint(
      "not_permitted", .notPermitted, "your role lets you read this list, not change it",
      hint: "ask its owner or an admin for more: 'todo members <list>'")
  }

  /// Refuses what is about a list that has ended here, or is about to.
  func requireStaying(_ list: NodeID) throws {
    if let list = try self.list(list) { try requireGoingOn(list) }
    if let branch = try node(list)?.branch, try isLeaving(branch) { throw Complaint.leaving }
    if let branch = try node(list)?.branch, try isClosing(branch) { throw Complaint.deleting }
  }

  /// The todos that somebody referred to, titles in one state: all of them, or a complaint about the first that is not clear.
  func requireTodos(_ references: [String], wanted: TodoState = .open) throws -> [Todo] {
    var todos: [Todo] = []
    for reference in references {
      let todo = try requireTodo(reference, wanted: wanted)
      if !todos.contains(where: { $0.node == todo.node }) { todos.append(todo) }
    }
    return todos
  }

  /// The todo that somebody referred to.
  func requireTodo(_ reference: String, wanted: TodoState = .open) throws -> Todo {
    switch try findTodo(reference, wanted: wanted) {
    case .one(let todo): return todo
    case .ambiguous(let todos):
      let names = try Dictionary(lists().map { ($0.node, $0.name) }) { first, _ in first }
      throw Complaint.ambiguousTodo(
        reference, todos.map { "\($0.shortID) \(names[$0.list] ?? "?")/\($0.title)" })
    case .unknown: throw Complaint.unknownTodo(reference, wanted: wanted)
    case .unknownList(let name, let similar): throw Complaint.unknownList(name, similar: similar)
    case .otherState(let todos): throw Complaint.otherState(reference, todos, wanted: wanted)
    case .position: throw Complaint.position(reference)
    }
  }
}

/// The references that a command got: its arguments, or the first word of each line of standard input for `-`.
func references(_ arguments: [String]) throws -> [String] {
  guard arguments.contains("-") else { return arguments }
  guard arguments.filter({ $0 == "-" }).count == 1 else {
    throw Complaint.usage("'-' stands there twice", hint: "standard input can be read only once")
  }
  let read = try StandardInput.lines().map(\.text)
  return arguments.flatMap { $0 == "-" ? read : [$0] }
}
