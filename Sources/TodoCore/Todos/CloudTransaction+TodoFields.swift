public import Dates
public import Signing
public import Treesystem

extension CloudTransaction {
  /// Says when a todo is to be done, or with nil that it need not be at any time.
  /// - Parameter clock: by which a moment is meant.
  @discardableResult
  public func setDue(_ when: When?, by clock: ZonedTime? = nil, of todo: Todo) throws -> Todo {
    if when == todo.due { return todo }
    return try change(todo) { document, now, replica in
      try document.write(.due, when?.value ?? [], now: now, replica: replica)
      if let clock { try document.write(.clock, Array(clock.text.utf8), now: now, replica: replica) }
    }
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
  /// - Parameter clock: by which a moment is meant at which it is due, where nobody has said it.
  @discardableResult
  public func setRepetition(_ repetition: Repetition?, by clock: ZonedTime? = nil, of todo: Todo) throws -> Todo {
    if repetition == todo.repetition { return todo }
    return try change(todo) { document, now, replica in
      try document.write(.repetition, Array((repetition?.rule ?? "").utf8), now: now, replica: replica)
      guard let clock, document.clock == nil else { return }
      try document.write(.clock, Array(clock.text.utf8), now: now, replica: replica)
    }
  }

  private func write(_ field: Field, _ value: [UInt8], to todo: Todo) throws -> Todo {
    try change(todo) { document, now, replica in
      try document.write(field, value, now: now, replica: replica)
    }
  }
}
