import Foundation
import GRDB
import Treesystem

/// A todo's tags as its row has them, so that a list is shown without reading its documents.
enum TagColumn {
  /// Unit separator: no tag that a person can type has it.
  private static let separator: Character = "\u{1F}"

  static func text(of document: Document) -> String { document.tags.joined(separator: String(separator)) }

  static func tags(_ column: String) -> [String] { column.split(separator: separator).map(String.init) }

  /// What other programs have given todos before this one showed it is read from their documents.
  static let migration = AppMigration(name: "todo-12") { db in
    try db.execute(sql: "ALTER TABLE todos ADD COLUMN tags TEXT NOT NULL DEFAULT ''")
    let rows = try Row.fetchCursor(db, sql: "SELECT node, document FROM todos")
    var found: [(node: Int64, tags: String)] = []
    while let row = try rows.next() {
      guard let document = try? Document(bytes: Array(row[1] as Data)), !document.tags.isEmpty else { continue }
      found.append((row[0], text(of: document)))
    }
    for (node, tags) in found {
      try db.execute(sql: "UPDATE todos SET tags = ? WHERE node = ?", arguments: [tags, node])
    }
  }
}
