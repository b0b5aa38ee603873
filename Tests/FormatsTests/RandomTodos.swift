import Dates

@testable import Formats

/// What a format can say, so that a todo restricted to it comes back the same.
struct Scope {
  var states: [PortableTodo.State] = [.open, .done, .removed]
  /// Milliseconds that a moment is rounded to; nil for no moments.
  var dateStep: Int64 = 1000
  var stampStep: Int64? = 1000
  /// Whether a moment at midnight would come back as a day.
  var midnightIsDay = false
  var hasControls = true
  var hasComments = true
  var commentsNeedTime = false

  static let todoTxt = Scope(states: [.open, .done], dateStep: 60_000, stampStep: nil, hasComments: false)
  static let taskwarrior = Scope(midnightIsDay: true, commentsNeedTime: true)
  static let iCalendar = Scope(hasControls: false)
  /// Everything there is, whether or not the format can say it.
  static let everything = Scope(dateStep: 1, stampStep: 1)
}

/// Random todos whose texts look like the syntax of the formats.
struct RandomTodos {
  var seeded: Seeded
  let scope: Scope
  let zone: Zone

  init(seed: UInt64, scope: Scope, zone: Zone) { (seeded, self.scope, self.zone) = (Seeded(seed), scope, zone) }

  mutating func todos(_ count: Int) -> [PortableTodo] { (0..<count).map { todo(String($0)) } }

  mutating func todo(_ place: String) -> PortableTodo {
    var todo = PortableTodo(title: line())
    todo.id = place + text()
    todo.parent = seeded.maybe(20) { $0.chance(50) ? "other" : "a % _ \\ ; id" }
    todo.list = seeded.chance(60) ? line() : nil
    todo.note = seeded.chance(40) ? text() : nil
    todo.state = seeded.pick(scope.states)
    todo.tags = (0..<seeded.number(0..<4)).map { _ in line() }
    todo.priority = seeded.maybe(50) { $0.pick(PortableTodo.Priority.allCases) }
    todo.assignee = seeded.chance(30) ? line() : nil
    todo.due = seeded.chance(50) ? when(scope.dateStep) : nil
    todo.start = seeded.chance(30) ? when(scope.dateStep) : nil
    todo.created = seeded.chance(60) ? when(scope.stampStep) : nil
    if todo.state != .open { todo.done = seeded.chance(70) ? when(scope.stampStep) : nil }
    todo.repetition = seeded.maybe(40) { $0.pick(Self.rules) }
    if scope.hasComments { todo.comments = (0..<seeded.number(0..<3)).map { _ in comment() } }
    return todo
  }

  private mutating func comment() -> PortableTodo.Comment {
    let hasTime = scope.commentsNeedTime || seeded.chance(60)
    return PortableTodo.Comment(time: hasTime ? moment(scope.stampStep ?? 1000) : nil, text: text())
  }

  /// A title or a name: one line with no space at its ends.
  mutating func line() -> String {
    let words = (0..<seeded.number(1..<7)).map { _ in seeded.pick(Self.words) }
    return OneLine.cleaned(words.joined(separator: seeded.chance(10) ? "  " : " ")) ?? "x"
  }

  /// A note, of several lines.
  mutating func text() -> String {
    var text = (0..<seeded.number(1..<4)).map { _ in line() }.joined(
      separator: seeded.pick(["\n", "\n\n", " ", "\n  "]))
    if scope.hasControls, seeded.chance(20) { text += seeded.pick(["\r\n", "\u{1}", "\u{7F}", "\t", "\u{85}", "\n"]) }
    return text
  }

  private mutating func when(_ step: Int64?) -> When {
    guard let step, seeded.chance(50) else {
      return .day(Day(number: seeded.number(8000..<40_000)) ?? zone.day(at: 0))
    }
    return .moment(moment(step))
  }

  private mutating func moment(_ step: Int64) -> Int64 {
    while true {
      let time = Int64.random(in: 700_000_000_000...3_000_000_000_000, using: &seeded) / step * step
      if scope.midnightIsDay, zone.start(of: zone.day(at: time)) == time { continue }
      // What clocks show twice cannot be told apart without a zone.
      if step == 60_000, zone.moment(of: zone.wallTime(at: time)) != time { continue }
      return time
    }
  }

  static let rules = [
    "FREQ=DAILY", "FREQ=WEEKLY;INTERVAL=2", "FREQ=MONTHLY;INTERVAL=12", "FREQ=YEARLY", "FREQ=WEEKLY;BYDAY=MO,TH",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20300101T000000Z",
    "INTERVAL=1;FREQ=DAILY",
  ]

  static let words = [
    "milk", "call", "x", "X", "(A)", "(Z)", "2026-01-01", "2026-02-30", "+x", "+", "++", "@y", "@", "+x+y@z",
    "bob@example.org",
    "due:2026-01-01", "due:2026-01-01T18:00", "due:tomorrow", "due:", "t:2026-01-01", "pri:A", "pri:high", "pri:",
    "rec:1w",
    "rec:+2d", "rrule:FREQ=DAILY", "uuid:1", "note:n", "parent:1", "assignee:bob", "created:2026-01-01",
    "done:2026-01-01",
    "\\", "\\\\", "\\+x", "\\\\@y", "\\x", "\\(A)", "\\due:2026-01-01", "due\\:2026-01-01", "\\n", "\\,", "a\\*b", "#",
    "##",
    "#tag", "-", "*", "[", "]", "[x]", "[X]", "- [ ] a", "* [x] b", "1. [ ] c", "12)", "```", "~~~", "> q", "<b>&amp;",
    "a_b",
    "50%", "%2B", "%", "%zz", "a;b,c:d", "\"q\"", "{\"a\":[1]}", "https://example.org/?q=1+2&b=%20#top", "BEGIN:VTODO",
    "END:VTODO", "SUMMARY:x", "ü", "u\u{308}", "\u{301}", "ñandú", "🎉", "👨‍👩‍👧", "🇩🇪", "مرحبا", "שלום",
    "\u{202E}abc\u{202C}",
    "日本語のとても長いタイトル", "\u{37E}", "a\u{A0}b", "a\u{3000}b", "K", "\u{200D}", "ß", "€",
    String(repeating: "long", count: 30), String(repeating: "é€🎉", count: 20),
  ]
}

/// Zones that need no tables.
enum TestZone {
  /// An hour ahead of UTC, and two from late March to late October.
  static let summer = Zone { seconds in
    let (_, month, day) = (Day(number: Int(seconds / 86_400)) ?? Zone.utc.day(at: 0)).parts
    let isSummer = (4...9).contains(month) || (month == 3 && day >= 29) || (month == 10 && day < 25)
    return isSummer ? 7200 : 3600
  }

  static let west = Zone { _ in -5 * 3600 }

  static let all = [Zone.utc, summer, west]
}

/// The first todo that is not exactly the same, byte by byte, in words; nil if there is none.
func difference(_ found: [PortableTodo], _ expected: [PortableTodo]) -> String? {
  guard found.count == expected.count else { return "\(found.count) instead of \(expected.count)" }
  let different = zip(found, expected).first { !"\($0)".utf8.elementsEqual("\($1)".utf8) }
  return different.map { "\($0) instead of \($1)" }
}
