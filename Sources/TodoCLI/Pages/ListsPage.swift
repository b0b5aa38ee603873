import TodoCore
import Treesystem

/// A list and what is on it.
struct ListContents {
  let list: TodoList
  /// How many are open, shown or not.
  let openCount: Int
  /// How many of those are not shown because they are put off.
  var laterCount = 0
  /// Handles of those who share it.
  let others: [String]
  let todos: [NamedTodo]
  /// How deep each stands below others that are shown.
  var depths: [NodeID: Int] = [:]
  /// How it ended for this user, if it did.
  var end: EndedList?

  /// - Parameter limit: how many todos are shown at most.
  func lines(_ style: Style, limit: Int = .max) -> [String] {
    let later = laterCount == 0 ? "" : ", \(laterCount) of it later"
    let isOver = !todos.isEmpty && todos.allSatisfy { $0.todo.state == .done } && laterCount == 0
    let count =
      openCount == 0 ? "nothing open" : isOver ? "\(todos.count) done" : "\(openCount) open\(later)"
    let people = with(end?.kind == .unshared ? [] : others) + end.remark
    let width = todos.map(\.todo.shortID.count).max() ?? 0
    return [style.heading(harmless(list.name)) + style.quiet("  \(count)\(people)")]
      + todos.prefix(limit).map { named in
        let id = pad(named.todo.shortID, to: width)
        let indent = String(repeating: "  ", count: depths[named.todo.node] ?? 0)
        guard named.todo.state == .done else {
          return "  \(indent)\(style.id(id)) \(named.title(style))\(named.remarks(style))"
        }
        return "\(style.good("✓")) \(indent)\(style.quiet("\(id) \(named.title(.plain))"))\(named.remarks(style))"
      }
      + (todos.count > limit
        ? [style.quiet("  … \(todos.count - limit) more (todo ls \(harmless(shellQuoted(list.name))))")] : [])
  }
}

/// What `todo` and `todo ls` show: each list with its todos.
struct ListsPage: Page {
  /// Lines above the lists, for people.
  var notices: [String] = []
  let contents: [ListContents]
  /// What was said to this person and not shown yet.
  var unread: [NamedUnread] = []
  /// What to say where there is nothing.
  var nothing = "no lists yet"
  var hints: [String] = []

  func lines(_ style: Style) -> [String] {
    var blocks = contents.map { $0.lines(style).joined(separator: "\n") }
    if blocks.isEmpty { blocks = [nothing] }
    if !notices.isEmpty { blocks.insert(notices.map(harmless).joined(separator: "\n"), at: 0) }
    return [blocks.joined(separator: "\n\n")]
  }

  var members: [JSON.Member] {
    [
      .init(key: "todos", value: .array(contents.flatMap(\.todos).map(\.json))),
      .init(key: "ended", value: .array(contents.compactMap(\.end).map(\.json))),
      .init(key: "unread", value: .array(unread.map(\.json))),
    ]
  }
}
