public import Dates

/// A todo on its way into another program or back, in the terms that todo programs have in common.
public struct PortableTodo: Hashable, Sendable {
  public enum Priority: String, Sendable, CaseIterable {
    case high
    case medium
    case low
  }

  public enum State: String, Sendable {
    case open
    case done
    /// Deleted: only Taskwarrior and iCalendar tell (`deleted`, `CANCELLED`).
    case removed
  }

  /// Where it came from calls it so; the same in every export. Nil where the format has no ids.
  public var id: String?
  /// The id of the todo that it is a part of.
  public var parent: String?
  public var title: String
  /// The list, project or heading that it stands on.
  public var list: String?
  public var note: String?
  public var state: State = .open
  /// In the order in which they stand there, without `+` or `@` before them.
  public var tags: [String] = []
  public var priority: Priority?
  /// Whose task it is, as a name without `@`.
  public var assignee: String?
  public var due: When?
  /// Hidden until then.
  public var start: When?
  public var created: When?
  public var done: When?
  /// How it comes back, as the value of an RRULE: `FREQ=WEEKLY;INTERVAL=2`.
  public var repetition: String?
  /// What was said about it, in order: with its time in milliseconds since 1970.
  public var comments: [Comment] = []

  public struct Comment: Hashable, Sendable {
    public var time: Int64?
    public var text: String

    public init(time: Int64?, text: String) {
      self.time = time
      self.text = text
    }
  }

  public init(title: String) { self.title = title }
}

/// A line or object that could not be read.
public struct BrokenEntry: Hashable, Sendable {
  /// From 1.
  public let line: Int
  /// Why, lower case and without a full stop.
  public let reason: String

  public init(line: Int, reason: String) {
    self.line = line
    self.reason = reason
  }
}

/// What was read from a file: what could be, and what could not.
public struct Reading: Hashable, Sendable {
  public var todos: [PortableTodo] = []
  public var broken: [BrokenEntry] = []
  /// What was not kept of todos that were, as the format calls it, and of how many: `["DURATION": 2]`.
  public var left: [String: Int] = [:]

  public init(todos: [PortableTodo] = [], broken: [BrokenEntry] = []) {
    self.todos = todos
    self.broken = broken
  }

  /// Counts what was not kept of a todo.
  mutating func leave(_ names: Set<String>) { for name in names { left[name, default: 0] += 1 } }
}
