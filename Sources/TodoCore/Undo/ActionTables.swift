import GRDB
import Treesystem

extension TodoTables {
  /// What this person did with this profile, so that it can be taken back.
  static let actions = """
    CREATE TABLE actions (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      time INTEGER NOT NULL,
      -- while its transaction runs, and no longer
      is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1))
    ) STRICT;
    CREATE UNIQUE INDEX open_action ON actions (is_open) WHERE is_open = 1;
    CREATE TABLE action_steps (
      id INTEGER PRIMARY KEY,
      action INTEGER NOT NULL REFERENCES actions (id) ON DELETE CASCADE,
      node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('added', 'changed', 'moved', 'commented')),
      -- the document before and after
      before BLOB,
      after BLOB,
      -- the parent before
      origin INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
      CHECK ((kind = 'changed') = (before IS NOT NULL AND after IS NOT NULL)),
      UNIQUE (action, node, kind)
    ) STRICT;
    CREATE INDEX action_steps_of_node ON action_steps (node);
    CREATE INDEX action_steps_by_origin ON action_steps (origin);
    """

  /// What an action did that cannot be taken back.
  static let actionEnds = AppMigration(name: "todo-18") { db in
    try db.execute(sql: "ALTER TABLE actions ADD COLUMN what_ended TEXT")
  }

  /// The name of a list that an action removed when nothing was on it any more.
  static let removedLists = AppMigration(name: "todo-19-removed-lists") { db in
    try db.execute(
      sql: """
        ALTER TABLE actions ADD COLUMN removed_list TEXT;
        -- which action removed the list that was the origin
        ALTER TABLE action_steps ADD COLUMN removed_by INTEGER REFERENCES actions (id) ON DELETE SET NULL;
        CREATE INDEX action_steps_by_removal ON action_steps (removed_by) WHERE removed_by IS NOT NULL;
        """)
  }
}
