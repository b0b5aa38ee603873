import Dates
import Testing

@testable import Formats

/// Files that nobody meant to write.
@Suite struct FuzzTests {
  @Test("no change to a file makes its reader trap, hang or forget a line", arguments: Format.all)
  func mutations(_ format: Format) throws {
    let clock = ContinuousClock()
    var seeded = Seeded(7)
    var files: [[UInt8]] = []
    for seed in 0..<20 {
      var random = RandomTodos(seed: UInt64(seed), scope: .everything, zone: .utc)
      files.append(Array(format.write(random.todos(3), .utc).utf8))
    }
    for round in 0..<5000 {
      var bytes = seeded.pick(files)
      for _ in 0..<seeded.number(1..<4) { mutate(&bytes, seeded.pick(files), &seeded) }
      let text = String(decoding: bytes, as: UTF8.self)
      var reading = Reading()
      let time = clock.measure { reading = format.read(text, TestZone.summer) }
      try #require(time < .seconds(5))
      let lines = text.utf8.count { $0 == 0x0A } + 1
      try #require(reading.broken.allSatisfy { (1...lines).contains($0.line) && !$0.reason.isEmpty })
      try #require(reading.todos.allSatisfy { OneLine.cleaned($0.title) == $0.title })
      let text2 = format.write(reading.todos, TestZone.summer)
      let again = format.read(text2, TestZone.summer)
      try #require(again.broken == [], "round \(round)")
      // Markdown puts together what one list holds, and with todo.txt it leaves out what is removed.
      let kept = reading.todos.filter { format.scope.states.contains($0.state) }
      try #require(again.todos.map(\.title).sorted() == kept.map(\.title).sorted(), "round \(round)")
    }
  }

  private func mutate(_ bytes: inout [UInt8], _ other: [UInt8], _ seeded: inout Seeded) {
    guard !bytes.isEmpty else { return }
    let place = seeded.number(0..<bytes.count)
    let end = min(bytes.count, place + seeded.number(1..<60))
    switch seeded.number(0..<7) {
    case 0: bytes.removeSubrange(place..<end)
    case 1: bytes.removeSubrange(place...)
    case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 3: bytes[place] ^= 1 << seeded.number(0..<8)
    case 4: bytes[place] = UInt8(seeded.number(0..<256))
    case 5: bytes.insert(contentsOf: other.prefix(seeded.number(1..<200)), at: place)
    default: bytes.insert(contentsOf: seeded.pick(Self.rubbish).utf8, at: place)
    }
  }

  private static let rubbish = [
    "\n", "\r\n", "\r", "\u{0}", "{", "}", "[", "]", "\"", "\\", ",", ":", "\\u", "\\uD800", "\\uDC00\\uD83C\\uDF89",
    ";TZID=",
    "BEGIN:VTIMEZONE\nTZID:Z\nBEGIN:STANDARD\nDTSTART:20100101T020000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\n",
    "END:STANDARD\nEND:VTIMEZONE\n", "TZOFFSETFROM:-9959\n", "DUE;TZID=Z:99991231T235959\n",
    "RECURRENCE-ID:99991231T235959Z\n",
    "DURATION:P99999W\n", "BYDAY=9223372036854775807SU;", "99999999999999999999",
    ";X=\"", "BEGIN:VTODO\r\n", "END:VTODO\r\n", "BEGIN:VCALENDAR\n", "END:VCALENDAR\n", "- [ ] ", "  ",
    "    - [x] a\n",
    "\t", "```\n", "# ", "x ", "(A) ", "due:9999-12-31T23:59", "99991231T235960Z", "00010101T000000Z", "-", "\u{FEFF}",
    "\u{301}",
  ]

  @Test("time grows with the size of a file", arguments: Format.all)
  func hostile(_ format: Format) throws {
    let clock = ContinuousClock()
    for piece in Self.rubbish + Self.pieces {
      let count = 60_000 / piece.utf8.count
      let text = String(repeating: piece, count: count)
      let time = clock.measure {
        let todos = format.read(text, .utc).todos
        _ = format.write(todos, .utc)
      }
      try #require(time < .seconds(30), "\(piece.debugDescription)")
    }
  }

  private static let pieces = [
    "+a ", "@", "\\+x ", "[[", "{\"a\":", "{\"description\":\"a\"},", "{\"description\":\"a\"\n", "  {\n", "\"a\n", "a",
    " ", " \n",
    "BEGIN:A\n", "END:B\n", "BEGIN:VTODO\nSUMMARY:a\n", "BEGIN:VTODO\nSUMMARY:a\nEND:VTODO\n", " a\n", "- [ ] a\n",
    "- [ ]\n",
    "- [ ] a\n  b\n\n", "1. ", "`", "#\n", "x 2026-01-01 ", "%", "due:2026-01-01 ", "- [ ] a +b\n  - [ ] c\n\n\n  d\n",
  ]

  @Test("parts may nest as deep as they like")
  func deep() {
    let todos = (0..<20_000).map { index in
      var todo = PortableTodo(title: "part")
      todo.id = String(index)
      todo.parent = index == 0 ? nil : String(index - 1)
      return todo
    }
    let reading = Markdown.read(Markdown.write(todos, zone: .utc))
    #expect(reading.todos.count == todos.count)
    #expect(reading.broken == [])
    let stairs = (0..<1000).map { String(repeating: " ", count: 2 * $0) + "- [ ] a\n" }.joined()
    #expect(Markdown.read(stairs).todos.last?.parent == "line-999")
  }
}
