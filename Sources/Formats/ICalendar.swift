public import Dates

/// The VTODO of iCalendar (RFC 5545), in which calendars exchange todos.
///
/// The list, the assignee and the time of a comment, which it has no word for, stand in `X-TODO-LIST`, `X-TODO-ASSIGNEE` and the
/// parameter `X-TODO-TIME`; the parameter `X-TODO-DAY` marks a day where only a time may stand.
public enum ICalendar {
  /// Reads what a `CalendarParser` made of a file. A date that cannot be understood is left out and counted.
  /// - Parameters:
  ///   - zone: where times are meant that name no zone.
  ///   - zones: the zone of a name such as `Europe/Berlin`; nil for an unknown one.
  public static func read(_ file: ParsedCalendar, zone: Zone, zones: (String) -> Zone?) -> Reading {
    var reader = CalendarFile(zone: zone)
    for element in file { reader.read(element.line, zones) }
    return reader.finished()
  }
}

/// What was read of a file so far.
private struct CalendarFile {
  /// No calendar nests deeper than its alarms.
  static let deepest = 64

  let zone: Zone
  var reading = Reading()
  /// The components that are open, and where they begin.
  var open: [(name: String, line: Int)] = []
  var todo: CalendarTodo?
  var calendarName: String?
  /// How many todos there were before the calendar.
  var before = 0
  /// By what todos say of others: the whole of a part, by their ids.
  var wholes: [String: String] = [:]
  /// Which todos stand for one day of a series.
  var occurrences: [Int: When] = [:]

  init(zone: Zone) { self.zone = zone }

  mutating func read(_ line: ContentLine, _ zones: (String) -> Zone?) {
    let isInTodo = open.last?.name == "VTODO"
    switch line.name {
    case "":
      let isOurs = isInTodo || open.isEmpty || open.last?.name == "VCALENDAR"
      if isOurs { report("this is no line of a calendar", line: line.number) }
    case "BEGIN": begin(line.value.uppercased(), line: line.number)
    case "END": end(line.value.uppercased(), line: line.number)
    case _ where open.isEmpty: report("this is outside of any calendar", line: line.number)
    case _ where isInTodo: todo?.read(line, zone, zones)
    case "X-WR-CALNAME" where open.count == 1: calendarName = OneLine.cleaned(line.value)
    default: break
    }
  }

  private mutating func begin(_ name: String, line: Int) {
    switch name {
    case "VCALENDAR": close(to: 0)
    case "VTODO": open.firstIndex { $0.name == name }.map { close(to: $0) }
    case _ where open.isEmpty: report("this is no calendar", line: line)
    default: break
    }
    guard open.count < Self.deepest else { return report("this is nested too deeply", line: line) }
    if open.last?.name == "VCALENDAR", !["VTODO", "VTIMEZONE"].contains(name) { reading.leave([name]) }
    open.append((name, line))
    if name == "VTODO" { todo = CalendarTodo(line: line) } else { todo?.leave(name) }
  }

  private mutating func end(_ name: String, line: Int) {
    guard let index = open.lastIndex(where: { $0.name == name }) else {
      return report("this ends what has no beginning", line: line)
    }
    close(to: index + 1)
    if name == "VTODO" { finishTodo() }
    open.removeLast()
    if open.isEmpty { finishCalendar() }
  }

  /// Gives up what is open beyond so many components, because its end is missing.
  private mutating func close(to count: Int) {
    while open.count > count, let (name, line) = open.popLast() {
      if name == "VTODO" {
        todo = nil
        report("the todo has no end", line: line)
      }
      if name == "VCALENDAR" { report("the calendar has no end", line: line) }
    }
    if open.isEmpty { finishCalendar() }
  }

  private mutating func finishTodo() {
    guard var todo else { return }
    switch todo.finished(zone) {
    case .success(let finished):
      if let id = finished.id { for part in todo.parts { wholes[part] = wholes[part] ?? id } }
      if let occurrence = todo.occurrence { occurrences[reading.todos.count] = occurrence }
      reading.leave(todo.left)
      reading.todos.append(finished)
    case .failure(let problem): report(problem.reason, line: problem.line)
    }
    self.todo = nil
  }

  /// The name of a calendar may come after its todos.
  private mutating func finishCalendar() {
    for index in before..<reading.todos.count where reading.todos[index].list == nil {
      reading.todos[index].list = calendarName
    }
    (before, calendarName) = (reading.todos.count, nil)
  }

  /// A day of a series that stands by itself is a todo of its own, and the series goes on behind those.
  private mutating func settleSeries() {
    var apart: [String: Set<Day>] = [:]
    for (index, occurrence) in occurrences {
      guard let id = reading.todos[index].id else { continue }
      apart[id, default: []].insert(zone.day(of: occurrence))
      reading.todos[index].id = "\(id)/\(Stamp.text(occurrence))"
      reading.todos[index].repetition = nil
    }
    for index in reading.todos.indices where occurrences[index] == nil {
      let todo = reading.todos[index]
      guard let id = todo.id, let days = apart[id], let rule = todo.repetition, todo.state == .open,
        let first = (todo.start ?? todo.due).map(zone.day(of:)),
        let repetition = Rule.followed(rule, from: first)?.anchored(at: first)
      else { continue }
      var day = first
      while days.contains(day), let next = repetition.next(from: day) { day = next }
      if day != first { reading.todos[index].repetition = repetition.rule }
      let later = day.number - first.number
      reading.todos[index].due = todo.due.map { $0.later(by: later, zone) }
      reading.todos[index].start = todo.start.map { $0.later(by: later, zone) }
    }
  }

  private mutating func report(_ reason: String, line: Int) {
    reading.broken.append(BrokenEntry(line: line, reason: reason))
  }

  mutating func finished() -> Reading {
    close(to: 0)
    for index in reading.todos.indices where reading.todos[index].parent == nil {
      reading.todos[index].parent = reading.todos[index].id.flatMap { wholes[$0] }
    }
    settleSeries()
    reading.broken.sort { $0.line < $1.line }
    return reading
  }
}

extension When {
  /// The same time of day so many days later; itself where the calendar ends.
  func later(by days: Int, _ zone: Zone) -> When {
    guard let day = zone.day(of: self).adding(days: days) else { return self }
    guard case .moment(let time) = self else { return .day(day) }
    return .moment(zone.moment(of: WallTime(day: day, minute: zone.wallTime(at: time).minute)))
  }
}
