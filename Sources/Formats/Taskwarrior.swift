public import Dates

/// What `task export` of Taskwarrior 2.6 and 3 prints, and `task import` reads: JSON, a list of objects or one object a line.
///
/// Three user defined attributes say what Taskwarrior has no word for: `assignee`, `partof` (the id of the whole) and `note`; and
/// `rrule` what its `recur` cannot.
public enum Taskwarrior {
  /// Reads a file.
  /// - Parameter zone: where its user is: a time there that is midnight stands for a day.
  public static func read(_ text: String, zone: Zone) -> Reading {
    var file = TaskFile(reader: JSONReader(text), zone: zone)
    file.read()
    file.settleSeries()
    return file.reading
  }

  /// Whether a file looks like one: a list, or objects that have what every task has.
  public static func isLikely(_ text: String) -> Bool {
    let start = Bytes(text).prefix(1 << 16).drop {
      $0 == .space || $0 == .tab || $0 == .lineFeed || $0 == .carriageReturn
    }
    if start.first == .bracket { return true }
    let text = String(start)
    return start.first == .brace && text.contains("\"description\"") && text.contains("\"uuid\"")
  }
}

/// The objects of a file, one after the other.
private struct TaskFile {
  var reader: JSONReader
  let zone: Zone
  var reading = Reading()
  /// By their ids: which todo is a template, and which ones a template has made.
  private var templates: [String: Int] = [:]
  private var instances: [String: [Int]] = [:]

  init(reader: JSONReader, zone: Zone) { (self.reader, self.zone) = (reader, zone) }

  /// A template and what it has made are one series: what is open of it is the todo that comes back, due when the first of them is. Where
  /// there is no template, the first of them comes back.
  mutating func settleSeries() {
    var gone: Set<Int> = []
    for (id, made) in instances {
      for index in made where reading.todos[index].state != .open { reading.todos[index].repetition = nil }
      let open = made.filter { reading.todos[$0].state == .open }.sorted { start(of: $0) < start(of: $1) }
      guard let template = templates[id], reading.todos[template].repetition != nil else {
        for index in open.dropFirst() { reading.todos[index].repetition = nil }
        // Without a rule it is nothing but what it has made.
        if let template = templates[id], !made.isEmpty { gone.insert(template) }
        continue
      }
      let same = open.filter { isSame($0, as: template) }
      for index in open where !same.contains(index) { reading.todos[index].repetition = nil }
      guard let first = same.first else { continue }
      // What somebody said of one day is said of the series.
      var todo = reading.todos[first]
      (todo.id, todo.repetition) = (id, reading.todos[template].repetition)
      // Taskwarrior makes it when it is asked for.
      todo.created = reading.todos[template].created
      todo.comments = same.flatMap { reading.todos[$0].comments }
      reading.todos[template] = todo
      gone.formUnion(same)
    }
    reading.todos = reading.todos.indices.filter { !gone.contains($0) }.map { reading.todos[$0] }
  }

  /// Whether nobody gave one of a series words of its own.
  private func isSame(_ index: Int, as template: Int) -> Bool {
    let (one, other) = (reading.todos[index], reading.todos[template])
    return one.title == other.title && one.note == other.note && one.tags == other.tags
      && one.priority == other.priority && one.list == other.list
  }

  private func start(of index: Int) -> Int64 { reading.todos[index].due.map(zone.start(of:)) ?? .max }

  mutating func read() {
    var isOpen = false
    var mayEndWithComma = false
    while true {
      reader.skipSpace()
      switch reader.byte {
      case .bracket where !isOpen: (isOpen, mayEndWithComma) = (true, false)
      case .closingBracket where isOpen: (isOpen, mayEndWithComma) = (false, false)
      case .comma where mayEndWithComma: mayEndWithComma = false
      case .brace:
        readObject()
        mayEndWithComma = true
        continue
      case nil:
        if isOpen { report("the file ends early", line: reader.line) }
        return
      default:
        report("not a task", line: reader.line)
        reader.skipRubbish()
        continue
      }
      reader.position += 1
    }
  }

  private mutating func readObject() {
    let (start, line, indent) = (reader.position, reader.line, reader.indent)
    do {
      let object = try reader.value().object ?? [:]
      var task = TaskObject(fields: object, zone: zone)
      guard let todo = task.todo() else { return report(Broken.noDescription, line: line) }
      if let series = task.series { instances[series, default: []].append(reading.todos.count) }
      if task.isTemplate, let id = todo.id { templates[id] = reading.todos.count }
      reading.leave(task.left)
      reading.todos.append(todo)
    } catch {
      report(error.rawValue, line: line)
      reader.skipObject(at: start, line: line, indent: indent)
    }
  }

  /// The rest of a line that is broken already says nothing new.
  private mutating func report(_ reason: String, line: Int) {
    guard reading.broken.last?.line != line else { return }
    reading.broken.append(BrokenEntry(line: line, reason: reason))
  }
}

private struct TaskObject {
  let fields: [String: JSON]
  let zone: Zone
  /// The attributes that cannot be kept.
  private(set) var left: Set<String> = []

  init(fields: [String: JSON], zone: Zone) { (self.fields, self.zone) = (fields, zone) }

  /// What is kept, and what follows from that.
  private static let known: Set = [
    "uuid", "partof", "description", "project", "note", "assignee", "tags", "priority", "due", "wait", "scheduled",
    "entry",
    "status", "end", "recur", "rrule", "until", "parent", "annotations", "id", "urgency", "modified", "mask", "imask",
    "rtype", "template", "last",
  ]

  var isTemplate: Bool { text("status") == "recurring" }

  /// The template that made it.
  var series: String? { text("parent") }

  /// Nil for a task without a description.
  mutating func todo() -> PortableTodo? {
    guard let title = line("description") else { return nil }
    var todo = PortableTodo(title: title)
    todo.id = text("uuid")
    todo.parent = text("partof")
    todo.list = line("project")
    todo.note = text("note")
    todo.assignee = line("assignee")
    todo.tags = fields["tags"]?.list?.compactMap { $0.text.flatMap(OneLine.cleaned) } ?? []
    switch text("priority") {
    case "H": todo.priority = .high
    case "M": todo.priority = .medium
    case "L": todo.priority = .low
    case nil: break
    default: left.insert("priority")
    }
    todo.due = when("due")
    todo.start = when("wait")
    if todo.start == nil {
      todo.start = when("scheduled")
    } else if text("scheduled") != nil {
      left.insert("scheduled")
    }
    todo.created = when("entry")
    switch text("status") {
    case "completed": todo.state = .done
    case "deleted": todo.state = .removed
    default: break
    }
    if todo.state != .open { todo.done = when("end") }
    readRecurrence(into: &todo)
    left.formUnion(fields.keys.filter { !Self.known.contains($0) })
    for annotation in fields["annotations"]?.list ?? [] {
      guard let fields = annotation.object, let text = fields["description"]?.text else { continue }
      let time = Self.moment(fields["entry"]?.text, zone)
      todo.comments.append(PortableTodo.Comment(time: time, text: text))
    }
    return todo
  }

  /// A series with an end is none that goes on.
  private mutating func readRecurrence(into todo: inout PortableTodo) {
    if text("until") != nil { left.insert("until") }
    if let rule = text("rrule").flatMap(Rule.cleaned) {
      todo.repetition = rule
      return
    }
    guard let recur = text("recur") else { return }
    todo.repetition = text("until") == nil ? TaskRecurrence.rule(recur) : nil
    if todo.repetition == nil { left.insert("recur \(recur)") }
  }

  private func text(_ key: String) -> String? {
    fields[key]?.text.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func line(_ key: String) -> String? { text(key).flatMap(OneLine.cleaned) }

  private mutating func when(_ key: String) -> When? {
    guard let text = text(key) else { return nil }
    // A date that decides nothing costs nothing else.
    guard let when = Stamp.read(Bytes(text))?.when(in: zone) else {
      left.insert(key)
      return nil
    }
    let day = zone.day(of: when)
    return zone.start(of: when) == zone.start(of: day) ? .day(day) : when
  }

  private static func moment(_ text: String?, _ zone: Zone) -> Int64? {
    text.flatMap { Stamp.read(Bytes($0)) }.map { zone.start(of: $0.when(in: zone)) }
  }
}
