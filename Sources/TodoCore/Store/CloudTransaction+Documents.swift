import CloudAPI
import Dates
import Foundation
import GRDB
package import Treesystem

/// The tables that hold documents.
enum DocumentTable: String {
  case lists
  case todos
}

/// A document as its table has it.
struct StoredDocument {
  var content: VersionedDocument
  /// See `noteSending`; nil for one from before this was kept.
  let confirmed: UInt64?
  let sent: UInt64?
}

extension CloudTransaction {
  /// A node's document, or nil where the table does not have the node.
  func document(of node: NodeID, in table: DocumentTable) throws -> VersionedDocument? {
    try storedDocument(of: node, in: table)?.content
  }

  /// A node's document and what is known of its sending, or nil where the table does not have the node.
  func storedDocument(of node: NodeID, in table: DocumentTable) throws -> StoredDocument? {
    let statement = try db.cachedStatement(
      sql: "SELECT document, history, confirmed, sent FROM \(table.rawValue) WHERE node = ?")
    guard let row = try Row.fetchOne(statement, arguments: [node]) else { return nil }
    let content = VersionedDocument(
      try Document(bytes: Array(row[0] as Data)), history: try History(bytes: Array(row[1] as Data)))
    return StoredDocument(
      content: content, confirmed: (row[2] as Int64?).map(UInt64.init(bitPattern:)),
      sent: (row[3] as Int64?).map(UInt64.init(bitPattern:)))
  }

  /// Whether a node was a todo until now.
  func isTodo(_ node: NodeID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT state <> 'other' FROM todos WHERE node = ?")
    return try Bool.fetchOne(statement, arguments: [node]) ?? false
  }

  /// Stores another document and history whose columns read the same, but for the one that says whose replica wrote last.
  func replaceContent(_ content: VersionedDocument, of node: NodeID, in table: DocumentTable) throws {
    let statement = try db.cachedStatement(sql: "UPDATE \(table.rawValue) SET document = ?, history = ? WHERE node = ?")
    try statement.execute(arguments: [Data(content.document.bytes), Data(content.history.bytes), node])
    guard table == .todos, let writer = content.document.latest?.stamp.replica else { return }
    try db.cachedStatement(sql: "UPDATE todos SET writer = ? WHERE node = ?")
      .execute(arguments: [Data(writer.bytes), node])
  }

  /// Stores a list's document, and the columns that are read from it.
  /// - Parameter confirmed: the highest stamp of this profile that the server is known to have, where that is news.
  func store(_ content: VersionedDocument, ofList node: NodeID, confirmed: UInt64? = nil) throws {
    let document = content.document
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO lists (node, document, history, title, deleted, created_at, archived, place, confirmed)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (node) DO UPDATE SET document = excluded.document, history = excluded.history,
          title = excluded.title, deleted = excluded.deleted, created_at = excluded.created_at,
          archived = excluded.archived, place = excluded.place, confirmed = coalesce(excluded.confirmed, confirmed)
        """)
    try statement.execute(arguments: [
      node, Data(document.bytes), Data(content.history.bytes), document.title, document.isDeleted, document.createdAt,
      document.isArchived, document.order?.text, confirmed.map(Int64.init(bitPattern:)),
    ])
  }

  /// Stores a todo's document, and the columns that are read from it.
  /// - Parameter confirmed: the highest stamp of this profile that the server is known to have, where that is news.
  package func store(
    _ content: VersionedDocument, of id: TodoID, node: NodeID, list: NodeID, confirmed: UInt64? = nil
  ) throws {
    let document = content.document
    guard let place = try self.node(node) else { throw TreeError.noSuchNode }
    let latest = document.latest
    let state = TodoState(document, of: place)
    let order = state == .done ? OrderKey(time: document.doneAt ?? 0) : document.place
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO todos
          (node, list, todo_id, document, history, title, folded, state, created_at, done_at, place, confirmed, image, tags,
           due, start, priority, assignee, repetition, words, writer, via)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)
        ON CONFLICT (node) DO UPDATE SET list = excluded.list, todo_id = excluded.todo_id, document = excluded.document,
          history = excluded.history, title = excluded.title, folded = excluded.folded, state = excluded.state,
          created_at = excluded.created_at, done_at = excluded.done_at, place = excluded.place, image = excluded.image,
          tags = excluded.tags, due = excluded.due, start = excluded.start, priority = excluded.priority,
          assignee = excluded.assignee, repetition = excluded.repetition, words = excluded.words,
          writer = excluded.writer, via = excluded.via,
          removed_at = CASE WHEN excluded.state <> 'trash' THEN NULL
            WHEN todos.state = 'trash' THEN todos.removed_at ELSE ?13 END,
          confirmed = coalesce(excluded.confirmed, confirmed)
        """)
    try statement.execute(arguments: [
      node, list, id.text, Data(document.bytes), Data(content.history.bytes), document.title, folded(document.title),
      state.rawValue, document.createdAt, document.doneAt, order.text, confirmed.map(Int64.init(bitPattern:)),
      clock.now(), document.image, TagColumn.text(of: document), document.due?.value.data, document.start?.value.data,
      document.priority?.rawValue, document.assignee, document.repetition?.rule, document.words,
      latest.map { Data($0.stamp.replica.bytes) }, try latest.flatMap { try carrier(of: $0, at: node) },
    ])
  }
}
