import Foundation
import GRDB
import Treesystem

/// The index of words that `search` asks: of titles, notes, tags and comments.
enum WordIndex {
  static let migration = AppMigration(name: "todo-14") { db in
    try db.execute(sql: "ALTER TABLE todos ADD COLUMN words TEXT NOT NULL DEFAULT ''")
    try fill(db)
    try db.execute(sql: index)
  }

  private static func fill(_ db: Database) throws {
    let update = try db.makeStatement(sql: "UPDATE todos SET words = ? WHERE node = ?")
    let rows = try Row.fetchAll(db, sql: "SELECT node, document FROM todos")
    for row in rows {
      guard let document = try? Document(bytes: Array(row[1] as Data)) else { continue }
      try update.execute(arguments: [document.words, row[0] as Int64])
    }
  }

  private static let index = """
    CREATE VIRTUAL TABLE todo_words USING fts5 (
      words, content = 'todos', content_rowid = 'node', tokenize = 'unicode61 remove_diacritics 2'
    );
    INSERT INTO todo_words (todo_words) VALUES ('rebuild');
    CREATE TRIGGER words_added AFTER INSERT ON todos BEGIN
      INSERT INTO todo_words (rowid, words) VALUES (new.node, new.words);
    END;
    CREATE TRIGGER words_removed AFTER DELETE ON todos BEGIN
      INSERT INTO todo_words (todo_words, rowid, words) VALUES ('delete', old.node, old.words);
    END;
    CREATE TRIGGER words_changed AFTER UPDATE OF words ON todos WHEN old.words <> new.words BEGIN
      INSERT INTO todo_words (todo_words, rowid, words) VALUES ('delete', old.node, old.words);
      INSERT INTO todo_words (rowid, words) VALUES (new.node, new.words);
    END;
    """
}

extension Document {
  /// What a search finds it by: its title, notes and tags, or what a comment says; folded.
  var words: String { folded(([title] + notes + tags).joined(separator: "\n")) }
}
