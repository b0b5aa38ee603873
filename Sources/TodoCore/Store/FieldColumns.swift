import Dates
import Foundation
import GRDB
import Treesystem

/// What a todo's row has of its document so that lists are shown, filtered and sorted without reading documents.
enum FieldColumns {
  /// What a newer program gave todos before this one knew of it is read from their documents.
  static let migration = AppMigration(name: "todo-13") { db in
    try db.execute(
      sql: """
        -- a day or a moment, as the document has it
        ALTER TABLE todos ADD COLUMN due BLOB CHECK (length(due) IN (8, 10));
        ALTER TABLE todos ADD COLUMN start BLOB CHECK (length(start) IN (8, 10));
        ALTER TABLE todos ADD COLUMN priority TEXT CHECK (priority IN ('high', 'medium', 'low'));
        ALTER TABLE todos ADD COLUMN assignee BLOB CHECK (length(assignee) = 20);
        ALTER TABLE todos ADD COLUMN repetition TEXT;
        CREATE INDEX todos_due ON todos (due) WHERE due IS NOT NULL AND state = 'open';
        """)
    let rows = try Row.fetchCursor(db, sql: "SELECT node, document FROM todos")
    var found: [(node: Int64, document: Document)] = []
    while let row = try rows.next() {
      guard let document = try? Document(bytes: Array(row[1] as Data)) else { continue }
      let fields: [Field] = [.due, .start, .priority, .assignee, .repetition]
      if fields.contains(where: { document[$0.rawValue] != nil }) { found.append((row[0], document)) }
    }
    for (node, document) in found {
      try db.execute(
        sql: "UPDATE todos SET due = ?, start = ?, priority = ?, assignee = ?, repetition = ? WHERE node = ?",
        arguments: [
          document.due?.value.data, document.start?.value.data, document.priority?.rawValue, document.assignee,
          document.repetition?.rule, node,
        ])
    }
  }
}
