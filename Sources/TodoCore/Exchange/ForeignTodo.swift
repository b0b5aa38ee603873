import CloudAPI
import Dates
import GRDB
public import Signing
public import Treesystem

/// A todo that comes from a file, with what people do not type.
public struct ForeignTodo: Sendable {
  public var new: NewTodo
  /// The same every time that it is imported.
  public let id: TodoID
  public var isRemoved = false
  /// In milliseconds since 1970.
  public var createdAt: Int64?
  public var doneAt: Int64?
  /// The latest first.
  public var notes: [Note] = []
  /// Where it stands among the others; nil where nobody put it anywhere.
  public var order: String?
  public var comments: [Comment] = []

  public struct Comment: Sendable {
    /// In milliseconds since 1970.
    public let time: Int64
    public let text: Note
    /// Who is said to have written it.
    public let writer: UserID?

    public init(time: Int64, text: Note, writer: UserID?) {
      (self.time, self.text, self.writer) = (time, text, writer)
    }
  }

  public init(_ new: NewTodo, id: TodoID) {
    self.new = new
    self.id = id
  }
}

extension TodoID {
  /// The id of a todo of another program, by what tells it from all others there: the same every time.
  public init(foreign name: String) { self = Self.derived(.imported, Array(name.utf8)) }
}

extension CloudTransaction {
  /// Whether there is a todo with this id, on any list or in the trash.
  public func hasTodo(_ id: TodoID) throws -> Bool { try !isFree(id.text) }

  /// The todo with this id.
  public func todo(withID id: TodoID) throws -> Todo? {
    try fetchTodos("WHERE t.todo_id = ? AND t.state <> 'other' LIMIT 1", [id.text]).first
  }

  /// Where somebody put a todo among the others, as text; nil where nobody did.
  public func order(of todo: Todo) throws -> String? {
    try document(of: todo.node, in: .todos)?.document.order?.text
  }

  /// Puts a todo from a file on a list, behind those that are there.
  /// - Parameter place: where it stands where the file does not say when it was made, in milliseconds since 1970.
  public func importTodo(_ foreign: ForeignTodo, to list: NodeID, place: Int64) throws -> Todo {
    let todo = try addTodo(
      foreign.new, id: foreign.id, at: foreign.createdAt ?? place, below: foreign.new.parent ?? list, of: list)
    // What was said in one second stays in its order.
    var last = Int64.min
    for comment in foreign.comments {
      last = max(comment.time, last == .min ? .min : last + 1)
      try importComment(comment, at: last, to: todo)
    }
    let order = foreign.order.flatMap { OrderKey(moved: Array($0.utf8)) }
    guard foreign.doneAt != nil || foreign.isRemoved || order != nil || !foreign.notes.isEmpty else { return todo }
    return try change(todo) { document, now, replica in
      if let done = foreign.doneAt { try document.write(.done, timeValue(done), now: now, replica: replica) }
      if let order { try document.write(.order, Array(order.text.utf8), now: now, replica: replica) }
      // The latest stamp is the first that is shown.
      for note in foreign.notes.reversed() {
        try document.add(Field.note.rawValue, Array(note.text.utf8), now: now, replica: replica)
      }
      if foreign.isRemoved { document.delete() }
    }
  }

  private func importComment(_ comment: ForeignTodo.Comment, at time: Int64, to todo: Todo) throws {
    let node = try createNode(named: CloudID.random(entropy).description, in: todo.node)
    guard let id = node.cloudID else { throw TreeError.noSuchNode }
    let replica = try replica()
    var document = Document()
    // All stamps are of the time at which it was said: that is what is shown.
    let before = time - 3
    try document.write(.kind, Array(Kind.comment.rawValue.utf8), now: before, replica: replica)
    try document.write(.created, timeValue(time), now: before, replica: replica)
    if let writer = comment.writer { try document.write(.writer, writer.bytes, now: before, replica: replica) }
    try document.add(Field.note.rawValue, Array(comment.text.text.utf8), now: time, replica: replica)
    try store(VersionedDocument(document), of: TodoID(id), node: node.id, list: todo.list, confirmed: 0)
  }
}
