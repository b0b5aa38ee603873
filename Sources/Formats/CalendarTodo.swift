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
  private var problem: Problem?

  init(line: Int) { self.line = line }

  mutating func read(_ line: ContentLine, _ zone: Zone, _ zones: (String) -> Zone?) {
    switch line.name {
    case "UID": todo.id = some(line.text)
    case "SUMMARY": todo.title = OneLine.cleaned(line.text) ?? ""
    case "DESCRIPTION": todo.note = some(line.text)
    case "STATUS": readStatus(line)
    case "CATEGORIES": todo.tags += line.texts.compactMap(OneLine.cleaned)
    case "PRIORITY": readPriority(line)
    case "DUE": todo.due = when(line, zone, zones)
    case "DTSTART": todo.start = when(line, zone, zones)
    case "CREATED": todo.created = when(line, zone, zones)
    case "COMPLETED":
      todo.done = when(line, zone, zones)
      isCompleted = true
    case "RRULE": todo.repetition = todo.repetition ?? Rule.cleaned(line.value.trimmed)
    case "RELATED-TO":
      guard (line.parameters["RELTYPE"] ?? "PARENT").uppercased() == "PARENT" else { return }
      todo.parent = todo.parent ?? some(line.text)
    case "COMMENT": readComment(line)
    case "X-TODO-LIST": todo.list = OneLine.cleaned(line.text)
    case "X-TODO-ASSIGNEE": todo.assignee = OneLine.cleaned(line.text)
    default: break
    }
  }

  func finished() -> Result<PortableTodo, Problem> {
    if let problem { return .failure(problem) }
    guard !todo.title.isEmpty else { return .failure(Problem(line: line, reason: Broken.noDescription)) }
    var todo = todo
    if !hasStatus, isCompleted { todo.state = .done }
    return .success(todo)
  }

  private mutating func readStatus(_ line: ContentLine) {
    hasStatus = true
    switch String(line.value.trimmed).uppercased() {
    case "COMPLETED": todo.state = .done
    case "CANCELLED": todo.state = .removed
    default: todo.state = .open
    }
  }

  private mutating func readPriority(_ line: ContentLine) {
    switch line.value.trimmed.number {
    case .some(1...4): todo.priority = .high
    case 5: todo.priority = .medium
    case .some(6...9): todo.priority = .low
    default: todo.priority = nil
    }
  }

  private mutating func readComment(_ line: ContentLine) {
    guard let text = some(line.text) else { return }
    var time: Int64?
    if case .utc(let stamp) = line.parameters["X-TODO-TIME"].flatMap({ Stamp.read(Bytes($0)) }) { time = stamp }
    todo.comments.append(PortableTodo.Comment(time: time, text: text))
  }

  private mutating func when(_ line: ContentLine, _ zone: Zone, _ zones: (String) -> Zone?) -> When? {
    guard let stamp = Stamp.read(line.value.trimmed) else {
      problem = problem ?? Problem(line: line.number, reason: Broken.noDate)
      return nil
    }
    if case .utc(let time) = stamp, line.parameters["X-TODO-DAY"] != nil { return .day(Zone.utc.day(at: time)) }
    guard case .local = stamp, let name = line.parameters["TZID"] else { return stamp.when(in: zone) }
    guard let named = zones(name) else {
      problem = problem ?? Problem(line: line.number, reason: "the time zone is unknown")
      return nil
    }
    return stamp.when(in: named)
  }

  private func some(_ text: String) -> String? { text.isEmpty ? nil : text }
}
