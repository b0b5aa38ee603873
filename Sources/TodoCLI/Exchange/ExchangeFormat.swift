import Dates
import Formats
import Foundation
import Signing
import TodoCore

/// A kind of file that todos come from and go to.
enum ExchangeFormat: String, CaseIterable {
  /// Our own, which has everything.
  case json
  case todotxt
  case taskwarrior
  case ical
  case markdown

  /// The format that somebody named, or the one that a file's name ends like; our own for a name that ends like nothing.
  init(named name: String?, file: String?) throws {
    if let name {
      guard let format = Self(rawValue: name.lowercased()) else {
        throw Complaint.usage(
          "there is no format '\(Complaint.shortened(name))'",
          hint: "there is: \(Self.allCases.map(\.rawValue).joined(separator: ", "))",
          candidates: similar(to: name, among: Self.allCases.map(\.rawValue)))
      }
      self = format
      return
    }
    let parts = file?.split(separator: "/").last?.split(separator: ".") ?? []
    switch parts.count < 2 ? nil : parts.last?.lowercased() {
    case "json", nil: self = .json
    case "txt": self = .todotxt
    case "ics": self = .ical
    case "md", "markdown": self = .markdown
    case let ending?:
      throw Complaint.usage(
        "what a file with the ending '.\(Complaint.shortened(ending))' holds is not known",
        hint: "say it with --format: \(Self.allCases.map(\.rawValue).joined(separator: ", "))")
    }
  }

  /// Reads the text of a file.
  func read(_ text: String, zone: Zone) -> (entries: [TodoFile.Entry], broken: [BrokenEntry]) {
    let reading: Reading
    switch self {
    case .json: return TodoFile.read(text)
    case .todotxt: reading = TodoTxt.read(text, zone: zone)
    case .taskwarrior: reading = Taskwarrior.read(text, zone: zone).withIDs { TodoID(uuid: $0)?.text ?? $0 }
    case .ical: reading = ICalendar.read(text, zone: zone, zones: { $0 == "UTC" ? .utc : nil })
    case .markdown: reading = Markdown.read(text, zone: zone)
    }
    let entries = reading.todos.map { todo in
      var entry = TodoFile.Entry(todo)
      entry.notes = [todo.note].compactMap { $0 }
      entry.comments = todo.comments.map { TodoFile.Comment(time: $0.time ?? 0, text: $0.text) }
      return entry
    }
    return (entries, reading.broken)
  }

  /// The text of a file.
  func write(_ entries: [TodoFile.Entry], zone: Zone, now: Int64) -> String {
    let todos = entries.map { entry in
      var todo = entry.todo
      todo.note = entry.notes.isEmpty ? nil : entry.notes.joined(separator: "\n\n")
      todo.comments = entry.comments.map { PortableTodo.Comment(time: $0.time, text: $0.text) }
      return todo
    }
    return switch self {
    case .json: TodoFile.write(entries)
    case .todotxt: TodoTxt.write(todos, zone: zone)
    case .taskwarrior: Taskwarrior.write(todos.map { $0.withIDs { TodoID(text: $0)?.uuid ?? $0 } }, zone: zone)
    case .ical: ICalendar.write(todos, now: now)
    case .markdown: Markdown.write(todos, zone: zone)
    }
  }
}

extension Reading {
  fileprivate func withIDs(_ change: (String) -> String) -> Reading {
    var reading = self
    reading.todos = todos.map { $0.withIDs(change) }
    return reading
  }
}

extension PortableTodo {
  fileprivate func withIDs(_ change: (String) -> String) -> PortableTodo {
    var todo = self
    (todo.id, todo.parent) = (id.map(change), parent.map(change))
    return todo
  }
}

/// Taskwarrior takes ids of one form only, and ours have as many bytes.
extension TodoID {
  fileprivate var uuid: String? {
    guard let bytes = Base32.decode(text), bytes.count == 16 else { return nil }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString.lowercased()
  }

  fileprivate init?(uuid text: String) {
    guard let uuid = UUID(uuidString: text) else { return nil }
    self.init(text: Base32.encode(withUnsafeBytes(of: uuid.uuid) { Array($0) }))
  }
}
