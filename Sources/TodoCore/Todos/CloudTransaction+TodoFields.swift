public import Dates
public import Signing
public import Treesystem

extension CloudTransaction {
  /// Says when a todo is to be done, or with nil that it need not be at any time.
  @discardableResult
  public func setDue(_ when: When?, of todo: Todo) throws -> Todo {
    try when == todo.due ? todo : write(.due, when?.value ?? [], to: todo)
  }

  /// Puts a todo off until then, or with nil no longer.
  @discardableResult
  public func setStart(_ when: When?, of todo: Todo) throws -> Todo {
    try when == todo.start ? todo : write(.start, when?.value ?? [], to: todo)
  }

  @discardableResult
  public func setPriority(_ priority: Priority?, of todo: Todo) throws -> Todo {
    try priority == todo.priority ? todo : write(.priority, Array((priority?.rawValue ?? "").utf8), to: todo)
  }

  /// Makes a todo somebody's task, or nobody's.
  @discardableResult
  public func setAssignee(_ user: UserID?, of todo: Todo) throws -> Todo {
    try user == todo.assignee ? todo : write(.assignee, user?.bytes ?? [], to: todo)
  }

  /// Says how a todo comes back, from the day on which it is due; with nil it does not.
  @discardableResult
  public func setRepetition(_ repetition: Repetition?, of todo: Todo) throws -> Todo {
    try repetition == todo.repetition ? todo : write(.repetition, Array((repetition?.rule ?? "").utf8), to: todo)
  }

  private func write(_ field: Field, _ value: [UInt8], to todo: Todo) throws -> Todo {
    try change(todo) { document, now, replica in
      try document.write(field, value, now: now, replica: replica)
    }
  }
}
