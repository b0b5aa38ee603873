import Dates

/// A VTODO on its way in.
struct CalendarTodo {
  struct Problem: Error {
    let line: Int
    let reason: String
  }

  /// Where it begins.
  let line: Int
  private var todo = PortableTodo(title: "")
  private var hasStatus = false
  private var isCompleted = false
  /// The properties that cannot be kept.
  private(set) var left: Set<String> = []
  /// As its days and seconds.
  private var duration: String?
  private var percent: Int?
  /// The ids of its parts, where it names them.
  private(set) var parts: [String] = []
  /// Which day of a series it stands for.
  private(set) var occurrence: When?
  /// Whether it stands for a day that cannot be told.
  private var isLost = false

  init(line: Int) { self.line = line }

  mutating func read(_ line: ContentLine, _ zone: Zone, _ zones: (String) -> Zone?) {
    switch line.name {
    case "UID": todo.id = some(line.value)
    case "SUMMARY": todo.title = OneLine.cleaned(line.value) ?? ""
    case "DESCRIPTION": todo.note = some(line.value)
    case "STATUS": readStatus(line)
    case "CATEGORIES": todo.tags += line.value.split(separator: "\n").compactMap { OneLine.cleaned(String($0)) }
    case "PRIORITY": readPriority(line)
    case "DUE": todo.due = when(line, zone, zones)
    case "DTSTART": todo.start = when(line, zone, zones)
    case "CREATED": todo.created = when(line, zone, zones)
    case "COMPLETED":
      todo.done = when(line, zone, zones)
      isCompleted = true
    case "DURATION": duration = line.value
    case "PERCENT-COMPLETE": percent = Int(line.value)
    case "RRULE":
      let rule = Rule.cleaned(line.value)
      if rule == nil || todo.repetition != nil { left.insert(line.name) }
      todo.repetition = todo.repetition ?? rule
    case "RECURRENCE-ID":
      occurrence = when(line, zone, zones)
      // Nobody can tell which day it is: it is a todo of its own.
      if occurrence == nil { isLost = true }
    case "EXDATE", "RDATE", "EXRULE", "ATTACH", "GEO", "LOCATION", "RESOURCES", "URL", "CLASS", "ATTENDEE",
      "ORGANIZER", "CONTACT", "X-ALT-DESC":
      left.insert(line.name)
    case "RELATED-TO": readRelation(line)
    case "COMMENT": readComment(line)
    case "X-TODO-LIST": todo.list = OneLine.cleaned(line.value)
    case "X-TODO-ASSIGNEE": todo.assignee = OneLine.cleaned(line.value)
    default: break
    }
  }

  mutating func finished(_ zone: Zone) -> Result<PortableTodo, Problem> {
    // A calendar may leave the title out.
    if todo.title.isEmpty { todo.title = todo.note.flatMap(Self.firstLine) ?? "" }
    guard !todo.title.isEmpty else { return .failure(Problem(line: line, reason: Broken.noDescription)) }
    if !hasStatus, isCompleted || percent == 100 { todo.state = .done }
    if let duration, todo.due == nil {
      todo.due = todo.start.flatMap { Self.end(of: $0, after: duration, zone) }
      if todo.due == nil { left.insert("DURATION") }
    }
    if isLost { todo.id = nil }
    return .success(todo)
  }

  private static func firstLine(of note: String) -> String? {
    note.split(separator: "\n").lazy.compactMap { OneLine.cleaned(String($0)) }.first
  }

  /// Of days and of seconds: beyond what any calendar has.
  private static let longest: Int64 = 10_000_000_000

  /// What begins then and takes so long ends: of a day it is the last day. Nil for what is no duration.
  /// - Parameter duration: its days and seconds.
  private static func end(of start: When, after duration: String, _ zone: Zone) -> When? {
    let parts = duration.split(separator: " ").compactMap { Int64($0) }
    guard parts.count == 2, parts.allSatisfy({ (0...longest).contains($0) }), parts[0] + parts[1] > 0 else {
      return nil
    }
    let (days, seconds) = (parts[0], parts[1])
    switch start {
    case .day(let day): return seconds > 0 ? nil : day.adding(days: Int(days) - 1).map { .day($0) }
    // Days are those of the calendar, however long (RFC 5545 §3.3.6).
    case .moment(let time):
      guard case .moment(let end) = When.moment(time).later(by: Int(days), zone) else { return nil }
      return .moment(end + seconds * 1000)
    }
  }

  /// Counts what has no place here.
  mutating func leave(_ name: String) { left.insert(name) }

  private mutating func readRelation(_ line: ContentLine) {
    guard let id = some(line.value) else { return }
    switch (line.parameters["RELTYPE"] ?? "PARENT").uppercased() {
    case "PARENT" where todo.parent == nil: todo.parent = id
    case "CHILD": parts.append(id)
    default: left.insert(line.name)
    }
  }

  private mutating func readStatus(_ line: ContentLine) {
    hasStatus = true
    switch line.value.uppercased() {
    case "COMPLETED": todo.state = .done
    case "CANCELLED": todo.state = .removed
    default: todo.state = .open
    }
  }

  private mutating func readPriority(_ line: ContentLine) {
    switch Int(line.value) {
    case .some(1...4): todo.priority = .high
    case 5: todo.priority = .medium
    case .some(6...9): todo.priority = .low
    default: todo.priority = nil
    }
  }

  private mutating func readComment(_ line: ContentLine) {
    guard let text = some(line.value) else { return }
    var time: Int64?
    if case .utc(let stamp) = line.parameters["X-TODO-TIME"].flatMap({ Stamp.read(Bytes($0)) }) { time = stamp }
    todo.comments.append(PortableTodo.Comment(time: time, text: text))
  }

  private mutating func when(_ line: ContentLine, _ zone: Zone, _ zones: (String) -> Zone?) -> When? {
    // A date that decides nothing costs nothing else.
    guard let stamp = Stamp.read(Bytes(line.value)) else {
      left.insert(line.name)
      return nil
    }
    if case .utc(let time) = stamp, line.parameters["X-TODO-DAY"] != nil { return .day(Zone.utc.day(at: time)) }
    guard case .local = stamp, let name = line.parameters["TZID"] else { return stamp.when(in: zone) }
    // A name with a slash is a place that everybody knows; others are the file's own.
    let named = name.contains("/") || line.offset == nil ? zones(name) : nil
    let own = line.offset.map { offset in Zone { _ in offset } }
    guard let meant = named ?? own else {
      left.insert("\(line.name) in the time zone \(name)")
      return nil
    }
    return stamp.when(in: meant)
  }

  private func some(_ text: String) -> String? { text.isEmpty ? nil : text }
}
