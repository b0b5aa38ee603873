import Dates
import GRDB
import Signing
public import Treesystem

/// Which todos of a list are read: to build one takes longer than to pass over it.
public enum TodoRange {
  case all
  /// Those that have a due date.
  case due
  case only(Set<NodeID>)

  fileprivate var condition: (sql: String, arguments: StatementArguments) {
    switch self {
    case .all: ("", [])
    case .due: (" AND t.due IS NOT NULL", [])
    case .only(let nodes):
      (
        " AND t.node IN (SELECT value FROM json_each(?))",
        ["[\(nodes.map { String($0.rawValue) }.joined(separator: ","))]"]
      )
    }
  }
}

extension CloudTransaction {
  /// The todos of a list in one state, in order: open ones as they were added or moved, done ones as they were ticked.
  /// - Parameter since: leaves out what was ticked, or stands in a place from, before; in milliseconds since 1970.
  public func todos(
    in list: NodeID, _ state: TodoState, since: Int64 = .min, range: TodoRange = .all
  ) throws -> [Todo] {
    let condition = range.condition
    return try fetchOrdered(
      "WHERE t.list = ? AND t.state = ? AND t.place >= ?\(condition.sql)",
      [list, state.rawValue, OrderKey(time: since).text] + condition.arguments)
  }

  /// How many todos of a list are in a state.
  public func todoCount(in list: NodeID, _ state: TodoState) throws -> Int {
    let statement = try db.cachedStatement(sql: "SELECT count(*) FROM todos WHERE list = ? AND state = ?")
    return try Int.fetchOne(statement, arguments: [list, state.rawValue]) ?? 0
  }

  /// The todo of a node.
  public func todo(_ node: NodeID) throws -> Todo? { try fetchTodos("WHERE t.node = ?", [node]).first }

  /// Todos whose id begins like this: open or done, or those in the trash. Several with one id are each found by their own as well.
  func todos(withIDPrefix prefix: String, inTrash: Bool = false) throws -> [Todo] {
    let states = inTrash ? "'trash'" : "'open', 'done'"
    let named = try fetchTodos(
      "WHERE t.todo_id >= ? AND t.todo_id < ? AND t.state IN (\(states)) ORDER BY t.todo_id", [prefix, prefix + "~"])
    // Nobody makes a twin whose own id gets in the way of what others are called.
    return try shown(named.isEmpty ? twins(in: states).filter { $0.ownID.text.hasPrefix(prefix) } : named)
  }

  /// Todos in one state with this title, of one list or of all.
  func todos(titled title: String, _ state: TodoState, in list: NodeID? = nil) throws -> [Todo] {
    // The state is part of the text: only so can SQLite use the index of open titles.
    let condition = "WHERE t.folded = ? AND t.state = '\(state.rawValue)'"
    guard let list else { return try shown(fetchTodos("\(condition) ORDER BY t.place", [folded(title)])) }
    // With the `+` SQLite does not read a whole list in its order to find one title.
    return try fetchTodos("\(condition) AND +t.list = ? ORDER BY t.place", [folded(title), list])
  }

  /// Without those of lists in the trash.
  private func shown(_ todos: [Todo]) throws -> [Todo] {
    let hidden = try todos.isEmpty ? [] : trashedRoots()
    return hidden.isEmpty ? todos : todos.filter { !hidden.contains($0.list) }
  }

  /// Whether no todo here has an id that begins like this.
  func isFree(_ short: String) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM todos WHERE todo_id >= ? AND todo_id < ? LIMIT 1")
    return try Int.fetchOne(statement, arguments: [short, short + "~"]) == nil
  }

  /// Todos of one list in its order. Those of one place and one id are in the order of their nodes' ids, which all devices share;
  /// as there are hardly ever any, the rest is not sorted for them.
  func fetchOrdered(_ condition: String, _ arguments: StatementArguments) throws -> [Todo] {
    let order = "\(condition) ORDER BY t.place, t.todo_id"
    let todos = try fetchTodos(order, arguments)
    guard zip(todos, todos.dropFirst()).contains(where: { $0.id == $1.id }) else { return todos }
    return try fetchTodos("\(order), n.cloud_id", arguments)
  }

  func fetchTodos(_ condition: String, _ arguments: StatementArguments) throws -> [Todo] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT t.node, t.list, t.todo_id, t.title, t.state, t.created_at, t.done_at,
          (SELECT w.user FROM writers w WHERE w.replica = t.writer), t.removed_at,
          (SELECT count(*) FROM todos o
            WHERE o.todo_id >= substr(t.todo_id, 1, \(TodoID.shortLength))
              AND o.todo_id < substr(t.todo_id, 1, \(TodoID.shortLength)) || '~'),
          iif(t.image IS NULL, NULL, (SELECT i.id FROM nodes i JOIN node_files f ON f.node = i.id
            WHERE i.branch = n.branch AND i.cloud_id = t.image AND i.parent = n.id)), t.tags,
          t.due, t.start, t.priority, t.assignee, t.repetition, iif(n.parent = t.list, NULL, n.parent),
          t.via, nullif(n.author, (SELECT user FROM account))
        FROM todos t JOIN nodes n ON n.id = t.node
        \(condition)
        """)
    let rows = try Row.fetchCursor(statement, arguments: arguments)
    var todos: [Todo] = []
    while let row = try rows.next() {
      guard let id = TodoID(text: row[2]), let state = TodoState(rawValue: row[4]) else { continue }
      let (own, short) = (row[9] as Int) > 1 ? try ownID(of: row[0], id, on: row[1]) : (id, id.short)
      let todo = Todo(
        node: row[0], list: row[1], id: id, ownID: own, shortID: short, title: row[3], state: state, createdAt: row[5],
        doneAt: row[6], removedAt: row[8], image: row[10],
        // From before replicas were anybody's: whoever signed last vouches for it.
        changed: Deed(row[7], via: row[18] ?? (row[7] == nil ? row[19] : nil)),
        tags: TagColumn.tags(row[11]), due: When(column: row[12]), start: When(column: row[13]),
        priority: (row[14] as String?).flatMap { Priority(rawValue: $0) }, assignee: row[15],
        repetition: (row[16] as String?).flatMap { Repetition(rule: $0) }, parent: row[17])
      todos.append(todo)
    }
    return todos
  }

  /// The shortest beginning of an id that its neighbours in order do not share.
  func uniqueBeginning(of id: TodoID) throws -> String {
    let before = try String.fetchOne(
      db, sql: "SELECT todo_id FROM todos WHERE todo_id < ? ORDER BY todo_id DESC LIMIT 1", arguments: [id.text])
    let after = try String.fetchOne(
      db, sql: "SELECT todo_id FROM todos WHERE todo_id > ? ORDER BY todo_id LIMIT 1", arguments: [id.text])
    let shared = [before, after].compactMap { $0.map { zip($0, id.text).prefix { $0 == $1 }.count } }.max() ?? 0
    return String(id.text.prefix(max(shared + 1, TodoID.shortLength)))
  }
}
