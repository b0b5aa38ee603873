import GRDB
public import Treesystem

extension CloudTransaction {
  /// Puts a todo behind another open one of its list.
  @discardableResult
  public func moveTodo(_ todo: Todo, after other: Todo) throws -> Todo {
    guard let lower = try placed("t.node = ? AND t.list = ? AND t.state = 'open'", [other.node, todo.list]),
      other.node != todo.node
    else { throw TreeError.noSuchNode }
    return try put(todo, between: lower, try next(to: lower, leavingOut: todo, .after))
  }

  /// Puts a todo before all others of its list.
  @discardableResult
  public func moveTodoToTop(_ todo: Todo) throws -> Todo {
    try put(todo, between: nil, try next(to: nil, leavingOut: todo, .after))
  }

  /// Puts a todo behind all others of its list.
  @discardableResult
  public func moveTodoToBottom(_ todo: Todo) throws -> Todo {
    try put(todo, between: try next(to: nil, leavingOut: todo, .before), nil)
  }

  private func put(_ todo: Todo, between lower: PlacedTodo?, _ upper: PlacedTodo?) throws -> Todo {
    var gap = OrderGap(lower: lower.map(\.placed), upper: upper.map(\.placed), moved: .init(node: todo.node))
    while let side = gap.narrowSide {
      let edge = side == .lower ? gap.lower : gap.upper
      guard let edge, let known = try placed("t.node = ?", [edge.node]) else { break }
      gap.widen(side, to: try next(to: known, leavingOut: todo, side == .lower ? .before : .after)?.placed)
    }
    for (node, key) in gap.keys(entropy) {
      guard let neighbour = node == todo.node ? todo : try self.todo(node) else { continue }
      _ = try change(neighbour) { document, now, replica in
        try document.write(.order, Array(key.text.utf8), now: now, replica: replica)
      }
    }
    return try self.todo(todo.node) ?? todo
  }

  private struct PlacedTodo {
    let id: String
    let placed: OrderGap.Placed
  }

  private enum Direction: String {
    case before = "<"
    case after = ">"
  }

  /// The open todo that stands next to another in its list, or the first or last of all.
  private func next(to todo: PlacedTodo?, leavingOut moved: Todo, _ direction: Direction) throws -> PlacedTodo? {
    let order = direction == .after ? "ORDER BY t.place, t.todo_id" : "ORDER BY t.place DESC, t.todo_id DESC"
    let condition = "t.list = ? AND t.state = 'open' AND t.node <> ?"
    guard let todo else { return try placed("\(condition) \(order)", [moved.list, moved.node]) }
    return try placed(
      "\(condition) AND (t.place, t.todo_id) \(direction.rawValue) (?, ?) \(order)",
      [moved.list, moved.node, todo.placed.key?.text, todo.id])
  }

  private func placed(_ condition: String, _ arguments: StatementArguments) throws -> PlacedTodo? {
    let statement = try db.cachedStatement(
      sql: "SELECT t.node, t.todo_id, t.place FROM todos t WHERE \(condition) LIMIT 1")
    guard let row = try Row.fetchOne(statement, arguments: arguments) else { return nil }
    let moved = try document(of: row[0], in: .todos)?.document[Field.order.rawValue]?.stamp
    return PlacedTodo(
      id: row[1], placed: OrderGap.Placed(node: row[0], key: OrderKey(column: row[2]), moved: moved))
  }
}
