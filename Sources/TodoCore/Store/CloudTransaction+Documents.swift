import CloudAPI
import Foundation
import GRDB
import Treesystem

/// The tables that hold documents.
enum DocumentTable: String {
  case lists
  case todos
}

extension CloudTransaction {
  /// A node's document, or nil where the table does not have the node.
  func document(of node: NodeID, in table: DocumentTable) throws -> VersionedDocument? {
    let statement = try db.cachedStatement(sql: "SELECT document, history FROM \(table.rawValue) WHERE node = ?")
    guard let row = try Row.fetchOne(statement, arguments: [node]) else { return nil }
    return VersionedDocument(
      try Document(bytes: Array(row[0] as Data)), history: try History(bytes: Array(row[1] as Data)))
  }

  /// Stores a list's document, and the columns that are read from it.
  func store(_ content: VersionedDocument, ofList node: NodeID) throws {
    let document = content.document
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO lists (node, document, history, title, deleted, created_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (node) DO UPDATE SET document = excluded.document, history = excluded.history,
          title = excluded.title, deleted = excluded.deleted, created_at = excluded.created_at
        """)
    try statement.execute(arguments: [
      node, Data(document.bytes), Data(content.history.bytes), document.title, document.isDeleted, document.createdAt,
    ])
  }

  /// Stores a todo's document, and the columns that are read from it.
  func store(_ content: VersionedDocument, of id: TodoID, node: NodeID, list: NodeID) throws {
    let document = content.document
    let state = TodoState(document)
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO todos
          (node, list, todo_id, document, history, title, folded, state, created_at, done_at, place)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        ON CONFLICT (node) DO UPDATE SET document = excluded.document, history = excluded.history,
          title = excluded.title, folded = excluded.folded, state = excluded.state, created_at = excluded.created_at,
          done_at = excluded.done_at, place = excluded.place,
          removed_at = CASE WHEN excluded.state <> 'trash' THEN NULL
            WHEN todos.state = 'trash' THEN todos.removed_at ELSE ?12 END
        """)
    try statement.execute(arguments: [
      node, list, id.text, Data(document.bytes), Data(content.history.bytes), document.title, folded(document.title),
      state.rawValue, document.createdAt, document.doneAt,
      state == .done ? document.doneAt : document.createdAt, clock.now(),
    ])
  }
}
