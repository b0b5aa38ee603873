import Sharing
import Signing
import TodoCore
import Treesystem

/// A todo with what people want to know about it: the name of its list, and who changed it last if that was another.
struct NamedTodo {
  let todo: Todo
  let list: String
  /// A handle.
  let changedBy: String?
  var image: NamedImage?

  /// All of a list's or result's todos as scripts see them.
  var json: JSON {
    [
      "id": .string(todo.id.text), "short_id": .string(todo.shortID), "title": .string(todo.title),
      "list": .string(list), "done": .bool(todo.state == .done), "created_at": .time(todo.createdAt),
      "done_at": .time(todo.doneAt), "tags": .array(todo.tags.map { .string($0) }), "changed_by": .text(changedBy),
      "image": image?.json ?? .null,
    ]
  }

  /// `oat milk +breakfast`, safe for a terminal.
  func title(_ style: Style) -> String {
    harmless(todo.title) + (todo.tags.isEmpty ? "" : " " + style.tag(tags))
  }

  /// `+breakfast +bbq`, safe for a terminal; empty where there are none.
  var tags: String { todo.tags.map { "+\(harmless($0))" }.joined(separator: " ") }

  /// ` · image · bob`, as far as it is so.
  func remarks(_ style: Style) -> String {
    let remarks = [image == nil ? nil : "image", changedBy.map(harmless)].compactMap { $0 }
    return style.quiet(remarks.map { " · \($0)" }.joined())
  }
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
    return try todos.map { todo in
      let image = try image(of: todo).map { try handles.named($0, of: todo, in: self) }
      return NamedTodo(todo: todo, list: list(todo), changedBy: try handles.other(todo.author), image: image)
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
    if let handle = known[user] { return handle }
    let handle = try transaction.displayName(of: user)
    known[user] = handle
    return handle
  }
}
