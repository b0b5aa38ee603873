import Dates

/// A word of todo.txt that says something about the todo: `+project`, `due:2026-12-01`.
enum TodoTxtMark {
  case project(String)
  case context(String)
  case due(When)
  case start(When)
  case priority(PortableTodo.Priority)
  case repetition(String)
  case id(String)
  case parent(String)
  case assignee(String)
  case note(String)
  case created(Day)

  /// Nil for a word of the title.
  init?(_ word: Bytes, zone: Zone?) {
    if word.first == .plus || word.first == .at {
      guard let name = WordCode.name(from: word.dropFirst()) else { return nil }
      self = word.first == .plus ? .project(name) : .context(name)
      return
    }
    guard let colon = word.firstIndex(of: .colon),
      let mark = Self.mark(String(word[..<colon]), word[(colon + 1)...], zone)
    else { return nil }
    self = mark
  }

  private static func mark(_ key: String, _ value: Bytes, _ zone: Zone?) -> TodoTxtMark? {
    switch key {
    case "due": DateWord.read(value, in: zone).map(TodoTxtMark.due)
    case "t": DateWord.read(value, in: zone).map(TodoTxtMark.start)
    case "pri": priority(value).map(TodoTxtMark.priority)
    case "rec": repetition(value).map { .repetition($0.rule) }
    case "rrule": WordCode.text(from: value).flatMap(Rule.cleaned).map(TodoTxtMark.repetition)
    case "uuid": WordCode.text(from: value).map(TodoTxtMark.id)
    case "parent": WordCode.text(from: value).map(TodoTxtMark.parent)
    case "assignee": WordCode.name(from: value).map(TodoTxtMark.assignee)
    case "note": WordCode.text(from: value).map(TodoTxtMark.note)
    case "created": DateWord.day(value).map(TodoTxtMark.created)
    default: nil
    }
  }

  /// `A` is high, `B` medium and every other letter low.
  static func priority(_ letter: Bytes) -> PortableTodo.Priority? {
    guard letter.count == 1, let first = letter.first, first.isUppercase else { return nil }
    return first == UInt8(ascii: "A") ? .high : first == UInt8(ascii: "B") ? .medium : .low
  }

  /// `2w`; a plus before it, which asks to count from the last date, changes nothing here.
  private static func repetition(_ value: Bytes) -> Repetition? {
    let plain = value.first == .plus ? value.dropFirst() : value
    guard let count = plain.dropLast().number else { return nil }
    let units: [UInt8: Repetition.Unit] = [
      UInt8(ascii: "d"): .day, UInt8(ascii: "w"): .week, UInt8(ascii: "m"): .month, UInt8(ascii: "y"): .year,
    ]
    return plain.last.flatMap { units[$0] }.flatMap { Repetition(every: count, $0) }
  }

  /// False for what the todo has already: then the word stays in its title.
  func apply(to todo: inout PortableTodo) -> Bool {
    switch self {
    case .project(let name) where todo.list == nil: todo.list = name
    case .project(let name), .context(let name): todo.tags.append(name)
    case .due(let when): return set(&todo.due, when)
    case .start(let when): return set(&todo.start, when)
    case .priority(let priority): return set(&todo.priority, priority)
    case .repetition(let rule): return set(&todo.repetition, rule)
    case .id(let id): return set(&todo.id, id)
    case .parent(let id): return set(&todo.parent, id)
    case .assignee(let name): return set(&todo.assignee, name)
    case .note(let text): return set(&todo.note, text)
    case .created(let day): return set(&todo.created, .day(day))
    }
    return true
  }

  private func set<Value>(_ property: inout Value?, _ value: Value) -> Bool {
    guard property == nil else { return false }
    property = value
    return true
  }
}
