import Dates
import Testing

@testable import Formats

@Suite struct TodoTxtTests {
  private static let bothWays: [(String, PortableTodo)] = [
    ("milk", todo("milk")),
    ("(A) milk", todo("milk") { $0.priority = .high }),
    ("(B) 2026-11-01 milk", todo("milk") { ($0.priority, $0.created) = (.medium, day("11-01")) }),
    ("x milk", todo("milk") { $0.state = .done }),
    ("x 2026-11-20 milk", todo("milk") { ($0.state, $0.done) = (.done, day("11-20")) }),
    ("x milk created:2026-11-01", todo("milk") { ($0.state, $0.created) = (.done, day("11-01")) }),
    (
      "x 2026-11-20 2026-11-01 milk pri:A",
      todo("milk") { ($0.state, $0.done, $0.created, $0.priority) = (.done, day("11-20"), day("11-01"), .high) }
    ),
    ("milk due:2026-12-01 t:2026-11-30", todo("milk") { ($0.due, $0.start) = (day("12-01"), day("11-30")) }),
    ("milk due:2026-12-01T18:00", todo("milk") { $0.due = moment("20261201T170000Z") }),
    ("milk rec:1w", todo("milk") { $0.repetition = "FREQ=WEEKLY" }),
    ("milk rec:3m", todo("milk") { $0.repetition = "FREQ=MONTHLY;INTERVAL=3" }),
    ("milk rrule:FREQ=WEEKLY;BYDAY=MO,TH", todo("milk") { $0.repetition = "FREQ=WEEKLY;BYDAY=MO,TH" }),
    (
      "milk +at_home @corner_shop @a%5Fb%25",
      todo("milk") { ($0.list, $0.tags) = ("at home", ["corner shop", "a_b%"]) }
    ),
    (
      "milk assignee:Ada_L uuid:7 parent:a%20b",
      todo("milk") { ($0.assignee, $0.id, $0.parent) = ("Ada L", "7", "a b") }
    ),
    ("milk note:one%0A%20two_%25", todo("milk") { $0.note = "one\n two_%" }),
    ("\\+x is \\@y in \\due:2026-01-01", todo("+x is @y in due:2026-01-01")),
    ("\\x is done", todo("x is done")),
    ("\\(A) is a grade", todo("(A) is a grade")),
    ("(A) \\(B) is a grade", todo("(B) is a grade") { $0.priority = .high }),
    ("\\2026-01-01 was a Thursday", todo("2026-01-01 was a Thursday")),
    ("\\\\+x \\a \\\\ + @ C:\\x", todo("\\+x \\a \\\\ + @ C:\\x")),
    ("a  b x (A) 2026-01-01", todo("a  b x (A) 2026-01-01")),
  ]

  @Test("lines mean the same in both directions", arguments: bothWays)
  func both(_ line: String, _ todo: PortableTodo) {
    #expect(TodoTxt.read(line + "\n", zone: TestZone.summer) == Reading(todos: [todo]))
    #expect(TodoTxt.write([todo], zone: TestZone.summer) == line + "\n")
  }

  private static let foreignLines: [(String, PortableTodo)] = [
    (
      "(Z) call @phone Bob +family +home",
      todo("call Bob") { ($0.priority, $0.list, $0.tags) = (.low, "family", ["phone", "home"]) }
    ),
    (
      "x 2026-11-20 2026-11-01 (A) milk",
      todo("milk") {
        ($0.state, $0.done, $0.created, $0.priority) = (.done, day("11-20"), day("11-01"), .high)
      }
    ),
    ("x (C) 2026-11-20 milk", todo("milk") { ($0.state, $0.done, $0.priority) = (.done, day("11-20"), .low) }),
    ("2026-11-01 (A) milk", todo("(A) milk") { $0.created = day("11-01") }),
    ("X milk", todo("X milk")),
    ("xylophone", todo("xylophone")),
    ("(a) milk", todo("(a) milk")),
    ("(A)milk", todo("(A)milk")),
    ("mail bob@example.org 1+1", todo("mail bob@example.org 1+1")),
    ("see https://example.org:80/ at 18:00 due:tomorrow", todo("see https://example.org:80/ at 18:00 due:tomorrow")),
    (
      "milk due:2026-02-30 rec:1b due:2026-12-01 due:2026-12-02",
      todo("milk due:2026-02-30 rec:1b due:2026-12-02") {
        $0.due = day("12-01")
      }
    ),
    ("milk rec:+2d", todo("milk") { $0.repetition = "FREQ=DAILY;INTERVAL=2" }),
    ("milk\t+home\r", todo("milk") { $0.list = "home" }),
    ("\u{FEFF}milk +100%", todo("milk") { $0.list = "100%" }),
  ]

  @Test("files of other programs read naturally", arguments: foreignLines)
  func foreign(_ line: String, _ todo: PortableTodo) {
    let reading = TodoTxt.read(line)
    #expect(reading.todos == [todo] && reading.broken.isEmpty)
  }

  @Test("what seems to say something and stays in the title is named")
  func unread() {
    let reading = TodoTxt.read(
      "milk due:2026-02-30 rec:1b due:2026-12-01 at:home\nbread due:2026-02-30\njam \\due:tomorrow")
    #expect(reading.left == ["what 'due:2026-02-30' says": 2, "what 'rec:1b' says": 1])
  }

  @Test("without a zone a time of day is only a day")
  func noZone() { #expect(TodoTxt.read("milk due:2026-12-01T18:00").todos.first?.due == day("12-01")) }

  @Test("lines without a description are broken, empty ones are not")
  func broken() {
    let reading = TodoTxt.read("milk\n\n  \nx 2026-11-20\n(A)\n+home @shop\n\u{7}\nbread\nx due:2026-01-01")
    #expect(reading.todos.map(\.title) == ["milk", "(A)", "bread"].filter { $0 != "(A)" })
    #expect(reading.broken == [4, 5, 6, 7, 9].map { BrokenEntry(line: $0, reason: "the task has no description") })
  }

  @Test("what todo.txt cannot say is left out")
  func leftOut() {
    let removed = todo("gone") { $0.state = .removed }
    let commented = todo("milk") { $0.comments = [PortableTodo.Comment(time: 0, text: "hm")] }
    #expect(TodoTxt.write([removed, commented], zone: .utc) == "milk\n")
  }
}
