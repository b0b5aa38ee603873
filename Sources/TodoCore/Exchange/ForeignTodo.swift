import CloudAPI
public import Dates
import GRDB
public import Signing
public import Treesystem

/// A todo that comes from a file, with what people do not type.
public struct ForeignTodo: Sendable {
  public var new: NewTodo
  /// The same every time that it is imported.
  public let id: TodoID
  /// Whether its node's id follows from its own, so that two devices which import the same file make one.
  public let isDerived: Bool
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

  public init(_ new: NewTodo, id: TodoID, isDerived: Bool = false) {
    (self.new, self.id, self.isDerived) = (new, id, isDerived)
  }
}

/// What a file calls a todo.
public enum ForeignName: Hashable, Sendable {
  /// By an id of ours.
  case own(TodoID)
  /// By what tells it from all others of its program.
  case other(String)

  fileprivate var isForeign: Bool { if case .other = self { true } else { false } }
}

/// Where a todo from a file goes.
public struct ImportPlace: Sendable {
  /// The one that was imported before.
  public let known: Todo?
  /// The id of that one, or one that is free.
  public let id: TodoID
  /// Whether the id of the node follows from it.
  public let isDerived: Bool
}

extension CloudTransaction {
  /// The keys of the lists that only this person reads: what was imported to one of them is known wherever a file would put it.
  public func ownListKeys() throws -> [SecretBytes] {
    try lists().filter { !$0.isShared }.compactMap { try derivationKey(of: $0.branch) }
  }

  /// The todo that a file means: one on the list where it would go, or one that nobody but this person can have put there. What others have
  /// elsewhere under its id is something else.
  /// - Parameter keys: those of the lists that only this person reads.
  public func importedTodo(
    _ name: ForeignName, titled title: String?, to list: TodoList?, keys: [SecretBytes]
  ) throws -> Todo? {
    switch name {
    case .own(let id): return try importedTodo(id, titled: title, to: list)
    case .other(let text):
      let here = try list.flatMap { try derivationKey(of: $0.branch) }.map { [$0] } ?? []
      for key in here + keys {
        if let known = try importedTodo(TodoID(foreign: text, by: key), titled: title, to: list) { return known }
      }
      return nil
    }
  }

  private func importedTodo(_ id: TodoID, titled title: String?, to list: TodoList?) throws -> Todo? {
    let found = try fetchTodos("WHERE t.todo_id = ? AND t.state <> 'other' ORDER BY t.node", [id.text])
    return try found.first { try $0.list == list?.node && isMeant($0, titled: title, on: list) }
      ?? found.first { try self.list($0.list).map { !$0.isShared } ?? false }
  }

  /// Whoever knows the file can have put something else under its id on a list that they share.
  private func isMeant(_ todo: Todo, titled title: String?, on list: TodoList?) throws -> Bool {
    guard let title, list?.isShared == true, todo.title != title else { return true }
    let created = try document(of: todo.node, in: .todos)?.document[Field.created.rawValue]
    let deed = try created.map { try self.deed(of: $0, at: todo.node) }
    return try deed?.via == nil && deed?.user == account()?.user
  }

  /// The todo that was imported under this id or, where something else had that, under one that follows from it; and the id that is free.
  /// - Parameter parent: the todo that it is a part of.
  public func placeToImport(
    _ name: ForeignName, titled title: String, to list: TodoList, below parent: NodeID?
  ) throws -> ImportPlace {
    let key = try derivationKey(of: list.branch)
    var wanted: TodoID? =
      switch name {
      case .own(let id): id
      case .other(let text): key.map { TodoID(foreign: text, by: $0) }
      }
    for _ in 0..<64 {
      guard let id = wanted else { break }
      if let known = try importedTodo(id, titled: title, to: list) {
        return ImportPlace(known: known, id: id, isDerived: false)
      }
      if try isFree(id.text), try child(named: id.text, of: parent ?? list.node) == nil {
        return ImportPlace(known: nil, id: id, isDerived: try name.isForeign && isFree(id.cloudID, in: list.branch))
      }
      wanted = key.map { id.nextImported(by: $0) }
    }
    return ImportPlace(known: nil, id: try TodoID.draw(entropy, isFree: isFree), isDerived: false)
  }

  private func isFree(_ cloudID: CloudID?, in branch: BranchID) throws -> Bool {
    guard let cloudID else { return false }
    return try node(cloudID, in: branch) == nil && !isLive(cloudID, in: branch)
  }

  /// By which clock the moment is meant at which a todo is due; nil where nobody said.
  public func clock(of todo: Todo) throws -> ZonedTime? { try document(of: todo.node, in: .todos)?.document.clock }

  /// Where somebody put a todo among the others, as text; nil where nobody did.
  public func order(of todo: Todo) throws -> String? {
    try document(of: todo.node, in: .todos)?.document.order?.text
  }

  /// Puts a todo from a file on a list, behind those that are there.
  /// - Parameter place: where it stands where the file does not say when it was made, in milliseconds since 1970.
  public func importTodo(_ foreign: ForeignTodo, to list: NodeID, place: Int64) throws -> Todo {
    let todo = try addTodo(
      foreign.new, id: foreign.id, at: foreign.createdAt ?? place, below: foreign.new.parent ?? list, of: list,
      isDerived: foreign.isDerived)
    // What was said in one second stays in its order.
    var last = Int64.min
    for comment in foreign.comments {
      // Nobody said anything in 1970: the file does not say when.
      let time = comment.time > 0 ? comment.time : foreign.createdAt ?? place
      last = max(time, last == .min ? .min : last + 1)
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
