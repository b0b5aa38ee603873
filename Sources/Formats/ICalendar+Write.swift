import Dates

extension ICalendar {
  /// The longest line in bytes, without its end (RFC 5545 §3.1).
  private static let longestLine = 75

  /// Writes one calendar. A todo without an id gets one of its place and the time, because a UID must be.
  /// - Parameter now: when it is written, in milliseconds since 1970.
  public static func write(_ todos: [PortableTodo], now: Int64) -> String {
    var text: [UInt8] = []
    for line in ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//todo//todo//EN"] { append(line, to: &text) }
    for (index, todo) in todos.enumerated() {
      append("BEGIN:VTODO", to: &text)
      let id = todo.id.map(escaped) ?? ""
      append("UID:" + (id.isEmpty ? "todo-\(index + 1)-\(Stamp.text(now))" : id), to: &text)
      append("DTSTAMP:" + Stamp.text(now), to: &text)
      for line in lines(of: todo) { append(line, to: &text) }
      append("END:VTODO", to: &text)
    }
    append("END:VCALENDAR", to: &text)
    return String(text[...])
  }

  private static func lines(of todo: PortableTodo) -> [String] {
    let tags = todo.tags.compactMap(line)
    let lines: [(String, String?)] = [
      ("SUMMARY:", line(OneLine.title(of: todo))),
      ("DESCRIPTION:", todo.note.map(escaped)),
      ("STATUS:", status(todo.state)),
      ("PRIORITY:", todo.priority.map(number)),
      ("CATEGORIES:", tags.joined(separator: ",")),
      ("X-TODO-LIST:", todo.list.flatMap(line)),
      ("X-TODO-ASSIGNEE:", todo.assignee.flatMap(line)),
      ("RELATED-TO:", todo.parent.map(escaped)),
      ("DTSTART", todo.start.map(date)),
      ("DUE", todo.due.map(date)),
      ("CREATED", todo.created.map(time)),
      ("COMPLETED", todo.state == .open ? nil : todo.done.map(time)),
      ("RRULE:", todo.repetition.flatMap(Rule.cleaned)),
    ]
    let comments = todo.comments.map { comment in
      "COMMENT" + (comment.time.map { ";X-TODO-TIME=" + Stamp.text($0) } ?? "") + ":" + escaped(comment.text)
    }
    return lines.compactMap { key, value in value.flatMap { $0.isEmpty ? nil : key + $0 } } + comments
  }

  private static func date(_ when: When) -> String {
    switch when {
    case .day(let day): ";VALUE=DATE:" + Stamp.text(day)
    case .moment(let time): ":" + Stamp.text(time)
    }
  }

  /// For what must be a time in UTC.
  private static func time(_ when: When) -> String {
    switch when {
    case .day(let day): ";X-TODO-DAY=TRUE:" + Stamp.text(Zone.utc.start(of: day))
    case .moment(let time): ":" + Stamp.text(time)
    }
  }

  private static func status(_ state: PortableTodo.State) -> String {
    switch state {
    case .open: "NEEDS-ACTION"
    case .done: "COMPLETED"
    case .removed: "CANCELLED"
    }
  }

  private static func number(_ priority: PortableTodo.Priority) -> String {
    switch priority {
    case .high: "1"
    case .medium: "5"
    case .low: "9"
    }
  }

  private static func line(_ text: String) -> String? { OneLine.cleaned(text).map(escaped) }

  /// Control characters, which no calendar may hold, become spaces.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Bytes(text)
    while let byte = rest.popFirst() {
      switch byte {
      case .backslash, .semicolon, .comma: bytes += [.backslash, byte]
      case .carriageReturn where rest.first == .lineFeed: break
      case .lineFeed, .carriageReturn: bytes += [.backslash, UInt8(ascii: "n")]
      case .tab: bytes.append(byte)
      case 0..<0x20, 0x7F: bytes.append(.space)
      default: bytes.append(byte)
      }
    }
    return String(bytes[...])
  }

  /// Folds a line where it is too long, and never within a character.
  private static func append(_ line: String, to text: inout [UInt8]) {
    var rest = Bytes(line)
    var room = longestLine
    while rest.count > room {
      var end = rest.startIndex + room
      while rest[end] & 0xC0 == 0x80 { end -= 1 }
      text += rest[..<end] + [.carriageReturn, .lineFeed, .space]
      rest = rest[end...]
      room = longestLine - 1
    }
    text += rest + [.carriageReturn, .lineFeed]
  }
}
