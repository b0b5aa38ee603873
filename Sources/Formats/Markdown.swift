public import Dates

/// Checklists in Markdown: headings are lists, nested items are parts, indented text is a note.
///
/// A backslash before punctuation takes its meaning away, as everywhere in Markdown: `\+x` and `due\:2026-01-01` at the end of an
/// item belong to its title. An item inside of a code block of fences that stands in no item is none.
public enum Markdown {
  /// Reads a file. Parts and what has them get an id of the line, such as `line-12`, which the next export will not keep.
  /// - Parameter zone: where a time of day such as `due:2026-12-01T18:00` is meant; without one only its day is read.
  public static func read(_ text: String, zone: Zone? = nil) -> Reading {
    var file = MarkdownFile(zone: zone)
    for (number, line) in Lines(text) { file.read(number, line) }
    return file.finished()
  }
}

/// What was read of a file so far.
private struct MarkdownFile {
  /// An item whose parts and note may follow. Broken ones have no todo.
  struct OpenItem {
    let indent: Int
    let todo: Int?
  }

  let zone: Zone?
  private var reading = Reading()
  private var list: String?
  /// The items that the next line may be a part of, each indented further than the one before.
  private var open: [OpenItem] = []
  private var fence: Bytes?
  /// The lines and the notes of the todos read.
  private var lines: [Int] = []
  private var notes: [[(indent: Int, text: Bytes)]] = []
  /// Empty lines since the last other one.
  private var blanks = 0

  init(zone: Zone?) { self.zone = zone }

  mutating func read(_ number: Int, _ line: Bytes) {
    let (indent, rest) = MarkdownLine.indent(line)
    if let fence {
      if closes(fence, rest) { self.fence = nil }
      return
    }
    switch MarkdownLine(rest) {
    case .blank: blanks += 1
    case .item(let state, let text): readItem(number, indent, state, text)
    case .heading(let name):
      close(to: indent)
      if open.isEmpty { list = name } else { readText(indent, rest) }
    case .plainItem:
      readText(indent, rest)
      if open.isEmpty { reading.leave(["items without a box"]) }
    case .text: readText(indent, rest)
    }
    if !rest.isEmpty { blanks = 0 }
  }

  private mutating func readItem(_ number: Int, _ indent: Int, _ state: PortableTodo.State, _ text: Bytes) {
    close(to: indent)
    guard var todo = todo(text, state) else {
      reading.broken.append(BrokenEntry(line: number, reason: Broken.noDescription))
      // Its parts are those of the item above, and its note is nobody's.
      open.append(OpenItem(indent: indent, todo: nil))
      return
    }
    todo.list = list
    if let whole = open.last(where: { $0.todo != nil })?.todo {
      todo.id = "line-\(number)"
      let id = "line-\(lines[whole])"
      reading.todos[whole].id = id
      todo.parent = id
    }
    open.append(OpenItem(indent: indent, todo: reading.todos.count))
    reading.todos.append(todo)
    lines.append(number)
    notes.append([])
  }

  /// Nil for an item without a title.
  private mutating func todo(_ text: Bytes, _ state: PortableTodo.State) -> PortableTodo? {
    var todo = PortableTodo(title: "")
    guard let line = OneLine.cleaned(text) else { return nil }
    var rest = Bytes(line)
    while !rest.isEmpty {
      let word = rest[((rest.lastIndex(of: .space) ?? rest.startIndex - 1) + 1)...]
      guard let mark = MarkdownMark(word, zone: zone), mark.apply(to: &todo) else {
        if let name = DateWord.unread(word, of: ["due", "done", "pri"]) { reading.leave([name]) }
        break
      }
      rest = rest[..<word.startIndex].trimmed
    }
    guard let title = OneLine.cleaned(MarkdownText.unescaped(rest)) else { return nil }
    todo.title = title
    todo.state = state
    if state != .done { todo.done = nil }
    todo.tags.reverse()
    return todo
  }

  private mutating func readText(_ indent: Int, _ rest: Bytes) {
    close(to: indent)
    guard let item = open.last else {
      fence = Self.fence(rest)
      return
    }
    guard let todo = item.todo else { return }
    if !notes[todo].isEmpty { notes[todo] += Array(repeating: (Int.max, Bytes()), count: blanks) }
    notes[todo].append((indent, rest))
  }

  /// Gives up the open items that a line with this indentation does not stand in.
  private mutating func close(to indent: Int) {
    while let last = open.last, last.indent + 2 > indent { open.removeLast() }
  }

  mutating func finished() -> Reading {
    for (index, note) in notes.enumerated() {
      guard let margin = note.lazy.map(\.indent).min() else { continue }
      let lines = note.map { indent, text in
        text.isEmpty ? "" : String(repeating: " ", count: indent - margin) + String(MarkdownText.unescaped(text))
      }
      reading.todos[index].note = lines.joined(separator: "\n")
    }
    return reading
  }

  /// The row of three or more backticks or tildes that begins a block of code.
  private static func fence(_ line: Bytes) -> Bytes? {
    guard let mark = line.first, mark == UInt8(ascii: "`") || mark == UInt8(ascii: "~") else { return nil }
    let row = line.prefix { $0 == mark }
    return row.count >= 3 ? row : nil
  }

  private func closes(_ fence: Bytes, _ line: Bytes) -> Bool {
    line.count >= fence.count && line.starts(with: fence) && line.trimmed.allSatisfy { $0 == fence.first }
  }
}
