import Dates

/// A word at the end of an item that says something about it: `due:2026-12-01`, `+tag`.
enum MarkdownMark {
  case tag(String)
  case assignee(String)
  case due(When)
  case done(When)
  case priority(PortableTodo.Priority)

  /// Nil for a word of the title.
  init?(_ word: Bytes, zone: Zone?) {
    guard let mark = Self.mark(word, zone) else { return nil }
    self = mark
  }

  private static func mark(_ word: Bytes, _ zone: Zone?) -> MarkdownMark? {
    if word.first == .plus { return WordCode.name(from: word.dropFirst()).map(MarkdownMark.tag) }
    if word.first == .at { return WordCode.name(from: word.dropFirst()).map(MarkdownMark.assignee) }
    guard let colon = word.firstIndex(of: .colon) else { return nil }
    let value = word[(colon + 1)...]
    switch String(word[..<colon]) {
    case "due": return DateWord.read(value, in: zone).map(MarkdownMark.due)
    case "done": return DateWord.read(value, in: zone).map(MarkdownMark.done)
    case "pri": return PortableTodo.Priority(rawValue: String(value)).map(MarkdownMark.priority)
    default: return nil
    }
  }

  /// False for what the todo has already: then the word stays in its title. Tags come in from the last to the first.
  func apply(to todo: inout PortableTodo) -> Bool {
    switch self {
    case .tag(let name): todo.tags.append(name)
    case .assignee(let name): return set(&todo.assignee, name)
    case .due(let when): return set(&todo.due, when)
    case .done(let when): return set(&todo.done, when)
    case .priority(let priority): return set(&todo.priority, priority)
    }
    return true
  }

  private func set<Value>(_ property: inout Value?, _ value: Value) -> Bool {
    guard property == nil else { return false }
    property = value
    return true
  }
}
