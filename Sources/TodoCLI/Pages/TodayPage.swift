import TodoCore

/// What is due, on all lists.
struct TodayPage: Page {
  let late: [NamedTodo]
  let today: [NamedTodo]

  func lines(_ style: Style) -> [String] {
    if late.isEmpty, today.isEmpty { return ["nothing is due today"] }
    let width = (late + today).map(\.todo.shortID.count).max() ?? 0
    func block(_ name: String, _ todos: [NamedTodo]) -> [String] {
      if todos.isEmpty { return [] }
      return [
        ([style.heading(name) + style.quiet("  \(todos.count)")]
          + todos.map { todo in
            "  \(style.id(pad(todo.todo.shortID, to: width))) \(todo.title(style))\(todo.remarks(style))"
              + style.quiet(" · \(harmless(todo.list))")
          }).joined(separator: "\n")
      ]
    }
    return [(block("overdue", late) + block("today", today)).joined(separator: "\n\n")]
  }

  var members: [JSON.Member] { [.init(key: "todos", value: .array((late + today).map(\.json)))] }
}
