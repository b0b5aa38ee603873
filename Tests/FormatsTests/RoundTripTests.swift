import Dates
import Testing

@testable import Formats

/// The formats behind one face.
struct Format: Sendable, CustomTestStringConvertible {
  let name: String
  let scope: Scope
  let read: @Sendable (String, Zone) -> Reading
  let write: @Sendable ([PortableTodo], Zone) -> String

  var testDescription: String { name }

  static let todoTxt = Format(
    name: "todo.txt", scope: .todoTxt, read: { TodoTxt.read($0, zone: $1) }, write: { TodoTxt.write($0, zone: $1) })
  static let taskwarrior = Format(
    name: "Taskwarrior", scope: .taskwarrior, read: { Taskwarrior.read($0, zone: $1) },
    write: { Taskwarrior.write($0, zone: $1) })
  static let iCalendar = Format(
    name: "iCalendar", scope: .iCalendar, read: { readCalendar($0, $1) },
    write: { todos, _ in ICalendar.write(todos, now: 1_780_000_000_000) })
  static let markdown = Format(
    name: "Markdown", scope: .todoTxt, read: { Markdown.read($0, zone: $1) }, write: { Markdown.write($0, zone: $1) })

  static let all = [todoTxt, taskwarrior, iCalendar, markdown]
}

@Suite struct RoundTripTests {
  @Test("what a format can say comes back the same", arguments: [Format.todoTxt, .taskwarrior, .iCalendar])
  func same(_ format: Format) throws {
    for seed in 0..<200 {
      let zone = TestZone.all[seed % 3]
      var random = RandomTodos(seed: UInt64(seed), scope: format.scope, zone: zone)
      let todos = random.todos(10)
      let text = format.write(todos, zone)
      let reading = format.read(text, zone)
      try #require(reading.broken == [])
      try #require(difference(reading.todos, todos) == nil, "seed \(seed)")
      try #require(format.write(reading.todos, zone).utf8.elementsEqual(text.utf8), "seed \(seed)")
    }
  }

  @Test("what a format cannot say is lost once, and never a todo", arguments: Format.all)
  func stable(_ format: Format) throws {
    for seed in 1000..<1200 {
      let zone = TestZone.all[seed % 3]
      var random = RandomTodos(seed: UInt64(seed), scope: .everything, zone: zone)
      let todos = random.todos(10)
      let text = format.write(todos, zone)
      let reading = format.read(text, zone)
      try #require(reading.broken == [])
      let kept = todos.filter { format.scope.states.contains($0.state) }
      try #require(Set(reading.todos.map(\.title)) == Set(kept.map(\.title)), "seed \(seed)")
      try #require(format.write(reading.todos, zone).utf8.elementsEqual(text.utf8), "seed \(seed)")
    }
  }

  @Test("a checklist with parts comes back the same")
  func sameMarkdown() throws {
    for seed in 0..<200 {
      let zone = TestZone.all[seed % 3]
      var random = RandomTodos(seed: UInt64(seed), scope: .todoTxt, zone: zone)
      let todos = checklist(&random)
      let text = Markdown.write(todos, zone: zone)
      let reading = Markdown.read(text, zone: zone)
      try #require(reading.broken == [])
      try #require(difference(placed(reading.todos), placed(todos)) == nil, "seed \(seed)")
      try #require(Markdown.write(reading.todos, zone: zone).utf8.elementsEqual(text.utf8), "seed \(seed)")
    }
  }

  @Test("titles that say nothing are still todos", arguments: Format.all)
  func untitled(_ format: Format) {
    for title in ["", " ", "\n", "\u{7}", "\u{FEFF}", "\u{2028}"] {
      let reading = format.read(format.write([PortableTodo(title: title)], .utc), .utc)
      #expect(reading.todos.map(\.title) == ["untitled"])
    }
  }

  @Test("control characters and line breaks become spaces", arguments: Format.all)
  func oneLine(_ format: Format) {
    let todo = PortableTodo(title: "\u{1B}[31ma\nb\r\nc\u{85}d\u{2028}e\u{0} ")
    let reading = format.read(format.write([todo], .utc), .utc)
    #expect(reading.todos.map(\.title) == ["[31ma b  c d e"])
  }

  /// Ten todos in the order of a checklist: without a list, then by list, each after the whole it is a part of.
  private func checklist(_ random: inout RandomTodos) -> [PortableTodo] {
    var todos: [PortableTodo] = []
    var path: [String] = []
    var lists: [String?] = [nil]
    for index in 0..<10 {
      var todo = random.todo(String(index))
      if random.seeded.chance(30), let name = todo.list, !lists.contains(name) {
        lists.append(name)
        path = []
      }
      path.removeLast(random.seeded.number(0..<path.count + 1))
      todo.id = "id \(index)"
      todo.parent = path.last
      todo.list = lists.last ?? nil
      todo.note = todo.note.flatMap(note)
      (todo.start, todo.created, todo.repetition) = (nil, nil, nil)
      path.append("id \(index)")
      todos.append(todo)
    }
    return todos
  }

  /// What Markdown can say: no empty lines at the ends, no space that all lines begin with, no carriage return.
  private func note(_ text: String) -> String? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.filter { !["\r", "\r\n", "\t"].contains($0) } }
      .map { $0.allSatisfy { $0 == " " } ? "" : String($0) }
    let kept = lines.drop(while: \.isEmpty).reversed().drop(while: \.isEmpty).reversed().joined(separator: "\n")
    return kept.isEmpty ? nil : kept
  }

  /// With places instead of ids, where there are parts.
  private func placed(_ todos: [PortableTodo]) -> [PortableTodo] {
    var places: [String: Int] = [:]
    for (index, todo) in todos.enumerated() { if let id = todo.id { places[id] = index } }
    let wholes = Set(todos.compactMap(\.parent))
    return todos.enumerated().map { index, todo in
      var placed = todo
      placed.id = todo.parent != nil || todo.id.map(wholes.contains) == true ? String(index) : nil
      placed.parent = todo.parent.flatMap { places[$0] }.map(String.init)
      return placed
    }
  }
}
