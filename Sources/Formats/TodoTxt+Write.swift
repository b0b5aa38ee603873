public import Dates

extension TodoTxt {
  /// Writes a file. Removed todos and comments are left out, and of the days of creation and completion their time.
  /// - Parameter zone: where times of day are meant.
  public static func write(_ todos: [PortableTodo], zone: Zone) -> String {
    todos.lazy.filter { $0.state != .removed }.map { line(of: $0, zone) + "\n" }.joined()
  }

  private static func line(of todo: PortableTodo, _ zone: Zone) -> String {
    let created = todo.created.map { zone.day(of: $0).iso }
    let done = todo.done.map { zone.day(of: $0).iso }
    let letter = todo.priority.map(letter)
    var words: [String] = []
    var marks: [(key: String, value: String?)] = []
    if todo.state == .done {
      words.append("x")
      // Without the first day the second would be taken for it.
      if let done { words += [done] + (created.map { [$0] } ?? []) } else { marks.append(("created:", created)) }
      marks.append(("pri:", letter))
    } else {
      if let letter { words.append("(\(letter))") }
      if let created { words.append(created) }
    }
    words.append(escaped(OneLine.title(of: todo)))
    marks += [
      ("due:", todo.due.map { DateWord.text($0, in: zone) }),
      ("t:", todo.start.map { DateWord.text($0, in: zone) }),
      repetition(todo.repetition),
      ("+", WordCode.name(todo.list)),
    ]
    marks += todo.tags.map { ("@", WordCode.name($0)) }
    marks += [
      ("assignee:", WordCode.name(todo.assignee)),
      ("uuid:", WordCode.text(todo.id)),
      ("parent:", WordCode.text(todo.parent)),
      ("note:", WordCode.text(todo.note)),
    ]
    words += marks.compactMap { mark in mark.value.map { mark.key + $0 } }
    return words.joined(separator: " ")
  }

  private static func escaped(_ title: String) -> String {
    let words = Bytes(title).split(separator: .space, omittingEmptySubsequences: false)
    let escaped = words.enumerated().map { index, word in
      isMark(word.drop { $0 == .backslash }, isFirst: index == 0) ? [.backslash] + word : word
    }
    return String(Array(escaped.joined(separator: [.space]))[...])
  }

  private static func letter(_ priority: PortableTodo.Priority) -> String {
    switch priority {
    case .high: "A"
    case .medium: "B"
    case .low: "C"
    }
  }

  private static func repetition(_ rule: String?) -> (key: String, value: String?) {
    guard let rule = rule.flatMap(Rule.cleaned) else { return ("rec:", nil) }
    guard let plain = Rule.plain(rule) else { return ("rrule:", WordCode.text(rule)) }
    let units: [Repetition.Unit: String] = [.day: "d", .week: "w", .month: "m", .year: "y"]
    return ("rec:", units[plain.unit].map { "\(plain.interval)\($0)" })
  }
}
