import TodoCore

/// What is in the trash; or what became of it.
struct TrashPage: Page {
  /// What happened, in the past tense; nil where it is only shown.
  var verb: String?
  let todos: [NamedTodo]
  /// Whole lists.
  var lists: [ListSummary] = []
  /// How many stay, because their lists may only be read.
  var kept = 0

  func lines(_ style: Style) -> [String] {
    let stays =
      kept == 0 ? [] : ["\(counted(kept, "todo")) of lists that you may only read \(kept == 1 ? "stays" : "stay")"]
    if todos.isEmpty && lists.isEmpty { return kept == 0 ? ["the trash is empty"] : stays }
    return todos.map { line($0, style) } + lists.map { line($0, style) } + stays
  }

  private func line(_ summary: ListSummary, _ style: Style) -> String {
    let name = style.heading(harmless(summary.list.name))
    if let verb { return "\(verb) list \(name)" }
    let since = summary.list.removedAt.map { " · removed \(localTime($0))" } ?? ""
    return "list \(name)\(style.quiet("  \(summary.openCount) open\(since)"))"
  }

  private func line(_ named: NamedTodo, _ style: Style) -> String {
    let title = "\(style.id(named.todo.shortID)) \(harmless(named.todo.title))"
    let place = style.quiet(" · \(harmless(named.list))")
    if let verb { return "\(verb) \(title)\(place)" }
    let since = named.todo.removedAt.map { style.quiet(" · removed \(localTime($0))") } ?? ""
    return "\(title)\(place)\(named.remarks(style))\(since)"
  }

  var members: [JSON.Member] {
    let todos: [JSON] = todos.map { named in
      guard case .object(let members) = named.json else { return named.json }
      return .object(members + [.init(key: "removed_at", value: .time(named.todo.removedAt))])
    }
    return [
      .init(key: "change", value: .text(verb)), .init(key: "todos", value: .array(todos)),
      .init(
        key: "lists",
        value: .array(
          lists.map { summary in
            [
              "id": .string(summary.list.id), "name": .string(summary.list.name),
              "open": .int(Int64(summary.openCount)), "removed_at": .time(summary.list.removedAt),
            ]
          })),
      .init(key: "kept", value: .int(Int64(kept))),
    ]
  }

  var hints: [String] {
    let first = todos.first?.todo.shortID ?? lists.first.map { shellQuoted($0.list.name) }
    return verb == nil ? first.map { ["take one out with: todo restore \($0)"] } ?? [] : []
  }
}
