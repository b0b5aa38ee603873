import GRDB
public import Treesystem

/// What somebody wrote in an editor about a todo, and is not understood yet.
public struct Draft: Equatable, Sendable {
  /// What the editor opened.
  public let before: String
  /// What somebody made of it.
  public let text: String
  /// In milliseconds since 1970.
  public let time: Int64

  public init(before: String, text: String, time: Int64) {
    (self.before, self.text, self.time) = (before, text, time)
  }

  static let migration = AppMigration(name: "todo-19-drafts") { db in
    try db.execute(
      sql: """
        CREATE TABLE drafts (
          node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
          before TEXT NOT NULL,
          text TEXT NOT NULL,
          time INTEGER NOT NULL
        ) STRICT;
        """)
  }
}

extension CloudTransaction {
  /// What somebody wrote about a todo and is still to be understood.
  public func draft(of todo: Todo) throws -> Draft? {
    try Row.fetchOne(db, sql: "SELECT before, text, time FROM drafts WHERE node = ?", arguments: [todo.node])
      .map { Draft(before: $0[0], text: $0[1], time: $0[2]) }
  }

  /// Keeps it in place of an earlier one; nil forgets that.
  public func keep(_ draft: Draft?, of todo: Todo) throws {
    try db.execute(sql: "DELETE FROM drafts WHERE node = ?", arguments: [todo.node])
    guard let draft else { return }
    try db.execute(
      sql: "INSERT INTO drafts (node, before, text, time) VALUES (?, ?, ?, ?)",
      arguments: [todo.node, draft.before, draft.text, draft.time])
  }
}
