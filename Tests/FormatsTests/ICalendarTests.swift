import Dates
import Testing

@testable import Formats

@Suite struct ICalendarTests {
  private func read(_ text: String) -> Reading {
    readCalendar(text, TestZone.summer) { $0 == "America/Bogota" ? TestZone.west : nil }
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
    ("rrule:freq=weekly", todo("a") { $0.repetition = "FREQ=WEEKLY" }),
    ("PERCENT-COMPLETE:100", todo("a") { $0.state = .done }),
    ("STATUS:NEEDS-ACTION\nPERCENT-COMPLETE:100", todo("a")),
    (
      "DTSTART:20261201T120000Z\nDURATION:PT1H30M",
      todo("a") { ($0.start, $0.due) = (moment("20261201T120000Z"), moment("20261201T133000Z")) }
    ),
    ("DTSTART;VALUE=DATE:20261201\nDURATION:P1W", todo("a") { ($0.start, $0.due) = (day("12-01"), day("12-07")) }),
    ("DUE:\nCREATED:00001231T000000Z\nDTSTART:20251222T120000.000Z", todo("a")),
    ("DUE;TZID=Nowhere:20261201T120000", todo("a")),
    (
      "DTSTART:20261201T120000Z\nDURATION:P1DT1H",
      todo("a") { ($0.start, $0.due) = (moment("20261201T120000Z"), moment("20261202T130000Z")) }
    ),
    ("X-OTHER;A=B:c\nATTENDEE:mailto:b@example.org", todo("a")),
  ]

  @Test("properties of other calendars", arguments: blocks)
  func properties(_ lines: String, _ todo: PortableTodo) {
    let reading = read(calendar("BEGIN:VTODO\nSUMMARY:a\n\(lines)\nEND:VTODO"))
    #expect(reading.todos == [todo] && reading.broken == [])
  }

  @Test(
    "what cannot be kept is counted",
    arguments: [
      ("DUE:soon", "DUE"), ("CREATED:", "CREATED"), ("EXDATE:20261201T120000Z", "EXDATE"), ("RRULE:often", "RRULE"),
      ("DUE;TZID=Nowhere:20261201T120000", "DUE in the time zone Nowhere"), ("DURATION:PT1H", "DURATION"),
      ("BEGIN:VALARM\nEND:VALARM", "VALARM"), ("URL:http://example.org", "URL"),
      ("RELATED-TO;RELTYPE=SIBLING:1", "RELATED-TO"),
    ])
  func left(_ lines: String, _ name: String) {
    let block = "BEGIN:VTODO\nSUMMARY:a\n\(lines)\nEND:VTODO\n"
    #expect(read(calendar(block + block)).left == [name: 2])
  }

  /// As Outlook writes it, and what follows it: names of its own, with rules since 1601.
  @Test("a zone that the calendar describes is meant")
  func ownZone() {
    let zone = """
      BEGIN:VTIMEZONE
      TZID:W. Europe Standard Time
      BEGIN:STANDARD
      DTSTART:16010101T030000
      TZOFFSETFROM:+0200
      TZOFFSETTO:+0100
      RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10
      END:STANDARD
      BEGIN:DAYLIGHT
      DTSTART:16010101T020000
      TZOFFSETFROM:+0100
      TZOFFSETTO:+0200
      RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3
      END:DAYLIGHT
      END:VTIMEZONE
      BEGIN:VTIMEZONE
      TZID:Once
      BEGIN:STANDARD
      DTSTART:20200101T000000
      TZOFFSETFROM:+0000
      TZOFFSETTO:+0545
      END:STANDARD
      END:VTIMEZONE
      """
    func due(_ name: String, _ time: String) -> When? {
      read(calendar("\(zone)\nBEGIN:VTODO\nSUMMARY:a\nDUE;TZID=\(name):\(time)\nEND:VTODO")).todos.first?.due
    }
    let west = "W. Europe Standard Time"
    for (time, utc) in [
      ("20261024T120000", "20261024T100000Z"), ("20261026T120000", "20261026T110000Z"),
      ("20270327T120000", "20270327T110000Z"), ("20270329T120000", "20270329T100000Z"),
      ("20271231T233000", "20271231T223000Z"), ("20280101T003000", "20271231T233000Z"),
    ] { #expect(due(west, time) == moment(utc)) }
    #expect(due("Once", "20270101T120000") == moment("20270101T061500Z"))
    #expect(due("Twice", "20270101T120000") == nil)
  }

  @Test("a series is one todo, and a day of it that was done is done", arguments: [true, false])
  func series(isFirst: Bool) {
    let day = "BEGIN:VTODO\nUID:s\nSUMMARY:a\nRECURRENCE-ID;VALUE=DATE:20261109\nSTATUS:COMPLETED\nEND:VTODO\n"
    let series = "BEGIN:VTODO\nUID:s\nSUMMARY:a\nRRULE:FREQ=DAILY\nDUE;VALUE=DATE:20261109\nEND:VTODO\n"
    let todos = read(calendar(isFirst ? day + series : series + day)).todos
    #expect(todos.map(\.id).sorted { $0 ?? "" < $1 ?? "" } == ["s", "s/20261109"])
    let (open, done) = (todos.first { $0.state == .open }, todos.first { $0.state == .done })
    #expect(open?.repetition == "FREQ=DAILY" && open?.due == Day(iso: "2026-11-10").map { .day($0) })
    #expect(done?.repetition == nil)
  }

  @Test(
    "every day of a series that stands by itself is taken out of it, and one that cannot be told is a todo of its own")
  func moved() {
    func block(_ id: String, _ lines: String) -> String {
      "BEGIN:VTODO\nUID:s\nSUMMARY:\(id)\n\(lines)\nEND:VTODO\n"
    }
    let text =
      block("series", "RRULE:FREQ=DAILY\nDTSTART;VALUE=DATE:20261109\nDUE;VALUE=DATE:20261111")
      + block("moved", "RECURRENCE-ID;VALUE=DATE:20261109\nDUE;VALUE=DATE:20261130")
      + block("cancelled", "RECURRENCE-ID;VALUE=DATE:20261110\nSTATUS:CANCELLED")
      + block("lost", "RECURRENCE-ID:someday")
    let todos = read(calendar(text)).todos
    #expect(todos.map(\.id) == ["s", "s/20261109", "s/20261110", nil])
    #expect(todos[0].start == day("11-11") && todos[0].due == day("11-13"))
  }

  @Test("what has no title is called by the first line of its text")
  func untitled() {
    #expect(read(calendar("BEGIN:VTODO\nSUMMARY:\nDESCRIPTION:\\none\\ntwo\nEND:VTODO")).todos.map(\.title) == ["one"])
  }

  private func due(in zone: String) -> Reading {
    read(calendar(zone + "BEGIN:VTODO\nSUMMARY:a\nDUE;TZID=Z:20270101T120000\nEND:VTODO"))
  }

  /// One hour ahead until 2010, then two from a day in March on, and three from July 2012 until the next March.
  private func zone(_ rule: String) -> String {
    "BEGIN:VTIMEZONE\nTZID:Z\nBEGIN:STANDARD\nDTSTART:20100101T020000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n"
      + "RRULE:\(rule)\nEND:STANDARD\nBEGIN:DAYLIGHT\nDTSTART:20120701T020000\n"
      + "TZOFFSETFROM:+0200\nTZOFFSETTO:+0300\nEND:DAYLIGHT\nEND:VTIMEZONE\n"
  }

  @Test(
    "a zone's rule may say anything that comes once a year",
    arguments: [
      ("BYDAY=SU", 10), ("BYDAY=1SU;INTERVAL=2", 10), ("BYDAY=-1SU;UNTIL=20150401T000000Z", 10), ("BYMONTHDAY=8", 10),
      ("BYDAY=SU;BYMONTHDAY=8,9,10,11,12,13,14", 10), ("BYDAY=1SU;COUNT=3", 9),
      ("BYDAY=1SU;UNTIL=20120401T000000Z", 9),
    ])
  func zoneRule(_ rule: String, _ hour: Int) {
    let reading = due(in: zone("FREQ=YEARLY;BYMONTH=3;\(rule)"))
    #expect(reading.todos.map(\.due) == [moment("20270101T\(hour < 10 ? "0" : "")\(hour)0000Z")])
  }

  @Test(
    "a zone that is not understood is said to be unknown, and costs nothing else",
    arguments: [
      "FREQ=SECONDLY", "FREQ=MONTHLY", "FREQ=YEARLY;BYSECOND=0,1,2", "FREQ=YEARLY;X=1", "often",
      "FREQ=YEARLY\nRRULE:FREQ=YEARLY", "FREQ=YEARLY\nEXDATE:20150301T020000", "FREQ=YEARLY\nBEGIN:STANDARD",
      "FREQ=YEARLY\nEND:STANDARD", "FREQ=YEARLY\nEND:STANDARD\nBEGIN:STANDARD\nDTSTART:20150301T020000",
      "FREQ=YEARLY\nBEGIN:DAYLIGHT\nEND:DAYLIGHT", "FREQ=YEARLY\nDTSTART:then", "FREQ=YEARLY\nBEGIN:VALARM\nEND:VALARM",
    ])
  func oddZone(_ rule: String) {
    let reading = due(in: zone(rule))
    #expect(reading.todos.map(\.due) == [nil] && reading.left["DUE in the time zone Z"] == 1)
  }

  @Test(
    "nonsense in a zone's rule ends nothing",
    arguments: ["9223372036854775807SU", "-9223372036854775808SU", "0SU", "6SU"])
  func nonsense(_ day: String) { #expect(due(in: zone("FREQ=YEARLY;BYMONTH=3;BYDAY=\(day)")).todos.count == 1) }

  @Test("two moments of a day are two todos, and the 31st is not forgotten")
  func moments() {
    func block(_ title: String, _ lines: String) -> String {
      "BEGIN:VTODO\nUID:s\nSUMMARY:\(title)\n\(lines)\nEND:VTODO\n"
    }
    let pills = block("a", "RECURRENCE-ID:20261201T090000Z") + block("b", "RECURRENCE-ID:20261201T170000Z")
    #expect(read(calendar(pills)).todos.map(\.id) == ["s/20261201T090000Z", "s/20261201T170000Z"])
    let rent =
      block("rent", "RRULE:FREQ=MONTHLY\nDUE;VALUE=DATE:20261031")
      + block("paid", "RECURRENCE-ID;VALUE=DATE:20261031\nSTATUS:COMPLETED")
    let todos = read(calendar(rent)).todos
    #expect(todos[0].due == day("11-30") && todos[0].repetition == "FREQ=MONTHLY;BYMONTHDAY=31")
  }

  @Test("a whole may name its parts")
  func parts() {
    let text =
      "BEGIN:VTODO\nUID:w\nSUMMARY:a\nRELATED-TO;RELTYPE=CHILD:p\nEND:VTODO\nBEGIN:VTODO\nUID:p\nSUMMARY:b\nEND:VTODO"
    #expect(read(calendar(text)).todos.map(\.parent) == [nil, "w"])
  }

  @Test("the name of a calendar is the list of its todos, and only of those without one")
  func calendarName() {
    let todos = "BEGIN:VTODO\nSUMMARY:a\nEND:VTODO\nBEGIN:VTODO\nSUMMARY:b\nX-TODO-LIST:own\nEND:VTODO"
    let events = "BEGIN:VEVENT\nX-WR-CALNAME:no\nSUMMARY:party\nEND:VEVENT"
    let text = calendar("\(todos)\nX-WR-CALNAME:home\n\(events)") + calendar("BEGIN:VTODO\nSUMMARY:c\nEND:VTODO")
    #expect(read(text).todos.map(\.list) == ["home", "own", nil])
    #expect(read(text).broken == [])
  }

  @Test("a character that a line break splits is put together")
  func splitCharacter() throws {
    let parser = DirectCalendarParser()
    for end in ["\r\n", "\n"] {
      for blank in [UInt8.space, .tab] {
        for cut in 1..<4 {
          var bytes = Array("BEGIN:VTODO\r\nSUMMARY:🎉\r\nEND:VTODO\r\n".utf8)
          bytes.insert(contentsOf: Array(end.utf8) + [blank], at: 21 + cut)
          let calendar = try #require(try parser.parse(bytes))
          #expect(ICalendar.read(calendar, zone: .utc) { _ in nil }.todos.map(\.title) == ["🎉"])
        }
      }
    }
    #expect(try parser.parse(Array("SUMMARY:".utf8) + [0xFC, 0x0A, 0x20, 0x42]) == nil)
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
    ("BEGIN:VTODO\nDUE:20260230\n folded\nEND:VTODO", 0, [entry(1, "the task has no description")]),
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
