extension Schema {
  /// At which line a node stands, and with which line its present life began (0: its first): what lay below it before that
  /// line went with it.
  static let lives = """
    ALTER TABLE node_states ADD COLUMN line INTEGER NOT NULL DEFAULT 0 CHECK (line >= 0);
    ALTER TABLE node_states ADD COLUMN revived INTEGER NOT NULL DEFAULT 0 CHECK (revived >= 0);
    UPDATE node_states SET
      line = coalesce(
        (SELECT max(number) FROM lines l WHERE l.branch = node_states.branch AND l.hash = node_states.hash), 0),
      revived = coalesce(
        (SELECT min(number) FROM lines l WHERE l.branch = node_states.branch AND l.cloud_id = node_states.cloud_id
          AND kind = 1 AND number > (SELECT max(number) FROM lines t WHERE t.branch = node_states.branch
            AND t.cloud_id = node_states.cloud_id AND t.kind = 2)), 0);
    """

  static let safety = """
    -- what was deleted here, until its deletion is accepted
    CREATE TABLE removed (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      operation INTEGER NOT NULL REFERENCES operations (sequence) ON DELETE CASCADE,
      -- the cloudID of what it hung below; nil for a branch root
      parent BLOB CHECK (length(parent) = 16),
      name TEXT NOT NULL,
      name_key BLOB CHECK (length(name_key) = 32),
      node_key BLOB CHECK (length(node_key) = 32),
      author BLOB CHECK (length(author) = 20),
      -- of a pointer: the branch that hung there, and its first record
      pointer BLOB CHECK (length(pointer) = 16),
      first_permissions BLOB CHECK (length(first_permissions) = 32),
      alias TEXT CHECK (alias <> ''),
      -- the app's, in clear; nil where it gave none
      data BLOB,
      history BLOB,
      -- whether it held changes that the server has not confirmed
      unsent INTEGER NOT NULL CHECK (unsent IN (0, 1)),
      PRIMARY KEY (branch, cloud_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX removed_by_operation ON removed (operation);
    CREATE TABLE needs_download (
      node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
      component INTEGER NOT NULL CHECK (component IN (1, 2, 4, 8)),
      PRIMARY KEY (node, component)
    ) STRICT, WITHOUT ROWID;
    -- when the server may be asked again, after it was not there
    CREATE TABLE contact (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      failures INTEGER NOT NULL CHECK (failures > 0),
      not_before INTEGER NOT NULL
    ) STRICT;
    """

  /// The tags of what was deleted here come back with it.
  static let removedTags = """
    CREATE TABLE removed_tags (
      branch INTEGER NOT NULL,
      cloud_id BLOB NOT NULL,
      identifier TEXT NOT NULL,
      tag BLOB NOT NULL,
      PRIMARY KEY (branch, cloud_id, identifier),
      FOREIGN KEY (branch, cloud_id) REFERENCES removed ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;
    """

  /// Whether it has to be looked if a branch needs new permissions, after a record or a keyring came.
  static let renewals = """
    ALTER TABLE branches ADD COLUMN renewal INTEGER NOT NULL DEFAULT 1 CHECK (renewal IN (0, 1));
    CREATE INDEX renewals ON branches (id) WHERE renewal = 1;
    -- whether its nodes were forgotten while a deletion in it waited: if it hangs on the tree again, it is read again
    ALTER TABLE branches ADD COLUMN hollow INTEGER NOT NULL DEFAULT 0 CHECK (hollow IN (0, 1));
    -- a change of letters that gives the branch away
    ALTER TABLE operations ADD COLUMN hands_over INTEGER NOT NULL DEFAULT 0 CHECK (hands_over IN (0, 1));
    -- what successors have signed of branches that are to be given to them
    CREATE TABLE transfers (
      branch INTEGER PRIMARY KEY REFERENCES branches (id) ON DELETE CASCADE,
      successor BLOB NOT NULL CHECK (length(successor) = 20),
      record BLOB NOT NULL
    ) STRICT;
    """

  /// A permission change that ends a branch for everybody.
  static let closings = "ALTER TABLE operations ADD COLUMN closes INTEGER NOT NULL DEFAULT 0 CHECK (closes IN (0, 1))"

  static let nesting = """
    -- the branch that a nested one was found in: its first record has to name that
    ALTER TABLE branches ADD COLUMN enclosing INTEGER REFERENCES branches (id) ON DELETE SET NULL;
    CREATE INDEX branches_by_enclosing ON branches (enclosing);
    -- whether it has to be looked who came or went around it while it was made
    ALTER TABLE branches ADD COLUMN nesting INTEGER NOT NULL DEFAULT 0 CHECK (nesting IN (0, 1));
    CREATE INDEX nestings ON branches (id) WHERE nesting = 1;
    """

  static let clocks = """
    -- how far this machine's clock was ahead of the server's when that last said the time, where they were far apart
    CREATE TABLE server_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      ahead INTEGER NOT NULL
    ) STRICT;
    """

  /// What was deleted while its content was to be fetched, comes back with that.
  static let removedIncomplete = """
    ALTER TABLE removed ADD COLUMN incomplete INTEGER NOT NULL DEFAULT 0 CHECK (incomplete IN (0, 1));
    """

  /// One reason stood for what a server denies and for a record that fits no letter. Almost all were the first; the next pull tells.
  static let denials = "UPDATE branches SET trouble = 'branch-denied' WHERE trouble = 'letter-missing'"
}
