import Dates
import Testing

@testable import Formats

@Suite struct MarkdownTests {
  @Test("a checklist means the same in both directions")
  func both() {
    let text = """
      - [ ] alone

      # Groceries \\#

      - [ ] milk +corner_shop +b due:2026-12-01 pri:high @ada
        two litres

          \\- [ ] not a part
        1\\. [x] nor this
        - an ordinary item
        # no heading
      - [x] cake done:2026-11-20
        - [ ] flour due:2026-12-01T18:00
          - [ ] fine
        - [ ] eggs pri:low

      # Home

      - [ ] a +x \\+y
      - [ ] b due\\:2026-01-01 pri:medium
      - [ ] c \\\\* \\ \\a [x] - [ ] # \\@d

      """
    let reading = Markdown.read(text, zone: TestZone.summer)
    let note = "two litres\n\n  - [ ] not a part\n1. [x] nor this\n- an ordinary item\n# no heading"
    let expected = [
      todo("alone"),
      todo("milk") {
        ($0.list, $0.note, $0.tags) = ("Groceries #", note, ["corner shop", "b"])
        ($0.due, $0.priority, $0.assignee) = (day("12-01"), .high, "ada")
      },
      todo("cake") { ($0.list, $0.state, $0.done, $0.id) = ("Groceries #", .done, day("11-20"), "line-12") },
      todo("flour") {
        ($0.list, $0.id, $0.parent, $0.due) = ("Groceries #", "line-13", "line-12", moment("20261201T170000Z"))
      },
      todo("fine") { ($0.list, $0.id, $0.parent) = ("Groceries #", "line-14", "line-13") },
      todo("eggs") { ($0.list, $0.id, $0.parent, $0.priority) = ("Groceries #", "line-15", "line-12", .low) },
      todo("a +x +y") { $0.list = "Home" },
      todo("b due:2026-01-01") { ($0.list, $0.priority) = ("Home", .medium) },
      todo("c \\* \\ \\a [x] - [ ] # @d") { $0.list = "Home" },
    ]
    #expect(reading == Reading(todos: expected))
    #expect(Markdown.write(reading.todos, zone: TestZone.summer) == text)
  }

  private static let foreignFiles: [(String, [PortableTodo])] = [
    ("", []),
    (
      "just text\n\n- an item\n* [link](x)\n- [yes] no\n-[ ] no\n- [ ]no\n1.[ ] no\n12345678901. [ ] no\n> - [ ] quoted",
      []
    ),
    (
      "* [ ] a\n+ [x] b\n1. [X] c\n2) [ ] d",
      [todo("a"), todo("b") { $0.state = .done }, todo("c") { $0.state = .done }, todo("d")]
    ),
    ("\u{FEFF}- [ ] **a** `b_c` \\_d\r\n", [todo("**a** `b_c` _d")]),
    ("- [ ] a\ttab", [todo("a tab")]),
    (
      "# A ##\n- [ ] a\n## B\n- [ ] b\n### C\n- [ ] c\n#D\n- [ ] d\n#\n- [ ] e",
      [
        todo("a") { $0.list = "A" }, todo("b") { $0.list = "B" }, todo("c") { $0.list = "C" },
        todo("d") { $0.list = "C" },
        todo("e"),
      ]
    ),
    (
      "- [ ] a\n\n    deep\n      deeper\n\n\n    again\n\ntext\n    no note",
      [todo("a") { $0.note = "deep\n  deeper\n\n\nagain" }]
    ),
    (
      "- [ ] a\n\t- [ ] b\n\t\tnote of b\n  note of a",
      [
        todo("a") { ($0.id, $0.note) = ("line-1", "note of a") },
        todo("b") { ($0.id, $0.parent, $0.note) = ("line-2", "line-1", "note of b") },
      ]
    ),
    ("- [ ] a\n - [ ] b\n- text\n  - [ ] c", [todo("a"), todo("b"), todo("c")]),
    ("```\n- [ ] code\n# code\n````\n- [ ] a", [todo("a")]),
    ("~~~ swift\n```\n- [ ] code", []),
    ("- [ ] a\n  ```\n  code\n  ```\n- [ ] b", [todo("a") { $0.note = "```\ncode\n```" }, todo("b")]),
    ("- [ ] due:2026-01-01 a @b @c", [todo("due:2026-01-01 a @b") { $0.assignee = "c" }]),
    ("- [ ] a done:2026-01-01 due:2026-13-01", [todo("a done:2026-01-01 due:2026-13-01")]),
    ("- [ ] a done:2026-01-01", [todo("a")]),
    (
      "- [/] a\n- [-] b\n- [>] c\n- [?] d\n- [!] e\n- [] f\n- [~] g",
      ["a", "b", "c", "d", "e", "f", "g"].map { title in todo(title) { $0.state = title == "b" ? .removed : .open } }
    ),
  ]

  @Test("items without a box are left out and counted, unless they stand in the note of one")
  func plainItems() {
    let reading = Markdown.read("- a\n* b\n1. c\n- [ ] d\n  - e\n-f\n12345678901. g\n")
    #expect(reading.todos == [todo("d") { $0.note = "- e" }])
    #expect(reading.left == ["items without a box": 3])
  }

  @Test("files that people write read naturally", arguments: foreignFiles)
  func foreign(_ text: String, _ todos: [PortableTodo]) { #expect(Markdown.read(text).todos == todos) }

  @Test("without a zone a time of day is only a day")
  func noZone() { #expect(Markdown.read("- [ ] a due:2026-12-01T18:00").todos.first?.due == day("12-01")) }

  @Test("an item without a title is broken, and its parts are those of the item above")
  func broken() {
    let reading = Markdown.read("# A\n- [ ]\n- [ ] a\n  - [x] +b\n    a note\n    - [ ] c\n  - [ ] \u{7}\n")
    #expect(reading.broken == [2, 4, 7].map { BrokenEntry(line: $0, reason: "the task has no description") })
    #expect(reading.todos.map(\.title) == ["a", "c"])
    #expect(reading.todos.map(\.id) == ["line-3", "line-6"])
    #expect(reading.todos.map(\.parent) == [nil, "line-3"])
    #expect(reading.todos.map(\.note) == [nil, nil])
  }

  @Test("lists are put together, and parts stand below the whole")
  func order() {
    func item(_ title: String, _ parent: String?, _ list: String?) -> PortableTodo {
      todo(title) { ($0.id, $0.parent, $0.list) = (title, parent, list) }
    }
    let todos = [
      item("a", nil, "A"), item("b", nil, "B"), item("c", "d", nil), item("d", "a", "B"), item("e", nil, nil),
      item("f", "gone", "A"), todo("gone") { ($0.id, $0.state) = ("gone", .removed) },
    ]
    #expect(
      Markdown.write(todos, zone: .utc)
        == "- [ ] e\n\n# A\n\n- [ ] a\n  - [ ] d\n    - [ ] c\n- [ ] f\n\n# B\n\n- [ ] b\n")
  }

  @Test("a note of which every line is indented comes back without what they share")
  func indentedNotes() throws {
    let text = Markdown.write([todo("a") { $0.note = "  two\n    four" }], zone: .utc)
    #expect(text == "- [ ] a\n  two\n    four\n")
    #expect(Markdown.write(Markdown.read(text, zone: .utc).todos, zone: .utc) == text)
  }

  @Test("todos that are parts of each other are all written once")
  func circles() {
    let parents = ["b", "c", "a", "d", "a", "e"]
    let todos = zip(["a", "b", "c", "d", "e", "f"], parents).map { id, parent in
      todo(id) { ($0.id, $0.parent) = (id, parent) }
    }
    #expect(
      Markdown.write(todos, zone: .utc)
        == "- [ ] a\n  - [ ] c\n    - [ ] b\n  - [ ] e\n    - [ ] f\n- [ ] d\n")
  }
}
