public import Treesystem

extension CloudTransaction {
  /// A todo's tags as they are now, in order of their text.
  public func tags(of todo: Todo) throws -> [String] {
    try document(of: todo.node, in: .todos)?.document.tags ?? []
  }

  /// Gives a todo a tag, if it has none that is the same whatever its case. It stays where somebody else takes it away
  /// at the same time.
  @discardableResult
  public func addTag(_ tag: Tag, to todo: Todo) throws -> Todo {
    let tags = try tags(of: todo)
    if tags.contains(where: { areSameName($0, tag.text) }) { return todo }
    guard tags.count < Tag.countLimit else { throw TagError.tooMany }
    return try change(todo) { document, now, replica in
      try document.add(Field.tag.rawValue, Array(tag.text.utf8), now: now, replica: replica)
    }
  }

  /// Takes a tag from a todo.
  @discardableResult
  public func removeTag(_ tag: Tag, from todo: Todo) throws -> Todo {
    guard try tags(of: todo).contains(where: { areSameName($0, tag.text) }) else { return todo }
    return try change(todo) { document, now, replica in
      try document.remove(now: now, replica: replica) { element in
        element.field == Field.tag.rawValue && areSameName(TodoCore.text(of: element.value), tag.text)
      }
    }
  }
}
