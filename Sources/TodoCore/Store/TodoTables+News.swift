import GRDB
import Treesystem

extension TodoTables {
  /// Comments are news too.
  static let commentNews = AppMigration(name: "todo-9") { db in
    try db.execute(
      sql: """
        CREATE TABLE more_news (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          time INTEGER NOT NULL,
          list INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
          node INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
          author BLOB CHECK (length(author) = 20),
          kind TEXT NOT NULL CHECK (kind IN ('added', 'retitled', 'done', 'reopened', 'removed', 'restored', 'edited',
            'joined', 'left', 'unshared', 'role-changed', 'handed-over', 'declined', 'closed', 'commented')),
          title TEXT NOT NULL,
          detail TEXT NOT NULL DEFAULT '',
          state INTEGER NOT NULL DEFAULT 0 CHECK (state IN (0, 1, 2))
        ) STRICT;
        INSERT INTO more_news SELECT id, time, list, node, author, kind, title, detail, state FROM news;
        -- an id is never used twice, also where the last of them is gone
        DELETE FROM sqlite_sequence WHERE name = 'more_news';
        INSERT INTO sqlite_sequence SELECT 'more_news', seq FROM sqlite_sequence WHERE name = 'news';
        DROP TABLE news;
        ALTER TABLE more_news RENAME TO news;
        CREATE INDEX news_of_list ON news (list);
        CREATE INDEX news_of_node ON news (node);
        CREATE INDEX unseen_news ON news (state) WHERE state < 2;
        """)
  }

  /// What this person has met of what others say to them: a notice, that it is there among news.
  static let messageNews = """
    CREATE TABLE message_news (
      post BLOB PRIMARY KEY CHECK (length(post) = 16),
      state INTEGER NOT NULL CHECK (state IN (1, 2))
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER messages_left AFTER DELETE ON account BEGIN
      DELETE FROM message_news;
    END;
    """
}
