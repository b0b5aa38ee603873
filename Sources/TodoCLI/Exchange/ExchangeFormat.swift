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

  /// The format that somebody named, or the one that a file's name ends like; our own for standard input and output.
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
    guard let file, file != "-" else {
      self = .json
      return
    }
    let name = file.split(separator: "/").last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    switch parts.count < 2 ? "" : parts.last?.lowercased() ?? "" {
    case "json": self = .json
    case "txt": self = .todotxt
    case "ics": self = .ical
    case "md", "markdown": self = .markdown
    default:
      throw Complaint.usage(
        "by its name nobody can tell what '\(Complaint.shortened(String(name)))' holds",
        hint:
          "let it end in .json, .txt, .ics or .md; or say it with --format: \(Self.allCases.map(\.rawValue).joined(separator: ", "))"
      )
    }
  }

  /// Reads a file; nil for what is no Unicode.
  func read(
    _ file: [UInt8], zone: Zone, calendars: @autoclosure () -> (any CalendarParser)?
  ) throws(CalendarError) -> (entries: [TodoFile.Entry], broken: [BrokenEntry], left: [String: Int])? {
    let text = FileText.read(file)
    // A calendar may be folded within a character, and is text only after that.
    guard text != nil || self == .ical else { return nil }
    let reading: Reading
    switch self {
    case .json:
      let (entries, broken) = TodoFile.read(text ?? "")
      return (entries, broken, [:])
    case .todotxt: reading = TodoTxt.read(text ?? "", zone: zone)
    case .taskwarrior: reading = Taskwarrior.read(text ?? "", zone: zone).withIDs { TodoID(uuid: $0)?.text ?? $0 }
    case .markdown: reading = Markdown.read(text ?? "", zone: zone)
    case .ical:
      guard let parser = calendars() else { throw CalendarError.parserEnded }
      guard let calendar = try parser.parse(text.map { Array($0.utf8) } ?? file) else { return nil }
      reading = ICalendar.read(calendar, zone: zone, zones: Zone.init(named:))
    }
    let entries = reading.todos.map { todo in
      var entry = TodoFile.Entry(todo)
      entry.notes = [todo.note].compactMap { $0 }
      entry.comments = todo.comments.map { TodoFile.Comment(time: $0.time ?? 0, text: $0.text) }
      return entry
    }
    return (entries, reading.broken, reading.left)
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

extension Zone {
  /// The zone that this machine knows by a name such as `Europe/Berlin`.
  init?(named name: String) {
    // Some programs put their own name before it: /example.org/Europe/Berlin.
    let parts = name.split(separator: "/")
    let names = [name] + [2, 3].map { parts.suffix($0).joined(separator: "/") }
    guard let zone = names.lazy.compactMap({ TimeZone(identifier: $0) }).first else { return nil }
    self.init { zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval($0))) }
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
