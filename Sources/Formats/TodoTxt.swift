public import Dates

/// The format of todo.txt, one todo a line: `(A) 2026-11-01 call Bob +home @phone due:2026-12-01`.
///
/// A word of a title that says something in todo.txt has a backslash before it, and one more if it begins with some already:
/// `\+x`, `\due:2026-01-01`, and as the first word also `\x`, `\(A)` and `\2026-01-01`. Every other backslash stands for itself.
public enum TodoTxt {
  /// Reads a file. A word that this does not know, or cannot read, stays in the title.
  /// - Parameter zone: where a time of day such as `due:2026-12-01T18:00` is meant; without one only its day is read.
  public static func read(_ text: String, zone: Zone? = nil) -> Reading {
    var reading = Reading()
    for (number, line) in Lines(text) where !line.isBlank {
      var unread: Set<String> = []
      if let todo = todo(line, zone, &unread) {
        reading.todos.append(todo)
        reading.leave(unread)
      } else {
        reading.broken.append(BrokenEntry(line: number, reason: Broken.noDescription))
      }
    }
    return reading
  }

  private static func todo(_ line: Bytes, _ zone: Zone?, _ unread: inout Set<String>) -> PortableTodo? {
    guard let line = OneLine.cleaned(line) else { return nil }
    var todo = PortableTodo(title: "")
    var rest = Bytes(line)
    if let x = word(rest), x.elementsEqual("x".utf8), x.count < rest.count {
      take(x, from: &rest)
      todo.state = .done
      takeDone(from: &rest, into: &todo)
    } else {
      takePriority(from: &rest, into: &todo)
      todo.created = takeDay(from: &rest).map(When.day)
    }
    var words: [Bytes] = []
    for (index, word) in rest.split(separator: .space, omittingEmptySubsequences: false).enumerated() {
      let plain = word.drop { $0 == .backslash }
      if plain.count < word.count {
        words.append(isMark(plain, isFirst: index == 0) ? word.dropFirst() : word)
      } else if let mark = TodoTxtMark(word, zone: zone), mark.apply(to: &todo) {
        continue
      } else {
        if let name = DateWord.unread(word, of: ["due", "t", "rec", "pri"]) { unread.insert(name) }
        words.append(word)
      }
    }
    guard let title = OneLine.cleaned(Array(words.joined(separator: [.space]))[...]) else { return nil }
    todo.title = title
    return todo
  }

  /// What a title cannot have as a word without a backslash before it.
  static func isMark(_ word: Bytes, isFirst: Bool) -> Bool {
    if TodoTxtMark(word, zone: nil) != nil { return true }
    return isFirst && (word.elementsEqual("x".utf8) || priority(word) != nil || DateWord.day(word) != nil)
  }

  /// After the `x` come the day on which it was done, the one on which it was created and, before or after them, a priority.
  private static func takeDone(from rest: inout Bytes, into todo: inout PortableTodo) {
    takePriority(from: &rest, into: &todo)
    todo.done = takeDay(from: &rest).map(When.day)
    if todo.done != nil { todo.created = takeDay(from: &rest).map(When.day) }
    if todo.priority == nil { takePriority(from: &rest, into: &todo) }
  }

  private static func takePriority(from rest: inout Bytes, into todo: inout PortableTodo) {
    guard let word = word(rest), let priority = priority(word) else { return }
    take(word, from: &rest)
    todo.priority = priority
  }

  private static func takeDay(from rest: inout Bytes) -> Day? {
    guard let word = word(rest), let day = DateWord.day(word) else { return nil }
    take(word, from: &rest)
    return day
  }

  /// `(A)`
  private static func priority(_ word: Bytes) -> PortableTodo.Priority? {
    guard word.count == 3, word.first == UInt8(ascii: "("), word.last == UInt8(ascii: ")") else { return nil }
    return TodoTxtMark.priority(word.dropFirst().dropLast())
  }

  private static func word(_ rest: Bytes) -> Bytes? {
    let word = rest.prefix { $0 != .space }
    return word.isEmpty ? nil : word
  }

  private static func take(_ word: Bytes, from rest: inout Bytes) {
    rest = rest[word.endIndex...].drop { $0 == .space }
  }
}
