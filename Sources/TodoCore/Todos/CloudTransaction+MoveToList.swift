import CloudAPI
import GRDB
import Signing
public import Treesystem

extension CloudTransaction {
  /// Takes a todo to another list, with everything below it. Returns the todo as it is now.
  ///
  /// A todo that the other list has under the same id is another one: that one stays as it is, and the todo that comes gets a new id.
  @discardableResult
  public func moveTodo(_ todo: Todo, to list: NodeID) throws -> Todo {
    guard let target = try node(list), let node = try node(todo.node) else { throw TreeError.noSuchNode }
    if node.branch == target.branch, todo.parent == nil { return todo }
    return try hang(node, below: target)
  }

  /// Makes a todo a part of another one of its list, or of another list, with everything below it. Returns the todo as it is now.
  /// - Throws: `TreeError.parentInvalid` where it would be a part of itself, or too deep.
  @discardableResult
  public func moveTodo(_ todo: Todo, below parent: Todo) throws -> Todo {
    guard let node = try node(todo.node), let target = try self.node(parent.node) else { throw TreeError.noSuchNode }
    if node.parent == parent.node { return todo }
    return try hang(node, below: target)
  }

  /// Hangs a todo where it is shown already.
  func hang(_ todo: Todo, below parent: Node) throws {
    guard let node = try node(todo.node) else { return }
    _ = try hang(node, below: parent)
  }

  private func hang(_ node: Node, below parent: Node) throws -> Todo {
    try remember(.moved, node.id, origin: node.parent)
    guard node.branch != parent.branch else {
      let isTaken = try child(named: node.name, of: parent.id).map { $0.id != node.id } ?? false
      try move(node.id, to: parent.id, named: isTaken ? ownName(of: node, below: parent.id) : node.name)
      return try todo(node.id) ?? { throw TreeError.noSuchNode }()
    }
    let moved = try move(node.id, to: parent.id, named: ownName(of: node, below: parent.id))
    for member in try below(moved) {
      try setPlace(of: member)
      if let above = member.parent, member.id != moved.id {
        try move(member.id, to: above, named: ownName(of: member, below: above))
      }
    }
    return try todo(node.id) ?? { throw TreeError.noSuchNode }()
  }

  /// The name that a node has at its new place: the one that it had, unless the place has another node of that name, or the node is a todo and
  /// another one here has its id. Nobody could name either of them.
  private func ownName(of node: Node, below parent: NodeID) throws -> String {
    let isTaken = try child(named: node.name, of: parent).map { $0.id != node.id } ?? false
    guard try isTaken || hasNamesake(node.id) else { return node.name }
    let id = try TodoID.draw(entropy, isFree: isFree)
    try db.execute(sql: "UPDATE todos SET todo_id = ? WHERE node = ?", arguments: [id.text, node.id])
    return id.text
  }

  private func hasNamesake(_ node: NodeID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: """
        SELECT 1 FROM todos t JOIN todos o ON o.todo_id = t.todo_id AND o.node <> t.node AND o.state <> 'other'
        WHERE t.node = ? AND t.state <> 'other' LIMIT 1
        """)
    return try Int.fetchOne(statement, arguments: [node]) != nil
  }

  /// A todo names its image by the cloudID, which is another one where the old one was taken. Nobody wrote that: it is no deed of this person's,
  /// and an image that somebody chose since wins over it.
  func followImage(from old: CloudID, to new: CloudID, below parent: NodeID) throws {
    guard let todo = try todo(parent), var content = try document(of: todo.node, in: .todos),
      content.document.image == old, let register = content.document[Field.image.rawValue]
    else { return }
    var again: Register?
    content.change { again = $0.disown(register, to: .unbound(entropy), as: new.bytes) }
    guard let again else { return }
    if let me = try account()?.user { try setCarrier(me, of: CarriedWrite(again), at: todo.node) }
    content.fit()
    try store(content, of: todo.id, node: todo.node, list: todo.list)
    try queueDataUpload(forNodeID: todo.node)
  }

  private func below(_ node: Node) throws -> [Node] {
    try [node] + children(of: node.id).flatMap { try below($0) }
  }

  /// A todo is on the list whose branch it is in, and has the id that its name there is.
  func setPlace(of node: Node) throws {
    guard let cloudID = node.cloudID else { return }
    try db.execute(
      sql:
        """
        UPDATE todos SET list = (SELECT id FROM nodes WHERE branch = ? AND parent IS NULL), todo_id = iif(?, todo_id, ?)
        WHERE node = ?
        """,
      arguments: [node.branch, Defect.idKept.isPlanted, TodoID(of: node, cloudID).text, node.id])
  }
}
