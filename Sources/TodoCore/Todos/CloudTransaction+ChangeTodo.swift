import CloudAPI
public import Treesystem

extension CloudTransaction {
  /// Gives a todo another title. Returns the todo as it is now.
  @discardableResult
  public func setTitle(_ title: Title, of todo: Todo) throws -> Todo {
    guard title.text != todo.title else { return todo }
    return try change(todo) { document, now, replica in
      try document.write(.title, Array(title.text.utf8), now: now, replica: replica)
    }
  }

  /// Ticks a todo or opens it again. Returns the todo as it is now; one that is so already keeps its time.
  @discardableResult
  public func setDone(_ done: Bool, _ todo: Todo) throws -> Todo {
    guard done != (todo.doneAt != nil) else { return todo }
    return try change(todo) { document, now, replica in
      try document.write(.done, done ? timeValue(now) : [], now: now, replica: replica)
    }
  }

  /// Opens a todo again, and those of its parts that were ticked along with it. What was ticked before stays so: that was another deed. Returns
  /// them as they are now.
  public func open(_ todo: Todo) throws -> [Todo] {
    let along = try allParts(of: todo).filter { part in
      guard part.state == .done, let whole = todo.doneAt, let time = part.doneAt else { return false }
      return time >= whole
    }
    return try ([todo] + along).map { try setDone(false, $0) }
  }

  /// Puts a todo into the trash. An edit that its author made without seeing this brings it back.
  @discardableResult
  public func removeTodo(_ todo: Todo) throws -> Todo {
    try change(todo) { document, now, replica in document.delete(now: now, replica: replica) }
  }

  /// Takes a todo out of the trash.
  @discardableResult
  public func restoreTodo(_ todo: Todo) throws -> Todo {
    try change(todo) { document, now, replica in try document.restore(now: now, replica: replica) }
  }

  /// Changes a todo's document, and queues its upload.
  func change(
    _ todo: Todo, _ body: (inout Document, _ now: Int64, _ replica: Replica) throws -> Void
  ) throws -> Todo {
    guard var content = try storedDocument(of: todo.node, in: .todos)?.broughtBack(of: todo.node, in: self) else {
      throw TreeError.noSuchNode
    }
    let (now, replica) = (clock.now(), try replica())
    let before = content.document
    try content.change { document in try body(&document, now, replica) }
    content.fit()
    try logOwn(of: todo.node, on: todo.list, from: before, to: content.document)
    try remember(todo.node, from: before, to: content.document)
    try store(content, of: todo.id, node: todo.node, list: todo.list)
    try queueDataUpload(forNodeID: todo.node)
    return try self.todo(todo.node) ?? todo
  }
}
