import CloudAPI
import Dates
import Sharing
import Signing
import TodoCore
import Treesystem

/// A todo with what people want to know about it: the name of its list, and who changed it last if that was another.
struct NamedTodo {
  let todo: Todo
  let list: String
  /// Who changed it last.
  let changed: NamedDeed
  var image: NamedImage?
  /// The handle of whose task it is, one's own too.
  var assignee: String?
  /// The id of the todo that it is a part of.
  var parent: TodoID?
  /// How its days are shown.
  let when: WhenWords

  /// All of a list's or result's todos as scripts see them.
  var json: JSON {
    [
      "id": .string(todo.ownID.text), "short_id": .string(todo.shortID), "title": .string(todo.title),
      "list": .string(list), "done": .bool(todo.state == .done), "created_at": .time(todo.createdAt),
      "done_at": .time(todo.doneAt == 0 ? nil : todo.doneAt), "tags": .array(todo.tags.map { .string($0) }),
      "changed_by": .text(changed.other),
      "changed_via": .text(changed.via),
      "image": image?.json ?? .null, "due": todo.due?.json ?? .null, "start": todo.start?.json ?? .null,
      "priority": .text(todo.priority?.rawValue), "assignee": .text(assignee), "repeat": .text(todo.repetition?.rule),
      "parent": .text(parent?.text),
    ]
  }

  /// `oat milk +breakfast`, safe for a terminal.
  func title(_ style: Style) -> String {
    harmless(todo.title) + (todo.tags.isEmpty ? "" : " " + style.tag(tags))
  }

  /// `+breakfast +bbq`, safe for a terminal; empty where there are none.
  var tags: String { todo.tags.map { "+\(harmless($0))" }.joined(separator: " ") }

  /// ` · due fri · high · @bob · image · bob`, as far as it is so.
  func remarks(_ style: Style) -> String {
    fields(style) + style.quiet([image == nil ? nil : "image", changed.remark.map(harmless)].remarks)
  }

  /// ` · due fri · high · every week · @bob`, as far as it is so.
  func fields(_ style: Style) -> String {
    let isOpen = todo.state == .open
    let due = todo.due.map { " · due \(when.words($0))" } ?? ""
    let isLate = isOpen && (todo.due.map(when.isOver) ?? false)
    let start = todo.start.flatMap { isOpen && !when.hasBegun($0) ? "from \(when.words($0))" : nil }
    let rest = [start, todo.priority?.rawValue, todo.repetition?.words, assignee.map { "@\(harmless($0))" }]
    return (isLate ? style.bad(due) : style.quiet(due)) + style.quiet(rest.remarks)
  }
}

extension [String?] {
  /// ` · image · bob`
  fileprivate var remarks: String { compactMap { $0 }.map { " · \($0)" }.joined() }
}

extension CloudTransaction {
  /// Adds names to todos.
  func named(_ todos: [Todo]) throws -> [NamedTodo] {
    let names = try Dictionary(lists().map { ($0.node, $0.name) }) { first, _ in first }
    return try named(todos) { names[$0.list] ?? "?" }
  }

  /// Adds names to todos, whose list's name is known.
  func named(_ todos: [Todo], list: (Todo) -> String) throws -> [NamedTodo] {
    var handles = try Handles(self)
    let when = WhenWords(now: clock.now(), zone: .system)
    return try todos.map { todo in
      let image = try image(of: todo).map { try handles.named($0, of: todo, in: self) }
      return NamedTodo(
        todo: todo, list: list(todo), changed: try handles.named(todo.changed), image: image,
        assignee: try todo.assignee.map { try handles.handle(of: $0) },
        parent: try todo.parent.flatMap { try self.todo($0)?.ownID },
        when: when)
    }
  }
}

/// Looks up handles, each once.
struct Handles {
  private let transaction: CloudTransaction
  private let me: UserID?
  private var known: [UserID: String] = [:]

  init(_ transaction: CloudTransaction) throws {
    self.transaction = transaction
    me = try transaction.account()?.user
  }

  /// The handle of somebody else; nil for oneself and nobody.
  mutating func other(_ user: UserID?) throws -> String? {
    guard let user, user != me else { return nil }
    return try handle(of: user)
  }

  /// The handle of somebody, oneself too.
  mutating func handle(of user: UserID) throws -> String {
    if let handle = known[user] { return handle }
    let handle = try transaction.displayName(of: user)
    known[user] = handle
    return handle
  }
}
