public import Treesystem

extension CloudTransaction {
  /// What is written beside a todo's title, the latest first: several texts where people wrote at the same time.
  public func notes(of todo: Todo) throws -> [String] {
    try document(of: todo.node, in: .todos)?.document.notes ?? []
  }

  /// The same with what is known of who wrote each, and when.
  public func writtenNotes(of todo: Todo) throws -> [WrittenNote] {
    guard let document = try document(of: todo.node, in: .todos)?.document else { return [] }
    let replica = try knownReplica()
    let elements = document.elements(of: Field.note.rawValue)
    return try document.notes.compactMap { text in
      // Two who wrote the same said one thing; the later one counts.
      guard let note = elements.last(where: { TodoCore.text(of: $0.value) == text }) else { return nil }
      let deed = try deed(of: note, at: todo.node)
      return WrittenNote(
        text: text, time: Int64(clamping: note.stamp.time), isOwn: note.stamp.replica == replica && deed.via == nil,
        deed: deed)
    }
  }

  /// Writes what stands beside a todo's title, in place of every text that is here now. What somebody else writes at the
  /// same time stays as well.
  @discardableResult
  public func setNote(_ note: Note, of todo: Todo) throws -> Todo {
    guard try notes(of: todo) != (note.text.isEmpty ? [] : [note.text]) else { return todo }
    return try change(todo) { document, now, replica in
      let isNote = { (element: Register) in element.field == Field.note.rawValue }
      if note.text.isEmpty { return try document.remove(now: now, replica: replica, where: isNote) }
      document.remove(where: isNote)
      try document.add(Field.note.rawValue, Array(note.text.utf8), now: now, replica: replica)
    }
  }

  /// Texts that stood beside a todo's title before, the latest first.
  public func earlierNotes(of todo: Todo) throws -> [String] {
    try earlierTexts(of: todo, .note, now: notes(of: todo))
  }

  /// The different texts that a field had and has no more, the latest first.
  func earlierTexts(of todo: Todo, _ field: Field, now: [String]) throws -> [String] {
    let history = try document(of: todo.node, in: .todos)?.history.overwritten ?? []
    let writes = try (history + displaced(from: todo.node)).sorted()
    var texts: [String] = []
    for register in writes.reversed() where register.field == field.rawValue {
      let text = TodoCore.text(of: register.value)
      if !now.contains(text), !texts.contains(text) { texts.append(text) }
    }
    return texts
  }
}
