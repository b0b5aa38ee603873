import GRDB
public import Treesystem

extension CloudTransaction {
  /// The todos that are parts of another one, in order; those in the trash are left out.
  public func parts(of todo: Todo) throws -> [Todo] {
    try children(todo.node).filter { $0.state != .trash }
  }

  /// The same with the parts of parts. What hangs below something in the trash is shown beside its whole, and is no part of it.
  public func allParts(of todo: Todo) throws -> [Todo] {
    try parts(of: todo).flatMap { [$0] + (try allParts(of: $0)) }
  }

  /// The parts that are in the trash, with theirs that are there as well.
  public func removedParts(of todo: Todo) throws -> [Todo] {
    try children(todo.node).filter { $0.state == .trash }.flatMap { [$0] + (try removedParts(of: $0)) }
  }

  /// What is in the trash of a list. A next one that went there with an undone tick waits for the next tick, and nobody removed it.
  public func trash(of list: TodoList) throws -> [Todo] {
    let removed = try todos(in: list.node, .trash)
    guard !removed.isEmpty, let key = try knownDerivationKey(of: list.branch) else { return removed }
    let open = try todos(in: list.node, .open)
    let coming = Set(open.filter { $0.repetition != nil }.map { $0.id.next(by: key) })
    let byNode = Dictionary(removed.map { ($0.node, $0) }) { first, _ in first }
    func isComing(_ todo: Todo) -> Bool {
      coming.contains(todo.id) || (todo.parent.flatMap { byNode[$0] }.map(isComing) ?? false)
    }
    return removed.filter { !isComing($0) }
  }

  /// Deletes todos that are in the trash, for good. What hangs below one of them and is not in the trash stays: it hangs where it is shown
  /// from now on. Not one is deleted that somebody has taken out of the trash meanwhile.
  public func deleteForGood(_ todos: [Todo]) throws {
    let doomed = try todos.filter { try self.todo($0.node)?.state == .trash }
    if !doomed.isEmpty { try noteEnd(.trashEmptied) }
    for todo in doomed where try node(todo.node) != nil {
      try save(below: todo)
      try delete(todo.node)
    }
  }

  private func save(below doomed: Todo) throws {
    guard let above = try shownAbove(doomed) else { return }
    for part in try children(doomed.node) {
      if part.state == .trash { try save(below: part) } else { try hang(part, below: above) }
    }
  }

  /// The todo, or the list, under which something would be shown that hangs below a todo in the trash.
  private func shownAbove(_ todo: Todo) throws -> Node? {
    guard let node = try node(todo.node), let parent = try node.parent.flatMap({ try self.node($0) }) else {
      return nil
    }
    guard let whole = try self.todo(parent.id), whole.state == .trash else { return parent }
    return try shownAbove(whole)
  }

  /// An open todo of a list with this title.
  public func open(titled title: String, in list: NodeID) throws -> Todo? {
    try todos(titled: title, .open, in: list).first
  }

  private func children(_ node: NodeID) throws -> [Todo] {
    try fetchOrdered("WHERE n.parent = ? AND t.state <> 'other'", [node])
  }
}
