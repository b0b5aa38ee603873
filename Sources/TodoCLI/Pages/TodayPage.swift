import TodoCore

/// What is due, on all lists.
struct TodayPage: Page {
  let late: [NamedTodo]
  let today: [NamedTodo]

  func lines(_ style: Style) -> [String] {
    late.isEmpty && today.isEmpty ? ["nothing is due today"] : [blocks(style).joined(separator: "\n\n")]
  }

  /// What is late, and what is due today; what there is none of is left out.
  func blocks(_ style: Style) -> [String] {
    let width = (late + today).map(\.todo.shortID.count).max() ?? 0
    func block(_ name: String, _ todos: [NamedTodo]) -> [String] {
      if todos.isEmpty { return [] }
      let lines = todos.map { todo in
        "  \(style.id(pad(todo.todo.shortID, to: width))) \(todo.title(style))\(todo.remarks(style))"
          + style.quiet(" · \(harmless(todo.list))")
      }
      return [([style.heading(name) + style.quiet("  \(todos.count)")] + lines).joined(separator: "\n")]
    }
    return block("overdue", late) + block("today", today)
  }

  var members: [JSON.Member] { [.init(key: "todos", value: .array((late + today).map(\.json)))] }
}
