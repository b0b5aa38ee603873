import Dates
import Testing

@testable import Formats

@Suite struct TaskwarriorTests {
  private let zone = TestZone.summer

  @Test("a whole task means the same in both directions")
  func both() {
    let whole = todo("say \"hi\"") {
      ($0.id, $0.parent, $0.list, $0.note) = ("7", "6", "home", "one\n\\two\u{1}")
      ($0.tags, $0.priority, $0.assignee, $0.repetition) = (["a", "b"], .high, "ada", "FREQ=WEEKLY;INTERVAL=2")
      ($0.due, $0.start, $0.created) = (day("12-01"), moment("20261130T120000Z"), day("07-01"))
      $0.comments = [PortableTodo.Comment(time: milliseconds("20261101T000001Z"), text: "ü")]
    }
    let text = """
      [
      {"uuid":"7","status":"recurring","description":"say \\"hi\\"","project":"home","priority":"H",\
      "due":"20261130T230000Z","wait":"20261130T120000Z","entry":"20260630T220000Z","recur":"2weeks","assignee":"ada",\
      "partof":"6","note":"one\\n\\\\two\\u0001","tags":["a","b"],\
      "annotations":[{"entry":"20261101T000001Z","description":"ü"}]}
      ]

      """
    #expect(Taskwarrior.write([whole], zone: zone) == text)
    #expect(Taskwarrior.read(text, zone: zone) == Reading(todos: [whole]))
    #expect(Taskwarrior.write([], zone: zone) == "[]\n")
    #expect(Taskwarrior.read("[]", zone: zone) == Reading())
  }

  private static let objects: [(String, PortableTodo)] = [
    (#""status":"pending""#, todo("a")),
    (#""status":"waiting","wait":"20261201T120000Z""#, todo("a") { $0.start = moment("20261201T120000Z") }),
    (#""scheduled":"2026-12-01T12:00:00Z""#, todo("a") { $0.start = moment("20261201T120000Z") }),
    (#""scheduled":"20261201T120000Z","wait":"20261202T120000Z""#, todo("a") { $0.start = moment("20261202T120000Z") }),
    (
      #""status":"completed","end":"20261201T120000Z""#,
      todo("a") { ($0.state, $0.done) = (.done, moment("20261201T120000Z")) }
    ),
    (#""status":"deleted""#, todo("a") { $0.state = .removed }),
    (#""status":"pending","end":"20261201T120000Z""#, todo("a")),
    (
      #""status":"recurring","recur":"weekly","due":"20261130T230000Z""#,
      todo("a") {
        ($0.repetition, $0.due) = ("FREQ=WEEKLY", day("12-01"))
      }
    ),
    (#""status":"pending","recur":"weekly","parent":"1""#, todo("a") { $0.repetition = "FREQ=WEEKLY" }),
    (#""status":"completed","recur":"weekly","parent":"1""#, todo("a") { $0.state = .done }),
    (#""recur":"weekly","rrule":"FREQ=DAILY;COUNT=3""#, todo("a") { $0.repetition = "FREQ=DAILY;COUNT=3" }),
    (#""priority":"M","id":1,"urgency":-2.5e1,"depends":["x"],"x":null,"y":true"#, todo("a") { $0.priority = .medium }),
    (#""priority":"L","tags":[],"project":"","note":"""#, todo("a") { $0.priority = .low }),
    (#""project":"\u00fc\ud83c\udf89\ud800\/\b""#, todo("a") { $0.list = "ü🎉\u{FFFD}/" }),
    (
      #""annotations":[{"description":"hm"},{"entry":"20261201T120000Z"},3]"#,
      todo("a") {
        $0.comments = [PortableTodo.Comment(time: nil, text: "hm")]
      }
    ),
  ]

  @Test("fields of other exports", arguments: objects)
  func fields(_ fields: String, _ todo: PortableTodo) {
    let reading = Taskwarrior.read("{\"description\":\"a\", \(fields)}", zone: zone)
    #expect(reading.todos == [todo] && reading.broken == [])
  }

  @Test(
    "what cannot be kept is counted",
    arguments: [
      (#""depends":["x"]"#, ["depends": 1]), (#""due":"soon","entry":"00001231T000000Z""#, ["due": 1, "entry": 1]),
      (#""recur":"6hours""#, ["recur 6hours": 1]),
      (#""recur":"weekly","until":"20270101T000000Z""#, ["recur weekly": 1, "until": 1]),
      (#""wait":"20261201T120000Z","scheduled":"20261201T120000Z""#, ["scheduled": 1]),
      (#""estimate":1,"start":"20261201T120000Z""#, ["estimate": 1, "start": 1]),
      (#""priority":"OMG""#, ["priority": 1]),
      (#""id":1,"urgency":2,"modified":"x""#, [:]),
    ])
  func left(_ fields: String, _ left: [String: Int]) {
    #expect(Taskwarrior.read("{\"description\":\"a\", \(fields)}", zone: zone).left == left)
  }

  @Test(
    "a template and what it has made are one todo that comes back, due when the first of them is",
    arguments: [true, false])
  func series(isFirst: Bool) {
    let template = #"{"uuid":"t","status":"recurring","description":"a","recur":"monthly","due":"20260930T230000Z"}"#
    let made = [("1", "completed", "20260930"), ("3", "pending", "20261130"), ("2", "pending", "20261031")].map {
      id, status, day in
      #"{"uuid":"\#(id)","status":"\#(status)","description":"a","recur":"monthly","due":"\#(day)T230000Z","parent":"t","annotations":[{"description":"on \#(id)"}]}"#
    }
    let lines = isFirst ? [template] + made : made + [template]
    let todos = Taskwarrior.read("[\(lines.joined(separator: ",\n"))]", zone: zone).todos
    #expect(todos.count == 2)
    let (open, done) = (todos.first { $0.state == .open }, todos.first { $0.state == .done })
    #expect(open?.id == "t" && open?.repetition == "FREQ=MONTHLY" && open?.due == day("11-01"))
    #expect(done?.id == "1" && done?.repetition == nil)
    #expect(open?.comments.map(\.text) == ["on 2", "on 3"])
    // Without the template the first one comes back.
    let alone = Taskwarrior.read("[\(made.joined(separator: ",\n"))]", zone: zone).todos
    #expect(alone.filter { $0.repetition != nil }.map(\.id) == ["2"])
  }

  @Test("one of a series with words of its own stays, and so does each where the rule cannot be kept")
  func ownWords() {
    func template(_ recur: String) -> String {
      "{\"uuid\":\"t\",\"status\":\"recurring\",\"description\":\"rent\",\"recur\":\"\(recur)\",\"due\":\"20261001T000000Z\"}"
    }
    let made = ["rent", "rent for Ada"].enumerated().map { index, title in
      "{\"uuid\":\"\(index)\",\"status\":\"pending\",\"description\":\"\(title)\",\"recur\":\"monthly\",\"due\":\"20261\(index)01T000000Z\",\"parent\":\"t\"}"
    }
    func ids(_ recur: String) -> [String?] {
      Taskwarrior.read("[\(([template(recur)] + made).joined(separator: ","))]", zone: zone).todos.map(\.id)
    }
    #expect(ids("monthly") == ["t", "1"])
    #expect(ids("6hours") == ["0", "1"])
  }

  @Test(
    "a file of tasks is known by what it holds",
    arguments: [
      (" \n[]", true), (#"{"uuid":"1","description":"a"}"#, true), (#"{"format":"todo-1","todos":[]}"#, false),
      ("", false),
      ("milk", false),
    ])
  func likely(_ text: String, _ isLikely: Bool) { #expect(Taskwarrior.isLikely(text) == isLikely) }

  private static let recurrences = [
    "daily": "FREQ=DAILY", "3d": "FREQ=DAILY;INTERVAL=3", "weekly": "FREQ=WEEKLY", "2wks": "FREQ=WEEKLY;INTERVAL=2",
    "biweekly": "FREQ=WEEKLY;INTERVAL=2", "monthly": "FREQ=MONTHLY", "quarterly": "FREQ=MONTHLY;INTERVAL=3",
    "2q": "FREQ=MONTHLY;INTERVAL=6", "yearly": "FREQ=YEARLY", "P2W": "FREQ=WEEKLY;INTERVAL=2", "P1Y": "FREQ=YEARLY",
    "weekdays": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "4h": nil, "0d": nil, "99999999999999999999d": nil, "P": nil,
    "P1DT1H": nil,
    "often": nil, "ü": nil,
  ]

  @Test("how often", arguments: recurrences)
  func recurrence(_ recur: String, _ rule: String?) { #expect(TaskRecurrence.rule(recur) == rule) }

  @Test("what recur cannot say stands in rrule")
  func rule() {
    let written = Taskwarrior.write([todo("a") { $0.repetition = "FREQ=DAILY" }], zone: .utc)
    #expect(written.contains(#""status":"pending","description":"a","rrule":"FREQ=DAILY""#))
    let monthly = todo("a") { ($0.repetition, $0.due) = ("FREQ=MONTHLY;BYMONTHDAY=31", day("01-31")) }
    #expect(Taskwarrior.write([monthly], zone: .utc).contains(#""rrule":"FREQ=MONTHLY;BYMONTHDAY=31""#))
  }

  @Test("a comment without a time gets that of its todo")
  func commentTime() {
    let commented = todo("a") {
      ($0.created, $0.comments) = (day("12-01"), [PortableTodo.Comment(time: nil, text: "hm")])
    }
    #expect(Taskwarrior.write([commented], zone: .utc).contains(#"{"entry":"20261201T000000Z","description":"hm"}"#))
  }

  private static let good = #"{"description":"a"}"#

  private static let files: [(String, Int, [Int])] = [
    ("", 0, []),
    (" \n", 0, []),
    ("\u{FEFF}[\(good)]", 1, []),
    ("\(good)\n\(good)\r\n\(good)", 3, []),
    ("[\(good),\n\(good),\n]", 2, []),
    ("[\n\(good)]\n[\(good)]", 2, []),
    ("[\n\(good),\n{\"uuid\":\"1\"},\n\(good)\n]", 2, [3]),
    ("[\n\(good),\n{\"description\":\"\"},\n\(good)\n]", 2, [3]),
    ("[\n\(good),\n{\"description\":3},\n\(good)\n]", 2, [3]),
    ("[\n\(good),\n{\"description\":\"a\",\"due\":\"soon\"},\n\(good)\n]", 3, []),
    ("[\n\(good),\n{\"description\":\"a\n\(good),\n\(good)\n]", 3, [3]),
    ("[\n\(good),\n{\"description\" \"}\",{\"a\":[\"]\"]}}, \(good),\n\(good)\n]", 3, [3]),
    (
      "[\n  {\n    \"description\" 1,\n    \"annotations\": [\n      {\n\"description\":\"b\"\n"
        + "      }\n    ]\n  },\n  \(good)\n]",
      1, [2]
    ),
    ("[\n\(good),", 1, [2]),
    ("[\n\(good),\n{\"description\":\"a\",", 1, [3, 3]),
    ("milk\nbread", 0, [1, 2]),
    ("\(good)\n3 \(good)\n,,", 2, [2, 3]),
    ("][", 0, [1]),
    ("\n\nnull", 0, [3]),
    (String(repeating: "[", count: 99), 0, [1]),
    (
      "{\"description\":\"a\",\"b\":" + String(repeating: "[", count: 99) + String(repeating: "]", count: 99)
        + "}\n\(good)", 1, [1]
    ),
  ]

  @Test("what is broken is told with its line, and the rest is kept", arguments: files)
  func broken(_ file: String, _ count: Int, _ lines: [Int]) {
    let reading = Taskwarrior.read(file, zone: zone)
    #expect(reading.todos.count == count)
    #expect(reading.broken.map(\.line) == Array(Set(lines)).sorted())
  }

  @Test("the reason says what is wrong")
  func reasons() {
    let text =
      "{}\n{\"description\":1x}\nmilk\n"
      + String(repeating: "{\"a\":", count: 70)
    #expect(
      Taskwarrior.read(text, zone: zone).broken.map(\.reason) == [
        "the task has no description", "the task is not valid JSON", "not a task", "the task is nested too deeply",
      ])
  }
}
