import Foundation
import Testing

/// Fifty todos go to Debian's `task`, and come back as they were.
@Suite struct TaskwarriorTests {
  /// What the command line, JSON or Taskwarrior's own syntax could take for something else.
  private static let titles = [
    "milk", "say \"hi\" \\ twice", "it's 50% off & <b>", "ünïcode ñandú 日本語", "👨‍👩‍👧 family 🎉", "-v leading dash",
    "--help me", "project:home is a title", "due:tomorrow is one", "pri:H +tag @bob", "call bob@example.org",
    "https://example.org/?q=1&b=%20#top", "(A) done x", "x 2026-01-01 mark", "a; b, c: d", "two  spaces",
    "$HOME `id` $(id)", "[brackets] {braces}", "/slash/regex/", "rc.data.location=nowhere", "uuid:1", "1", "*",
    "# heading", "שלום مرحبا",
  ]

  private static let rules = [
    "FREQ=DAILY", "FREQ=WEEKLY;INTERVAL=2", "FREQ=MONTHLY", "FREQ=YEARLY", "FREQ=WEEKLY;BYDAY=MO,TH",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=MONTHLY;BYMONTHDAY=15",
  ]

  /// As our own file says them, without what all have.
  private static var todos: [[String: Any]] {
    titles.map { ["title": $0] } + rules.map { ["title": "every \($0)", "repeat": $0, "due": "2099-06-15"] }
      + ["high", "medium", "low"].map { ["title": "priority \($0)", "priority": $0] }
      + [
        ["title": "a note", "notes": ["one\ntwo\n\n  three: \"q\" \\ \t tab\n- [ ] x"]],
        ["title": "tags", "tags": ["a", "home-work", "x.y", "ü"]],
        ["title": "due on a day", "due": "2099-02-03"],
        ["title": "due at a time", "due": "2099-02-03T10:30:00.000Z"],
        ["title": "not before a day", "start": "2099-01-01", "due": "2099-02-01"],
        ["title": "not before a time", "start": "2099-01-01T07:00:00.000Z"],
        ["title": "done", "state": "done", "done": "2026-11-20T10:00:00.000Z"],
        [
          "title": "done early", "state": "done", "done": "2026-11-20T10:00:00.000Z", "due": "2026-11-21",
          "priority": "high", "tags": ["z"],
        ],
        ["title": "whole", "list": "Work: \"odd\"", "id": id(1000)],
        ["title": "part", "list": "Work: \"odd\"", "id": id(1001), "parent": id(1000)],
        ["title": "part of a part", "list": "Work: \"odd\"", "parent": id(1001)],
        [
          "title": "part that is done", "list": "Work: \"odd\"", "parent": id(1000), "state": "done",
          "done": "2026-11-22T10:00:00.000Z",
        ],
        ["title": "list: with points", "list": "a.b.c"],
        [
          "title": "comments",
          "comments": [
            ["time": "2026-11-10T10:00:00.000Z", "text": "first"],
            ["time": "2026-11-11T10:00:00.000Z", "text": "second: \"x\"\nwith a line"],
          ],
        ],
        [
          "title": "everything", "due": "2099-05-05T05:05:00.000Z", "start": "2099-04-04", "priority": "low",
          "tags": ["q", "r"], "notes": ["n"], "repeat": "FREQ=WEEKLY",
        ],
      ]
  }

  /// 26 letters of base 32, of which Taskwarrior makes a UUID.
  private static func id(_ number: Int) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String(repeating: "a", count: 18) + String([10, 5, 0].map { letters[number >> $0 & 31] }) + "aaaaa"
  }

  @Test(arguments: ["UTC", "America/New_York"]) func fiftyTodosComeBackAsTheyWere(zone: String) async throws {
    try await onThread {
      let stage = try Stage()
      defer { try? stage.clear() }
      func run(_ command: String, as person: String) throws {
        let environment = "TZ=\(zone) TASKDATA=task TASKRC=taskrc"
        let program = try Program("export \(environment); \(command)", as: person, in: stage.folder)
        let lines = program.lines(after: .seconds(60)) { _ in false }
        try #require(program.exit == 0, "\(command): \(lines)")
      }
      let there = try Program("command -v task", as: "somebody", in: stage.folder).exit
      try #require(there == 0, "Taskwarrior is not here: install Debian's package taskwarrior (make setup-crash)")
      let start = Self.todos.enumerated().map { index, todo in
        let time = "2026-11-01T08:\(index + 10):00.000Z"
        return ["id": Self.id(index), "list": "Home", "created": time].merging(todo) { $1 }
      }
      #expect(start.count == 50)
      let file = try JSONSerialization.data(withJSONObject: ["format": "todo-1", "todos": start])
      try file.write(to: stage.folder.appending(path: "start.json"))
      try run("mkdir task && echo confirmation=no > taskrc && todo import start.json", as: "alice")
      try run("todo export before.json && todo export --format taskwarrior | task import -", as: "alice")
      try run("task export > back.json", as: "alice")
      try run("todo import back.json && todo export after.json", as: "bob")
      let (before, after) = (
        try Self.todos(of: stage.folder.appending(path: "before.json")),
        try Self.todos(of: stage.folder.appending(path: "after.json"))
      )
      #expect(before.count == 50 && after.count == 50)
      for (id, todo) in before { #expect(after[id] == todo) }
    }
  }

  /// The todos of our own file, by their ids.
  private static func todos(of file: URL) throws -> [String: NSDictionary] {
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
    let todos = try #require(object?["todos"] as? [[String: Any]])
    return Dictionary(todos.map { ($0["id"] as? String ?? "", $0 as NSDictionary) }) { first, _ in first }
  }
}
