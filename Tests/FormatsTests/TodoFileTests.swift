import Dates
import Formats
import Testing

/// Our own file.
@Suite struct TodoFileTests {
  /// Two thousand todos with everything that a file can hold.
  private func entries(_ seed: UInt64) -> [TodoFile.Entry] {
    var dice = Seeded(seed)
    return (0..<10).map { index in
      var todo = PortableTodo(title: dice.pick(Self.texts) + " \(index)")
      todo.id = dice.flip() ? "id-\(index)" : nil
      todo.list = dice.flip() ? dice.pick(Self.texts) : nil
      todo.parent = dice.flip() ? "id-0" : nil
      todo.state = dice.pick([.open, .done, .removed])
      todo.tags = dice.flip() ? ["a", "ü\"\\"] : []
      todo.priority = dice.flip() ? dice.pick(PortableTodo.Priority.allCases) : nil
      todo.due = dice.flip() ? .moment(Int64(dice.number(4_000_000_000_000)) - 1_000_000_000_000) : nil
      todo.start = dice.flip() ? Day(number: dice.number(40_000)).map { .day($0) } : nil
      todo.created = dice.flip() ? .moment(Int64(dice.number(2_000_000_000_000))) : nil
      todo.repetition = dice.flip() ? "FREQ=WEEKLY" : nil
      todo.assignee = dice.flip() ? dice.pick(Self.texts) : nil
      var entry = TodoFile.Entry(todo)
      entry.notes = dice.flip() ? [dice.pick(Self.texts), "b\nc"] : []
      entry.order = dice.flip() ? "0AbcDefGhij1" : nil
      entry.comments =
        dice.flip()
        ? [.init(time: Int64(dice.number(2_000_000_000_000)), text: "\u{1}", writer: dice.pick(Self.writers))] : []
      entry.noteWriters = entry.notes.isEmpty || dice.flip() ? [] : [dice.pick(Self.writers), dice.pick(Self.writers)]
      return entry
    }
  }

  private static let writers = [
    TodoFile.Writer(id: "w"), TodoFile.Writer(id: "w", viaID: "v"), TodoFile.Writer(id: nil),
  ]

  private static let texts = [
    "milk", "say \"hi\"", "back\\slash", "tab\there", "zero\u{0}", "שלום", "👩‍👩‍👧", "\u{7F}\u{85}", "{\"title\":\"x\"}",
    "a\r\nb",
  ]

  @Test func whatIsWrittenIsReadAndWrittenAgain() {
    for seed in 0..<200 as Range<UInt64> {
      let entries = entries(seed)
      let text = TodoFile.write(entries)
      let reading = TodoFile.read(text)
      #expect(reading.broken.isEmpty && reading.entries == entries)
      #expect(TodoFile.write(reading.entries) == text)
    }
    #expect(TodoFile.read(TodoFile.write([])).broken.isEmpty)
  }

  @Test(arguments: [
    ("", 1), ("{", 1), ("[]", 1), ("{}", 1), ("{\"todos\":[]}", 1), ("{\"format\":\"todo-2\",\"todos\":[]}", 1),
    ("{\"format\":\"todo-1\",\"todos\":[\n{\"title\":\"a\"},\n{\"note\":\"b\"}\n]}", 3),
    ("{\"format\":\"todo-1\",\"todos\":[\n{\"title\":\"a\",\n\"due\":\"soon\"}]}", 2),
    ("{\"format\":\"todo-1\",\"todos\":[\n\n{\"title\":\"a\",\"state\":\"lost\"}]}", 3),
    ("{\"format\":\"todo-1\",\"todos\":[]}x", 1), ("{\"format\":\"todo-1\",\n\"todos\":[{]}", 2),
    ("{\"format\":\"todo-1\",\"todos\":[{\"title\":\"a\",\"comments\":[{\"text\":\"b\"}]}]}", 1),
  ])
  func whatIsBrokenIsToldWithItsLine(text: String, line: Int) {
    #expect(TodoFile.read(text).broken.first?.line == line)
  }

  @Test func noFileIsTooMuch() {
    var dice = Seeded(9)
    let text = Array(TodoFile.write(entries(3)).utf8)
    for _ in 0..<3000 {
      var bytes = text
      for _ in 0...dice.number(3) {
        let index = dice.number(bytes.count)
        switch dice.number(4) {
        case 0: bytes.removeLast(bytes.count - index)
        case 1: bytes[index] = UInt8(dice.number(256))
        case 2: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 9)], at: index)
        default: bytes.remove(at: index)
        }
        if bytes.isEmpty { bytes = [0x7B] }
      }
      let reading = TodoFile.read(String(decoding: bytes, as: UTF8.self))
      let again = TodoFile.read(TodoFile.write(reading.entries))
      #expect(again.entries == reading.entries && again.broken.isEmpty)
    }
  }
}

extension Seeded {
  fileprivate mutating func flip() -> Bool { chance(50) }

  fileprivate mutating func number(_ limit: Int) -> Int { number(0..<limit) }
}
