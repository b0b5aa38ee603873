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
    let repeating = try todos(in: list.node, .open).filter { $0.repetition != nil }
    let before = Dictionary(repeating.map { ($0.id.next(by: key), $0) }) { first, _ in first }
    let byNode = Dictionary(removed.map { ($0.node, $0) }) { first, _ in first }
    func isComing(_ todo: Todo) throws -> Bool {
      guard try isAsMade(todo) else { return false }
      if let whole = todo.parent.flatMap({ byNode[$0] }) { return try isComing(whole) }
      return try before[todo.id].map { try isAgain($0, todo) } ?? false
    }
    return try removed.filter { try !isComing($0) }
  }

  /// Whether one replica alone has written a todo, and nothing was said of it or attached to it: then another tick would make the same.
  func isAsMade(_ todo: Todo) throws -> Bool {
    guard let content = try document(of: todo.node, in: .todos), content.history.overwritten.isEmpty else {
      return false
    }
    let written = content.document.writes.filter { $0.field != Field.taken.rawValue }
    guard Set(written.map(\.stamp.replica)).count == 1 else { return false }
    let parts = try Set(children(todo.node).map(\.node))
    return try children(of: todo.node).allSatisfy { parts.contains($0.id) }
  }

  /// Whether a todo says what the one before it says.
  private func isAgain(_ before: Todo, _ next: Todo) throws -> Bool {
    guard before.title == next.title, before.repetition == next.repetition, before.priority == next.priority,
      before.assignee == next.assignee, Set(before.tags) == Set(next.tags)
    else { return false }
    return try notes(of: before).first == notes(of: next).first
  }

  /// Deletes todos that are in the trash, for good. What hangs below one of them and is not in the trash stays: it hangs where it is shown
  /// from now on. Not one is deleted that somebody has taken out of the trash meanwhile.
  public func deleteForGood(_ todos: [Todo]) throws {
    let doomed = try todos.filter { try self.todo($0.node)?.state == .trash }
    if !doomed.isEmpty { try noteEnd(.trashEmptied) }
    for todo in doomed where try node(todo.node) != nil { try deleteForGood(todo.node) }
  }

  /// Deletes a todo or a comment for good. What hangs below it and is not in the trash stays, wherever somebody has hung it: below a part,
  /// a comment or an image.
  func deleteForGood(_ id: NodeID) throws {
    guard let doomed = try node(id) else { return }
    if let above = try shownAbove(doomed) { try save(below: doomed, above) }
    try delete(id)
  }

  private func save(below doomed: Node, _ above: Node) throws {
    for child in try children(of: doomed.id) {
      if let part = try todo(child.id), part.state != .trash {
        try hang(part, below: above)
      } else {
        try save(below: child, above)
      }
    }
  }

  /// The todo, or the list, under which something would be shown that hangs below what goes.
  private func shownAbove(_ node: Node) throws -> Node? {
    guard let parent = try node.parent.flatMap({ try self.node($0) }) else { return nil }
    let isShown = try parent.isBranchRoot || self.todo(parent.id).map { $0.state != .trash } ?? false
    return try isShown ? parent : shownAbove(parent)
  }

  /// An open todo of a list with this title.
  public func open(titled title: String, in list: NodeID) throws -> Todo? {
    try todos(titled: title, .open, in: list).first
  }

  private func children(_ node: NodeID) throws -> [Todo] {
    try fetchOrdered("WHERE n.parent = ? AND t.state <> 'other'", [node])
  }
}
