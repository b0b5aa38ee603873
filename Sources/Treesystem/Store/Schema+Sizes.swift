import GRDB

extension Schema {
  /// Nodes of which a line came without its row: at the head a later line must have brought it (spec §4.3).
  static let owed = """
    CREATE TABLE owed (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      PRIMARY KEY (branch, cloud_id)
    ) STRICT, WITHOUT ROWID;
    -- whoever was in the middle of a pull
    INSERT INTO owed SELECT DISTINCT branch, cloud_id FROM lines WHERE kind <> 3;
    -- few, and looked for with every change that is accepted
    CREATE INDEX deletions ON operations (branch) WHERE kind = 'delete';
    """

  /// What SQLite's planner has to know: that a branch has many lines and nodes. It believes else that a branch is a handful
  /// of rows, and reads all of them where the second column of an index would do. Fixed, so that every profile has one plan.
  static func tellSizes(_ db: Database) throws {
    try db.execute(sql: "ANALYZE branches; DELETE FROM sqlite_stat1")
    for (table, index, sizes) in sizes {
      try db.execute(
        sql: "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)", arguments: [table, index, sizes])
    }
    try db.execute(sql: "ANALYZE sqlite_schema")
  }

  /// Rows of the table, then rows for one value of the first column of the index, of the first two, and so on.
  private static let sizes = [
    ("lines", "lines", "100000 10000 1"),
    ("lines", "lines_of_node", "100000 10000 2 1"),
    ("node_states", "node_states", "100000 10000 1"),
    ("node_states", "states_by_place", "100000 10000 1000 1"),
    ("nodes", "sqlite_autoindex_nodes_1", "100000 10000 1"),
    ("nodes", "nodes_by_name", "100000 1000 1"),
    ("nodes", "roots", "10 1"),
    ("nodes", "nodes_by_pointer", "10 1"),
    ("operations", "operations_of_node", "10000 1000 1"),
    ("operations", "operations_by_node", "10000 1"),
    ("operations", "permits", "10 1"),
    ("operations", "deletions", "10 1"),
    ("permissions", "permissions", "100 10 1"),
    ("quarantine", "quarantine", "100 10 1"),
    ("waiting", "waiting", "100 10 1"),
    ("branches", "sqlite_autoindex_branches_1", "10 1"),
    ("branches", "sqlite_autoindex_branches_2", "10 1"),
  ]
}
