import ArgumentParser
import Dates
import TodoCore

/// A todo as a text that somebody edits: lines of `name: value`, an empty line, and the note.
struct EditSheet: Equatable {
  private var values: [Name: String]
  private var note: String

  private enum Name: String, CaseIterable {
    case title, due, start, priority, assign
    case repetition = "repeat"
    case tags
  }

  /// - Parameters:
  ///   - notes: several where people wrote at the same time; they become one if they are touched.
  ///   - assignee: a handle.
  init(_ todo: Todo, notes: [String], assignee: String?, zone: Zone) {
    let values: [Name: String] = [
      .title: todo.title, .due: Self.words(todo.due, zone), .start: Self.words(todo.start, zone),
      .priority: todo.priority?.rawValue ?? "", .assign: assignee ?? "",
      .repetition: todo.repetition?.words ?? "", .tags: todo.tags.joined(separator: " "),
    ]
    // One line for each: a line break in a title of somebody else's is not the beginning of another field.
    self.values = values.mapValues { harmless($0).trimmed }
    note = notes.map(Self.lines).joined(separator: "\n\n").trimmed
  }

  /// A text of several lines, of which none has what steers a terminal.
  private static func lines(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { harmless(String($0)) }
      .joined(separator: "\n")
  }

  private static func words(_ when: When?, _ zone: Zone) -> String {
    switch when {
    case nil: return ""
    case .day(let day): return day.iso
    case .moment(let time):
      let wall = zone.wallTime(at: time)
      return "\(wall.day.iso) \(wall.clock)"
    }
  }

  var text: String {
    let lines = Name.allCases.map { "\($0.rawValue): \(values[$0] ?? "")".trimmed }
    return """
      # Change what you like, save, and close the editor. What has no value is taken away.
      # Dates are written as anywhere: fri, tomorrow 18:00, in 2 weeks. The note stands below the empty line.
      \(lines.joined(separator: "\n"))

      \(note)

      """
  }

  /// Whether somebody left nothing of a sheet but remarks.
  static func isEmpty(_ text: String) -> Bool {
    text.split(whereSeparator: \.isNewline).map(\.trimmed).allSatisfy { $0.isEmpty || $0.hasPrefix("#") }
  }

  /// Reads what somebody made of it.
  init(text: String) throws(Complaint) {
    (values, note) = ([:], "")
    // Some editors end a line with CR and LF.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    var index = 0
    while index < lines.count {
      let line = lines[index].trimmed
      index += 1
      if line.hasPrefix("#") { continue }
      if line.isEmpty {
        if values.isEmpty { continue }
        break
      }
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
      guard parts.count == 2, let name = Name(rawValue: parts[0].lowercased()) else {
        throw Self.wrong(
          "line \(index): '\(Complaint.shortened(line))' is no field", "the note stands below an empty line")
      }
      guard values.updateValue(parts[1], forKey: name) == nil else {
        throw Self.wrong("line \(index): '\(name.rawValue)' stands there twice", "leave one of them")
      }
    }
    if values[.title, default: ""].isEmpty { throw Self.wrong("there is no title", "write one behind 'title:'") }
    note = lines[index...].joined(separator: "\n").trimmed
  }

  private static func wrong(_ message: String, _ hint: String) -> Complaint {
    Complaint("sheet", .badData, message, hint: hint)
  }

  /// What somebody changed, as the options of `todo edit`.
  func changes(since before: EditSheet) throws -> SheetChanges {
    func new(_ name: Name) -> String? {
      let value = values[name] ?? ""
      return value == before.values[name] ?? "" ? nil : value.isEmpty ? "none" : value
    }
    var fields = try FieldOptions.parse([])
    (fields.due, fields.start, fields.priority) = (new(.due), new(.start), new(.priority))
    (fields.assign, fields.repetition) = (new(.assign), new(.repetition))
    if note != before.note { fields.note = note }
    let (tags, old) = (self.tags, before.tags)
    fields.tag = tags.filter { !old.contains($0) }
    return SheetChanges(title: new(.title), fields: fields, untag: old.filter { !tags.contains($0) })
  }

  private var tags: [String] {
    (values[.tags] ?? "").split { $0 == " " || $0 == "," }.map { String($0.hasPrefix("+") ? $0.dropFirst() : $0) }
  }
}

/// What somebody changed in an editor.
struct SheetChanges {
  let title: String?
  let fields: FieldOptions
  let untag: [String]

  var isEmpty: Bool { title == nil && fields.isEmpty && untag.isEmpty }
}
