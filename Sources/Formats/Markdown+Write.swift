public import Dates

extension Markdown {
  /// How deep parts are indented: what is part of more stands beside the whole, and stays readable.
  private static let deepest = 64

  /// Writes a file: first what stands on no list, then each list under its heading, and parts below the whole whatever their list.
  ///
  /// Left out is what Markdown cannot say: removed todos, ids, start, creation, repetition and comments, and of the day of completion
  /// its time.
  /// - Parameter zone: where times of day are meant.
  public static func write(_ todos: [PortableTodo], zone: Zone) -> String {
    let tree = Tree(todos.filter { $0.state != .removed })
    var sections: [String?: [Int]] = [:]
    var names: [String?] = [nil]
    for root in tree.roots {
      let name = tree.todos[root].list.flatMap(OneLine.cleaned)
      if sections[name] == nil, name != nil { names.append(name) }
      sections[name, default: []].append(root)
    }
    var text = ""
    for name in names {
      guard let roots = sections[name] else { continue }
      if let name { text += (text.isEmpty ? "" : "\n") + "# \(MarkdownText.heading(name))\n\n" }
      for (index, depth) in tree.walk(from: roots) {
        write(tree.todos[index], indent: 2 * min(depth, deepest), zone, to: &text)
      }
    }
    return text
  }

  private static func write(_ todo: PortableTodo, indent: Int, _ zone: Zone, to text: inout String) {
    let marks: [(String, String?)] = [
      ("due:", todo.due.map { DateWord.text($0, in: zone) }),
      ("pri:", todo.priority?.rawValue),
      ("@", WordCode.name(todo.assignee)),
      ("done:", todo.state == .done ? todo.done.map { zone.day(of: $0).iso } : nil),
    ]
    var words = [todo.state == .done ? "- [x]" : "- [ ]", MarkdownText.title(OneLine.title(of: todo))]
    words += todo.tags.compactMap(WordCode.name).map { "+" + $0 }
    words += marks.compactMap { key, value in value.map { key + $0 } }
    let margin = String(repeating: " ", count: indent)
    text += margin + words.joined(separator: " ") + "\n"
    var blanks = ""
    var isFirst = true
    let lines = Lines(todo.note ?? "", isFile: false).map { MarkdownLine.indent(cleaned($0.bytes)) }
    // What all lines are indented would not come back.
    let common = lines.lazy.filter { !$0.rest.isEmpty }.map(\.columns).min() ?? 0
    for (columns, rest) in lines {
      if rest.isEmpty {
        blanks += "\n"
        continue
      }
      let space = margin + String(repeating: " ", count: columns - common + 2)
      text += (isFirst ? "" : blanks) + space + MarkdownText.note(rest) + "\n"
      (blanks, isFirst) = ("", false)
    }
  }

  private static func cleaned(_ line: Bytes) -> Bytes { Array(line.map { $0 == .carriageReturn ? .space : $0 })[...] }
}

/// Todos and their parts.
private struct Tree {
  let todos: [PortableTodo]
  /// In their order: what is part of nothing here, and of each circle of parts the first.
  private(set) var roots: [Int] = []
  private var parts: [[Int]]

  init(_ todos: [PortableTodo]) {
    self.todos = todos
    parts = Array(repeating: [], count: todos.count)
    var places: [String: Int] = [:]
    for (index, todo) in todos.enumerated() {
      if let id = todo.id, places[id] == nil { places[id] = index }
    }
    let wholes = todos.map { $0.parent.flatMap { places[$0] } }
    let ends = Self.ends(of: wholes)
    for (index, whole) in wholes.enumerated() {
      if let whole, !ends.contains(index) { parts[whole].append(index) } else { roots.append(index) }
    }
  }

  /// Where circles of parts are cut: at the first of each.
  private static func ends(of wholes: [Int?]) -> Set<Int> {
    var ends: Set<Int> = []
    var seen: [Int?] = Array(repeating: nil, count: wholes.count)
    for start in wholes.indices {
      var index: Int? = start
      while let place = index, seen[place] == nil {
        seen[place] = start
        index = wholes[place]
      }
      if let index, seen[index] == start { ends.insert(index) }
    }
    return ends
  }

  /// All below, each before its parts.
  func walk(from roots: [Int]) -> [(index: Int, depth: Int)] {
    var walk: [(index: Int, depth: Int)] = []
    var waiting = roots.reversed().map { (index: $0, depth: 0) }
    while let next = waiting.popLast() {
      walk.append(next)
      waiting += parts[next.index].reversed().map { (index: $0, depth: next.depth + 1) }
    }
    return walk
  }
}
