import TodoCore

/// Everything about a todo.
struct TodoPage: Page {
  let todo: NamedTodo
  /// The latest first.
  let earlierTitles: [String]

  func lines(_ style: Style) -> [String] {
    let facts: [(String, String?)] = [
      ("list", todo.list), ("state", todo.todo.state.rawValue), ("added", localTime(todo.todo.createdAt)),
      ("done", todo.todo.doneAt.map(localTime)), ("changed by", todo.changedBy),
      ("id", todo.todo.id.text),
    ]
    return ["\(style.id(todo.todo.shortID)) \(style.heading(harmless(todo.todo.title)))"]
      + facts.compactMap { name, fact in
        fact.map { "  \(style.quiet(pad(name, to: 10)))  \(harmless($0))" }
      }
      + earlierTitles.map { "  \(style.quiet(pad("before", to: 10)))  \(harmless($0))" }
  }

  var members: [JSON.Member] {
    [
      .init(key: "todo", value: todo.json),
      .init(key: "earlier_titles", value: .array(earlierTitles.map { .string($0) })),
    ]
  }
}
