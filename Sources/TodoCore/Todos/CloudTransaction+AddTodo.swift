import CloudAPI
import Dates
import GRDB
import Signing
public import Treesystem

extension CloudTransaction {
  /// Puts new todos on a list, in this order.
  @discardableResult
  public func addTodos(_ titles: [Title], to list: NodeID) throws -> [Todo] {
    try addTodos(titles.map { NewTodo($0) }, to: list)
  }

  /// Puts new todos on a list, in this order, with what goes with them.
  @discardableResult
  public func addTodos(_ new: [NewTodo], to list: NodeID) throws -> [Todo] {
    // Nothing is dated ahead for being one of many.
    let first = try placeAfterLast(in: list, clock.now() - Int64(new.count) + 1)
    return try new.enumerated().map { index, new in
      let id = try TodoID.draw(entropy, isFree: isFree)
      // One millisecond apart, so that every device shows them in the order they were given.
      return try addTodo(new, id: id, at: first + Int64(index), below: new.parent ?? list, of: list)
    }
  }

  /// - Parameters:
  ///   - created: where it stands among the others, in milliseconds since 1970.
  ///   - parent: the list, or the todo that it is a part of.
  ///   - isDerived: whether other devices may make the same one.
  func addTodo(
    _ new: NewTodo, id: TodoID, at created: Int64, below parent: NodeID, of list: NodeID, isDerived: Bool = false
  ) throws -> Todo {
    let now = clock.now()
    let replica = try replica()
    let cloudID = isDerived ? id.cloudID : nil
    let node =
      try cloudID.map { try createNode(named: id.text, in: parent, cloudID: $0) }
      ?? createNode(named: id.text, in: parent)
    var document = Document()
    try document.write(.kind, Array(Kind.todo.rawValue.utf8), now: now, replica: replica)
    try document.write(.created, timeValue(created), now: now, replica: replica)
    try document.write(.title, Array(new.title.text.utf8), now: now, replica: replica)
    for (field, value) in new.fields { try document.write(field, value, now: now, replica: replica) }
    if let note = new.note, !note.text.isEmpty {
      try document.add(Field.note.rawValue, Array(note.text.utf8), now: now, replica: replica)
    }
    for tag in try Tag.different(new.tags) {
      try document.add(Field.tag.rawValue, Array(tag.text.utf8), now: now, replica: replica)
    }
    try store(VersionedDocument(document), of: id, node: node.id, list: list, confirmed: 0)
    try logOwn(.added, node.id, on: list, title: new.title.text)
    try remember(.added, node.id)
    return try todo(node.id) ?? { throw TreeError.noSuchNode }()
  }

  /// After what was added a moment ago, however many that were; but nobody's far future pulls the others along.
  private func placeAfterLast(in list: NodeID, _ now: Int64) throws -> Int64 {
    let last = try String.fetchOne(
      db, sql: "SELECT max(place) FROM todos WHERE list = ? AND state = 'open'", arguments: [list])
    guard let last = last.map({ OrderKey(column: $0).time }), last >= now, last - now < 60_000 else { return now }
    return last + 1
  }
}

extension NewTodo {
  /// What has one value, and was given one.
  fileprivate var fields: [(Field, [UInt8])] {
    let values: [(Field, [UInt8]?)] = [
      (.due, due?.value), (.start, start?.value), (.priority, priority.map { Array($0.rawValue.utf8) }),
      (.clock, clock.map { Array($0.text.utf8) }), (.assignee, assignee?.bytes),
      (.repetition, repetition.map { Array($0.rule.utf8) }),
    ]
    return values.compactMap { field, value in value.map { (field, $0) } }
  }
}

extension Document {
  mutating func write(_ field: Field, _ value: [UInt8], now: Int64, replica: Replica) throws(DocumentError) {
    try write(field.rawValue, value, now: now, replica: replica)
  }
}
