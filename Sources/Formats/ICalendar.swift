public import Dates

/// The VTODO of iCalendar (RFC 5545), in which calendars exchange todos.
///
/// The list, the assignee and the time of a comment, which it has no word for, stand in `X-TODO-LIST`, `X-TODO-ASSIGNEE` and the
/// parameter `X-TODO-TIME`; the parameter `X-TODO-DAY` marks a day where only a time may stand.
public enum ICalendar {
  /// Reads a file. A todo with a date that cannot be understood is broken, because without it it would be another.
  /// - Parameters:
  ///   - zone: where times are meant that name no zone.
  ///   - zones: the zone of a name such as `Europe/Berlin`; nil for an unknown one.
  public static func read(_ text: String, zone: Zone, zones: (String) -> Zone?) -> Reading {
    var file = CalendarFile(zone: zone)
    for (number, bytes) in UnfoldedLines(text) { file.read(number, bytes, zones) }
    return file.finished()
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

  init(zone: Zone) { self.zone = zone }

  mutating func read(_ number: Int, _ bytes: Bytes, _ zones: (String) -> Zone?) {
    let isInTodo = open.last?.name == "VTODO"
    guard let line = ContentLine(number: number, bytes) else {
      let isOurs = isInTodo || open.isEmpty || open.last?.name == "VCALENDAR"
      return isOurs ? report("this is no line of a calendar", line: number) : ()
    }
    switch line.name {
    case "BEGIN": begin(String(line.value.trimmed).uppercased(), line: number)
    case "END": end(String(line.value.trimmed).uppercased(), line: number)
    case _ where open.isEmpty: report("this is outside of any calendar", line: number)
    case _ where isInTodo: todo?.read(line, zone, zones)
    case "X-WR-CALNAME" where open.count == 1: calendarName = OneLine.cleaned(line.text)
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
    open.append((name, line))
    if name == "VTODO" { todo = CalendarTodo(line: line) }
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
    guard let todo else { return }
    switch todo.finished() {
    case .success(let todo): reading.todos.append(todo)
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

  private mutating func report(_ reason: String, line: Int) {
    reading.broken.append(BrokenEntry(line: line, reason: reason))
  }

  mutating func finished() -> Reading {
    close(to: 0)
    reading.broken.sort { $0.line < $1.line }
    return reading
  }
}
