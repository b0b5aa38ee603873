import CloudAPI
import GRDB
import Signing
public import Treesystem

extension CloudTransaction {
  /// A clock that is wrong by more does not pull the comments of others along.
  private static var patience: Int64 { 24 * 60 * 60 * 1000 }

  /// What people say about a todo, in the order in which they said it.
  public func comments(of todo: Todo) throws -> [TodoComment] {
    try children(of: todo.node).compactMap(comment).sorted { ($0.time, $0.id) < ($1.time, $1.id) }
  }

  /// The comment of a node; nil for anything else.
  public func comment(_ node: Node) throws -> TodoComment? {
    guard let id = node.cloudID, let document = try document(of: node.id, in: .todos)?.document,
      Kind(node) == .comment, !document.comment.isEmpty
    else { return nil }
    return TodoComment(
      node: node.id, id: id, text: document.comment,
      time: Int64(clamping: document.elements(of: Field.note.rawValue).last?.stamp.time ?? 0),
      writer: document.writer, author: node.author, isProven: try isProven(document, at: node))
  }

  /// Says something about a todo, after all that is known of it here.
  @discardableResult
  public func addComment(_ text: Note, to todo: Todo) throws -> TodoComment {
    let node = try createNode(named: CloudID.random(entropy).description, in: todo.node)
    guard let id = node.cloudID else { throw TreeError.noSuchNode }
    let (now, replica) = (try timeAfterComments(of: todo), try replica())
    var document = Document()
    try document.write(.kind, Array(Kind.comment.rawValue.utf8), now: now, replica: replica)
    try document.write(.created, timeValue(now), now: now, replica: replica)
    if let me = try account()?.user { try document.write(.writer, me.bytes, now: now, replica: replica) }
    try document.add(Field.note.rawValue, Array(text.text.utf8), now: now, replica: replica)
    try sign(&document, at: node, now: now, replica: replica)
    try store(VersionedDocument(document), of: TodoID(id), node: node.id, list: todo.list, confirmed: 0)
    try remember(.commented, node.id)
    try logOwn(.commented, todo.node, on: todo.list, title: todo.title, detail: text.text)
    return try comment(node) ?? { throw TreeError.noSuchNode }()
  }

  private func timeAfterComments(of todo: Todo) throws -> Int64 {
    let now = clock.now()
    guard let last = try comments(of: todo).map(\.time).filter({ $0 - now < Self.patience }).max() else { return now }
    return max(now, last + 1)
  }
}
