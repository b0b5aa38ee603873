import Foundation
import GRDB
public import Treesystem

/// The tables of lists and todos, beside the tree in the same database. Migrations are named and never edited.
public enum TodoTables {
  /// What `CloudDatabase` needs to open a database of this app.
  public static let migrations = [
    AppMigration(name: "todo-1") { db in
      try db.execute(sql: replica)
      try db.execute(sql: lists)
      try db.execute(sql: todos)
    },
    // A deletion says what it covers, not when it was made: the time is this device's own.
    AppMigration(name: "todo-2") { db in
      try db.execute(
        sql: "ALTER TABLE todos ADD COLUMN removed_at INTEGER CHECK (removed_at IS NULL OR state = 'trash')")
    },
    order,
    AppMigration(name: "todo-4") { db in try db.execute(sql: news) },
    moreNews,
    AppMigration(name: "todo-6") { db in try db.execute(sql: deviceNews) },
    AppMigration(name: "todo-7") { db in try db.execute(sql: shownNames) },
    AppMigration(name: "todo-8") { db in
      try db.execute(sql: "ALTER TABLE todos ADD COLUMN image BLOB CHECK (length(image) = 16)")
    },
    commentNews,
    AppMigration(name: "todo-10") { db in try db.execute(sql: messageNews) },
    AppMigration(name: "todo-11") { db in try db.execute(sql: ownChanges) },
    TagColumn.migration,
    FieldColumns.migration,
    WordIndex.migration,
    AppMigration(name: "todo-15") { db in try db.execute(sql: actions) },
    AppMigration(name: "todo-16") { db in try db.execute(sql: arrivals) },
    DisplacedValues.migration,
    DeedTables.migration,
    defaultList,
    AppMigration(name: "todo-17-kinds") { db in try readStatesAgain(db) },
    actionEnds,
    Draft.migration,
    removedLists,
  ]

  /// What a node is once followed from its document, and follows from its name now (spec §7.11).
  static func readStatesAgain(_ db: Database) throws {
    let rows = try Row.fetchAll(
      db, sql: "SELECT t.node, n.name, t.document FROM todos t JOIN nodes n ON n.id = t.node WHERE t.state = 'other'")
    for row in rows where TodoID.isName(row[1]) {
      guard let document = try? Document(bytes: Array(row[2] as Data)) else { continue }
      try db.execute(
        sql: "UPDATE todos SET state = ? WHERE node = ?",
        arguments: [TodoState(document).rawValue, row[0] as NodeID])
    }
  }

  private static let replica = """
    CREATE TABLE replica (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      bytes BLOB NOT NULL CHECK (length(bytes) = 8)
    ) STRICT;
    """

  private static let news = """
    CREATE TABLE news (
      -- also the order of arrival; never used twice, so that who has read up to one can go on from there
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      time INTEGER NOT NULL,
      list INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
      node INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
      author BLOB CHECK (length(author) = 20),
      kind TEXT NOT NULL CHECK (kind IN ('added', 'retitled', 'done', 'reopened', 'removed', 'restored', 'edited',
        'joined', 'left', 'unshared', 'role-changed', 'handed-over')),
      title TEXT NOT NULL,
      detail TEXT NOT NULL DEFAULT '',
      -- what the user has met: nothing, a notice, all of it
      state INTEGER NOT NULL DEFAULT 0 CHECK (state IN (0, 1, 2))
    ) STRICT;
    CREATE INDEX news_of_list ON news (list);
    CREATE INDEX news_of_node ON news (node);
    CREATE INDEX unseen_news ON news (state) WHERE state < 2;
    """

  /// Answers, and lists that were deleted for everybody, are news too.
  private static let moreNews = AppMigration(name: "todo-5") { db in
    try db.execute(
      sql: """
        CREATE TABLE more_news (
          id INTEGER PRIMARY KEY AUTOINCREMENT,
          time INTEGER NOT NULL,
          list INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
          node INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
          author BLOB CHECK (length(author) = 20),
          kind TEXT NOT NULL CHECK (kind IN ('added', 'retitled', 'done', 'reopened', 'removed', 'restored', 'edited',
            'joined', 'left', 'unshared', 'role-changed', 'handed-over', 'declined', 'closed')),
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

  /// What this person has met of what became of their devices: a notice, all of it.
  private static let deviceNews = """
    CREATE TABLE device_news (
      device BLOB NOT NULL CHECK (length(device) = 16),
      kind TEXT NOT NULL CHECK (kind IN ('added', 'ended')),
      state INTEGER NOT NULL CHECK (state IN (1, 2)),
      PRIMARY KEY (device, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER devices_left AFTER DELETE ON account BEGIN
      DELETE FROM device_news;
    END;
    """

  private static let shownNames = """
    -- what a list is called here, and what that was made of: its title, or the name that this person gave it
    ALTER TABLE lists ADD COLUMN shown_for TEXT;
    ALTER TABLE lists ADD COLUMN shown_name TEXT CHECK ((shown_for IS NULL) = (shown_name IS NULL));
    """

  private static let lists = """
    CREATE TABLE lists (
      node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
      document BLOB NOT NULL,
      history BLOB NOT NULL,
      -- what follows is read from the document
      title TEXT NOT NULL,
      deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
      created_at INTEGER NOT NULL
    ) STRICT;
    """

  private static let todos = """
    CREATE TABLE todos (
      node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
      list INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
      todo_id TEXT NOT NULL,
      document BLOB NOT NULL,
      history BLOB NOT NULL,
      -- what follows is read from the document
      title TEXT NOT NULL,
      folded TEXT NOT NULL,
      -- 'other' is a kind of node that a newer version made: kept, and not shown
      state TEXT NOT NULL CHECK (state IN ('open', 'done', 'trash', 'other')),
      created_at INTEGER NOT NULL,
      done_at INTEGER,
      -- its place among those of its state: when it came there
      place INTEGER NOT NULL,
      CHECK (state <> 'done' OR done_at IS NOT NULL)
    ) STRICT;
    CREATE INDEX todos_in_order ON todos (list, state, place, todo_id);
    CREATE INDEX todos_by_id ON todos (todo_id);
    CREATE INDEX todos_by_title ON todos (folded) WHERE state = 'open';
    """
}
