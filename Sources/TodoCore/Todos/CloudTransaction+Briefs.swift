import GRDB
public import Treesystem

/// As much of a todo as a shell proposes.
public struct TodoBrief: Sendable {
  public let shortID: String
  /// Not safe for a terminal.
  public let title: String
  public let list: NodeID
}

extension CloudTransaction {
  /// All todos in a state, in order of their ids; nothing but ids and titles is read, so that ten thousand take no time.
  public func briefs(_ state: TodoState) throws -> [TodoBrief] {
    let statement = try db.cachedStatement(sql: "SELECT todo_id, title, list, state FROM todos ORDER BY todo_id")
    let rows = try Row.fetchCursor(statement)
    var briefs: [TodoBrief] = []
    var before = ""
    var twins: [String] = []
    // One behind, because its neighbours on both sides say how much of an id is its own.
    var waiting: (id: String, title: String, list: NodeID, state: String)?
    let hidden = try trashedRoots()
    func settle(next: String) {
      guard let last = waiting, last.state == state.rawValue, !hidden.contains(last.list) else { return }
      let shared = max(Self.shared(last.id, before), Self.shared(last.id, next))
      // One that has its name from another's has an id of its own, which is read with the todo.
      if shared == last.id.utf8.count { return twins.append(last.id) }
      let short = last.id.prefix(max(shared + 1, TodoID.shortLength))
      briefs.append(TodoBrief(shortID: String(short), title: last.title, list: last.list))
    }
    while let row = try rows.next() {
      let id: String = row[0]
      settle(next: id)
      if let last = waiting { before = last.id }
      waiting = (id, row[1], row[2], row[3])
    }
    settle(next: "")
    for id in Set(twins) {
      briefs += try fetchTodos("WHERE t.todo_id = ? AND t.state = ?", [id, state.rawValue])
        .filter { !hidden.contains($0.list) }.map { TodoBrief(shortID: $0.shortID, title: $0.title, list: $0.list) }
    }
    return briefs.sorted { $0.shortID < $1.shortID }
  }

  /// How many todos there are in a state, in a profile that has few todos; nil where it has more than these.
  public func todoCount(_ state: TodoState, ofFew limit: Int) throws -> Int? {
    let states = try String.fetchAll(
      db, sql: "SELECT state FROM todos WHERE state <> 'other' LIMIT ?", arguments: [limit + 1])
    return states.count > limit ? nil : states.count { $0 == state.rawValue }
  }

  /// The tags of open todos, each once, in order.
  public func tagsInUse() throws -> [String] {
    let rows = try Row.fetchAll(db, sql: "SELECT DISTINCT tags, list FROM todos WHERE state = 'open' AND tags <> ''")
    let hidden = try trashedRoots()
    return Set(rows.filter { !hidden.contains($0[1]) }.flatMap { TagColumn.tags($0[0]) }).sorted()
  }

  private static func shared(_ a: String, _ b: String) -> Int { zip(a.utf8, b.utf8).prefix { $0 == $1 }.count }
}
