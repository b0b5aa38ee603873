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
    return file.reading
  }
}

/// The objects of a file, one after the other.
private struct TaskFile {
  var reader: JSONReader
  let zone: Zone
  var reading = Reading()

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
      guard let todo = try TaskObject(fields: object, zone: zone).todo() else {
        return report(Broken.noDescription, line: line)
      }
      reading.todos.append(todo)
    } catch let failure as JSONFailure {
      report(failure.rawValue, line: line)
      reader.skipObject(at: start, line: line, indent: indent)
    } catch {
      report(Broken.noDate, line: line)
    }
  }

  /// The rest of a line that is broken already says nothing new.
  private mutating func report(_ reason: String, line: Int) {
    guard reading.broken.last?.line != line else { return }
    reading.broken.append(BrokenEntry(line: line, reason: reason))
  }
}

/// A date that is none.
private struct NoDate: Error {}

private struct TaskObject {
  let fields: [String: JSON]
  let zone: Zone

  /// Nil for a task without a description.
  func todo() throws(NoDate) -> PortableTodo? {
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
    default: break
    }
    todo.due = try when("due")
    todo.start = try when("wait")
    if todo.start == nil { todo.start = try when("scheduled") }
    todo.created = try when("entry")
    switch text("status") {
    case "completed": todo.state = .done
    case "deleted": todo.state = .removed
    default: break
    }
    if todo.state != .open { todo.done = try when("end") }
    // What a template has made, which names it as `parent`, comes back by the template.
    if text("parent") == nil {
      todo.repetition = text("rrule").flatMap(Rule.cleaned) ?? text("recur").flatMap(TaskRecurrence.rule)
    }
    for annotation in fields["annotations"]?.list ?? [] {
      guard let fields = annotation.object, let text = fields["description"]?.text else { continue }
      let time = try TaskObject(fields: fields, zone: zone).moment("entry")
      todo.comments.append(PortableTodo.Comment(time: time, text: text))
    }
    return todo
  }

  private func text(_ key: String) -> String? {
    fields[key]?.text.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func line(_ key: String) -> String? { text(key).flatMap(OneLine.cleaned) }

  private func when(_ key: String) throws(NoDate) -> When? {
    guard let text = text(key) else { return nil }
    guard let when = Stamp.read(Bytes(text))?.when(in: zone) else { throw NoDate() }
    let day = zone.day(of: when)
    return zone.start(of: when) == zone.start(of: day) ? .day(day) : when
  }

  private func moment(_ key: String) throws(NoDate) -> Int64? {
    guard let text = text(key) else { return nil }
    guard let when = Stamp.read(Bytes(text))?.when(in: zone) else { throw NoDate() }
    return zone.start(of: when)
  }
}
