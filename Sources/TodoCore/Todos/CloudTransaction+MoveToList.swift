import GRDB
public import Treesystem

extension CloudTransaction {
  /// Takes a todo to another list, with everything below it. Returns the todo as it is now.
  ///
  /// Where the other list has the very same todo, which two people who took it to different lists can bring about, both become one.
  @discardableResult
  public func moveTodo(_ todo: Todo, to list: NodeID) throws -> Todo {
    guard let target = try node(list), let node = try node(todo.node) else { throw TreeError.noSuchNode }
    if node.branch == target.branch {
      if todo.parent == nil { return todo }
      try remember(.moved, todo.node, origin: node.parent)
      try move(node.id, to: list)
      return try self.todo(node.id) ?? todo
    }
    if let twin = try node.cloudID.flatMap({ try self.node($0, in: target.branch) }) {
      return try join(todo, into: twin.id, of: list)
    }
    try remember(.moved, todo.node, origin: node.parent)
    let moved = try move(node.id, to: list)
    for member in try below(moved) { try setList(of: member) }
    return try self.todo(node.id) ?? todo
  }

  /// Makes a todo a part of another one of its list, or of another list, with everything below it. Returns the todo as it is now.
  /// - Throws: `TreeError.parentInvalid` where it would be a part of itself, or too deep.
  @discardableResult
  public func moveTodo(_ todo: Todo, below parent: Todo) throws -> Todo {
    guard let node = try node(todo.node) else { throw TreeError.noSuchNode }
    if node.parent == parent.node { return todo }
    try remember(.moved, todo.node, origin: node.parent)
    let moved = try move(node.id, to: parent.node)
    for member in try below(moved) { try setList(of: member) }
    return try self.todo(node.id) ?? todo
  }

  private func join(_ todo: Todo, into twin: NodeID, of list: NodeID) throws -> Todo {
    guard let content = try document(of: todo.node, in: .todos) else { throw TreeError.noSuchNode }
    let joined = try document(of: twin, in: .todos)?.joined(content) ?? content
    try store(joined, of: todo.id, node: twin, list: list)
    try queueDataUpload(forNodeID: twin)
    try moveImages(from: todo.node, to: twin)
    try delete(todo.node)
    return try self.todo(twin) ?? todo
  }

  /// The images that the twin has not got go there, before the todo that they hang below is deleted.
  private func moveImages(from node: NodeID, to twin: NodeID) throws {
    guard let target = try self.node(twin) else { throw TreeError.noSuchNode }
    for image in try children(of: node) {
      guard try image.cloudID.map({ try self.node($0, in: target.branch) == nil }) ?? false else { continue }
      try move(image.id, to: twin)
    }
  }

  private func below(_ node: Node) throws -> [Node] {
    try [node] + children(of: node.id).flatMap { try below($0) }
  }

  /// A todo is on the list whose branch it is in.
  func setList(of node: Node) throws {
    try db.execute(
      sql: "UPDATE todos SET list = (SELECT id FROM nodes WHERE branch = ? AND parent IS NULL) WHERE node = ?",
      arguments: [node.branch, node.id])
  }
}
