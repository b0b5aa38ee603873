import GRDB
import Treesystem

extension TodoTables {
  /// Places become order keys, lists can be put away and moved, and documents know what of them was sent.
  static let order = AppMigration(name: "todo-3") { db in
    try db.execute(sql: lists)
    try db.execute(sql: todos)
    let insert = try db.makeStatement(
      sql: """
        INSERT INTO new_todos
          (node, list, todo_id, document, history, title, folded, state, created_at, done_at,
           removed_at, place)
        SELECT node, list, todo_id, document, history, title, folded, state, created_at, done_at, removed_at, ?
        FROM todos WHERE node = ?
        """)
    for row in try Row.fetchAll(db, sql: "SELECT node, place FROM todos") {
      try insert.execute(arguments: [OrderKey(time: row[1]).text, row[0] as Int64])
    }
    try db.execute(sql: renaming)
  }

  private static let lists = """
    ALTER TABLE lists ADD COLUMN archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1));
    -- an order key; NULL where nobody moved it
    ALTER TABLE lists ADD COLUMN place TEXT;
    ALTER TABLE lists ADD COLUMN confirmed INTEGER;
    ALTER TABLE lists ADD COLUMN sent INTEGER;
    """

  private static let todos = """
    CREATE TABLE new_todos (
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
      -- when this device saw it go into the trash
      removed_at INTEGER CHECK (removed_at IS NULL OR state = 'trash'),
      -- its order key among those of its state; of a done one, when it was ticked
      place TEXT NOT NULL CHECK (length(place) BETWEEN 11 AND 64),
      -- this profile's own highest stamp that the server is known to have, and the one that was sealed last
      confirmed INTEGER,
      sent INTEGER,
      CHECK (state <> 'done' OR done_at IS NOT NULL)
    ) STRICT;
    """

  private static let renaming = """
    DROP TABLE todos;
    ALTER TABLE new_todos RENAME TO todos;
    CREATE INDEX todos_in_order ON todos (list, state, place, todo_id);
    CREATE INDEX todos_by_id ON todos (todo_id);
    CREATE INDEX todos_by_title ON todos (folded) WHERE state = 'open';
    """
}
