import Dates
import Testing

@testable import Formats

@Suite struct ICalendarTests {
  private func read(_ text: String) -> Reading {
    ICalendar.read(text, zone: TestZone.summer) { $0 == "America/Bogota" ? TestZone.west : nil }
  }

  private func calendar(_ lines: String) -> String { "BEGIN:VCALENDAR\n\(lines)\nEND:VCALENDAR\n" }

  @Test("a whole todo means the same in both directions")
  func both() {
    let whole = todo("a; b, c\\n") {
      ($0.id, $0.parent, $0.list, $0.note) = ("7", "6", "home", "one\ntwo")
      ($0.tags, $0.priority, $0.assignee, $0.repetition) = (["a,b", "c"], .medium, "ada", "FREQ=WEEKLY;INTERVAL=2")
      ($0.state, $0.due, $0.start) = (.done, day("12-01"), moment("20261130T120001Z"))
      ($0.created, $0.done) = (day("07-01"), moment("20261201T120000Z"))
      $0.comments = [
        PortableTodo.Comment(time: milliseconds("20261101T000001Z"), text: "ü"),
        PortableTodo.Comment(time: nil, text: "hm"),
      ]
    }
    let lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//todo//todo//EN", "BEGIN:VTODO", "UID:7", "DTSTAMP:20261123T180000Z",
      "SUMMARY:a\\; b\\, c\\\\n", "DESCRIPTION:one\\ntwo", "STATUS:COMPLETED", "PRIORITY:5", "CATEGORIES:a\\,b,c",
      "X-TODO-LIST:home", "X-TODO-ASSIGNEE:ada", "RELATED-TO:6", "DTSTART:20261130T120001Z", "DUE;VALUE=DATE:20261201",
      "CREATED;X-TODO-DAY=TRUE:20260701T000000Z", "COMPLETED:20261201T120000Z", "RRULE:FREQ=WEEKLY;INTERVAL=2",
      "COMMENT;X-TODO-TIME=20261101T000001Z:ü", "COMMENT:hm", "END:VTODO", "END:VCALENDAR",
    ]
    let text = lines.map { $0 + "\r\n" }.joined()
    #expect(Array(ICalendar.write([whole], now: milliseconds("20261123T180000Z")).utf8) == Array(text.utf8))
    #expect(read(text) == Reading(todos: [whole]))
  }

  private static let blocks: [(String, PortableTodo)] = [
    ("STATUS:IN-PROCESS", todo("a")),
    ("STATUS:CANCELLED", todo("a") { $0.state = .removed }),
    ("COMPLETED:20261201T120000Z", todo("a") { ($0.state, $0.done) = (.done, moment("20261201T120000Z")) }),
    ("PRIORITY:0", todo("a")),
    ("PRIORITY:4", todo("a") { $0.priority = .high }),
    ("PRIORITY:6", todo("a") { $0.priority = .low }),
    ("PRIORITY:10", todo("a")),
    ("DUE:20261201T120000Z", todo("a") { $0.due = moment("20261201T120000Z") }),
    ("due;value=date:20261201", todo("a") { $0.due = day("12-01") }),
    ("DUE:20261201T120000", todo("a") { $0.due = moment("20261201T110000Z") }),
    ("DUE;TZID=America/Bogota:20261201T120000", todo("a") { $0.due = moment("20261201T170000Z") }),
    ("DUE;X=\"a:b;c,\";TZID=\"America/Bogota\":20261201T120000", todo("a") { $0.due = moment("20261201T170000Z") }),
    ("DUE;TZID=Nowhere:20261201T120000Z", todo("a") { $0.due = moment("20261201T120000Z") }),
    ("DTSTART;TZID=Nowhere;VALUE=DATE:20261201", todo("a") { $0.start = day("12-01") }),
    ("CREATED;VALUE=DATE:20261201", todo("a") { $0.created = day("12-01") }),
    ("CATEGORIES:a,b\nCATEGORIES:c\\,d\\\\,e", todo("a") { $0.tags = ["a", "b", "c,d\\", "e"] }),
    ("RELATED-TO;RELTYPE=CHILD:1\nRELATED-TO;RELTYPE=PARENT:2", todo("a") { $0.parent = "2" }),
    ("DESCRIPTION:a\\Nb\\tc\\", todo("a") { $0.note = "a\nb\\tc\\" }),
    ("DESCRIPTION:a\r\n  b\r\n\tc\n d", todo("a") { $0.note = "a bcd" }),
    ("RRULE:FREQ=DAILY;COUNT=3\nRRULE:FREQ=WEEKLY", todo("a") { $0.repetition = "FREQ=DAILY;COUNT=3" }),
    ("RRULE:often", todo("a")),
    ("BEGIN:VALARM\nSUMMARY:b\nDESCRIPTION:ring\nEND:VALARM", todo("a")),
    ("X-OTHER;A=B:c\nATTENDEE:mailto:b@example.org", todo("a")),
  ]

  @Test("properties of other calendars", arguments: blocks)
  func properties(_ lines: String, _ todo: PortableTodo) {
    #expect(read(calendar("BEGIN:VTODO\nSUMMARY:a\n\(lines)\nEND:VTODO")) == Reading(todos: [todo]))
  }

  @Test("the name of a calendar is the list of its todos, and only of those without one")
  func calendarName() {
    let todos = "BEGIN:VTODO\nSUMMARY:a\nEND:VTODO\nBEGIN:VTODO\nSUMMARY:b\nX-TODO-LIST:own\nEND:VTODO"
    let events = "BEGIN:VEVENT\nX-WR-CALNAME:no\nSUMMARY:party\nEND:VEVENT"
    let text = calendar("\(todos)\nX-WR-CALNAME:home\n\(events)") + calendar("BEGIN:VTODO\nSUMMARY:c\nEND:VTODO")
    #expect(read(text).todos.map(\.list) == ["home", "own", nil])
    #expect(read(text).broken == [])
  }

  @Test("lines are folded at 75 bytes, and never within a character", arguments: ["x", "é", "€", "🎉"])
  func folding(_ character: String) {
    for length in 60..<90 {
      let title = String(repeating: "y", count: length % 7) + String(repeating: character, count: length)
      let text = ICalendar.write([todo(title)], now: 0)
      let lines = Array(text.utf8).split(separator: 0x0A)
      #expect(lines.allSatisfy { $0.count <= 76 && String(validating: $0, as: UTF8.self) != nil && $0.last == 0x0D })
      let unused = lines.dropLast().filter { $0.starts(with: "SUMMARY".utf8) && $0.count < 73 }
      #expect(title.utf8.count < 70 || unused.isEmpty)
      #expect(read(text).todos.map(\.title) == [title])
    }
  }

  @Test("a todo without an id gets one, because it must have one")
  func id() {
    #expect(
      read(ICalendar.write([todo("a"), todo("b")], now: 0)).todos.map(\.id) == [
        "todo-1-19700101T000000Z", "todo-2-19700101T000000Z",
      ])
  }

  private static let good = "BEGIN:VTODO\nSUMMARY:a\nEND:VTODO\n"

  private static let files: [(String, Int, [BrokenEntry])] = [
    ("", 0, []),
    ("\r\n\r\n", 0, []),
    ("\u{FEFF}BEGIN:VCALENDAR\r\n\(good)END:VCALENDAR", 1, []),
    ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nnonsense\nEND:VEVENT\nEND:VCALENDAR", 0, []),
    (good, 1, []),
    ("milk\nbread: 3\n", 0, [entry(1, "this is no line of a calendar"), entry(2, "this is outside of any calendar")]),
    ("BEGIN:VCARD\nFN:Ada\nEND:VCARD\n", 0, [entry(1, "this is no calendar")]),
    ("BEGIN:VCALENDAR\n\(good)", 1, [entry(1, "the calendar has no end")]),
    ("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:a\nEND:VCALENDAR", 0, [entry(2, "the todo has no end")]),
    ("\(good)BEGIN:VTODO\nSUMMARY:b\n\(good)", 2, [entry(4, "the todo has no end")]),
    ("\(good)BEGIN:VTODO\nSUMMARY:b\nBEGIN:VALARM\n\(good)", 2, [entry(4, "the todo has no end")]),
    ("\(good)BEGIN:VTODO\nUID:1\nEND:VTODO", 1, [entry(4, "the task has no description")]),
    ("\(good)BEGIN:VTODO\nSUMMARY: \\n\nEND:VTODO", 1, [entry(4, "the task has no description")]),
    ("BEGIN:VTODO\nSUMMARY:b\nDUE:soon\nEND:VTODO\n\(good)", 1, [entry(3, "the task has a date that is none")]),
    ("BEGIN:VTODO\nSUMMARY:b\nDUE;TZID=Nowhere:20261201T120000\nEND:VTODO", 0, [entry(3, "the time zone is unknown")]),
    ("BEGIN:VTODO\nDUE:20260230\n folded\nEND:VTODO", 0, [entry(2, "the task has a date that is none")]),
    (
      "BEGIN:VTODO\nSUMMARY:b\nnonsense\nDUE;X\nEND:VTODO", 1,
      [
        entry(3, "this is no line of a calendar"), entry(4, "this is no line of a calendar"),
      ]
    ),
    ("\(good)END:VTODO\n\(good)", 2, [entry(4, "this ends what has no beginning")]),
    (
      String(repeating: "BEGIN:A\n", count: 66), 0,
      [
        entry(1, "this is no calendar"), entry(65, "this is nested too deeply"), entry(66, "this is nested too deeply"),
      ]
    ),
  ]

  private static func entry(_ line: Int, _ reason: String) -> BrokenEntry { BrokenEntry(line: line, reason: reason) }

  @Test("what is broken is told with its line, and the rest is kept", arguments: files)
  func broken(_ file: String, _ count: Int, _ broken: [BrokenEntry]) {
    #expect(read(file).todos.count == count)
    #expect(read(file).broken == broken)
  }
}
