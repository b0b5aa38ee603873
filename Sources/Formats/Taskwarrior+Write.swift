public import Dates

extension Taskwarrior {
  /// Writes a file, one task a line. A rule that `recur` cannot express, or that has no due date, which Taskwarrior asks for, is
  /// written as `rrule`; a comment without a time gets that of its todo, or the first.
  /// - Parameter zone: where the day of something without a time begins.
  public static func write(_ todos: [PortableTodo], zone: Zone) -> String {
    let lines = todos.lazy.map { "{" + fields(of: $0, zone).joined(separator: ",") + "}" }
    return todos.isEmpty ? "[]\n" : "[\n" + lines.joined(separator: ",\n") + "\n]\n"
  }

  /// Taskwarrior reads no file with a date before 1980, in milliseconds since 1970.
  private static var first: Int64 { 315_532_800_000 }

  private static func fields(of todo: PortableTodo, _ zone: Zone) -> [String] {
    func stamp(_ when: When?) -> String? {
      when.map { zone.start(of: $0) }.flatMap { $0 < first ? nil : Stamp.text($0) }
    }
    let recur = todo.due == nil ? nil : todo.repetition.flatMap(TaskRecurrence.recur)
    let texts: [(String, String?)] = [
      ("uuid", todo.id),
      ("status", status(todo, isRecurring: recur != nil)),
      ("description", OneLine.title(of: todo)),
      ("project", todo.list.flatMap(OneLine.cleaned)),
      ("priority", todo.priority.map(letter)),
      ("due", stamp(todo.due)),
      ("wait", stamp(todo.start)),
      ("entry", stamp(todo.created)),
      ("end", todo.state == .open ? nil : stamp(todo.done)),
      ("recur", recur),
      ("rrule", recur == nil ? todo.repetition.flatMap(Rule.cleaned) : nil),
      ("assignee", todo.assignee.flatMap(OneLine.cleaned)),
      ("partof", todo.parent),
      ("note", todo.note),
    ]
    var fields = texts.compactMap { key, text in text.flatMap { $0.isEmpty ? nil : "\"\(key)\":" + JSONText.quoted($0) }
    }
    let tags = todo.tags.compactMap(OneLine.cleaned).map(JSONText.quoted)
    if !tags.isEmpty { fields.append("\"tags\":[\(tags.joined(separator: ","))]") }
    if !todo.comments.isEmpty {
      let comments = todo.comments.map { comment in
        let time = comment.time ?? todo.created.map { zone.start(of: $0) } ?? first
        return "{\"entry\":\"\(Stamp.text(max(time, first)))\",\"description\":\(JSONText.quoted(comment.text))}"
      }
      fields.append("\"annotations\":[\(comments.joined(separator: ","))]")
    }
    return fields
  }

  private static func status(_ todo: PortableTodo, isRecurring: Bool) -> String {
    switch todo.state {
    case .open: isRecurring ? "recurring" : "pending"
    case .done: "completed"
    case .removed: "deleted"
    }
  }

  private static func letter(_ priority: PortableTodo.Priority) -> String {
    switch priority {
    case .high: "H"
    case .medium: "M"
    case .low: "L"
    }
  }
}
