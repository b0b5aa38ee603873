import TodoCore

/// What a change came to: a line each, with id, title and list.
struct ChangePage: Page {
  /// What happened, in the past tense.
  let verb: String
  var todos: [NamedTodo]
  /// The picture that was attached.
  var attached: AttachedPicture?
  /// Todos that follow those that were ticked.
  var next: [NamedTodo] = []
  /// A list that was made on the way.
  var newList: String?
  /// Handles of those who share the list that something was added to.
  var sharers: [String] = []
  /// What came of it besides, that its user has to know.
  var remark: String?
  var hints: [String] = []

  var isPaged: Bool { false }

  func lines(_ style: Style) -> [String] {
    let made = newList.map { ["created list \(harmless($0))"] } ?? []
    func line(_ verb: String, _ todo: NamedTodo) -> String {
      "\(verb) \(style.id(todo.todo.shortID)) \(todo.title(style))\(todo.fields(style))\(style.quiet(" · \(harmless(todo.list))\(with(sharers))"))"
    }
    return made + todos.map { line(verb, $0) } + next.map { line("next", $0) }
      + [attached.map { harmless($0.words) }, remark].compactMap(\.self)
  }

  var members: [JSON.Member] {
    [
      .init(key: "change", value: .string(verb)), .init(key: "new_list", value: .text(newList)),
      .init(key: "todos", value: .array(todos.map(\.json))),
      .init(key: "next", value: .array(next.map(\.json))),
      .init(key: "attached", value: attached?.json ?? .null),
    ]
  }
}
