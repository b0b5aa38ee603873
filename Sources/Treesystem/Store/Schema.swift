import Foundation
public import GRDB

/// The tables of the treesystem. Migrations are named and never edited.
enum Schema {
  static func migrator(app: [AppMigration]) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("treesystem-1") { db in
      try db.execute(sql: identity)
      try db.execute(sql: branches)
      try db.execute(sql: tree)
      try db.execute(sql: queue)
      for trunk in ["home", "prefs", "outbox", "inbox"] {
        try db.execute(sql: "INSERT INTO branches (trunk) VALUES (?)", arguments: [trunk])
        try db.execute(
          sql: "INSERT INTO nodes (branch, name) VALUES (?, '')", arguments: [db.lastInsertedRowID])
      }
    }
    migrator.registerMigration("treesystem-2") { db in
      try db.execute(sql: owed)
      try tellSizes(db)
    }
    migrator.registerMigration("treesystem-3") { db in
      try db.execute(sql: lives)
      try db.execute(sql: safety)
    }
    migrator.registerMigration("treesystem-4") { db in try db.execute(sql: MoveTables.sql) }
    migrator.registerMigration("treesystem-5") { db in try db.execute(sql: live) }
    migrator.registerMigration("treesystem-6") { db in try db.execute(sql: removedTags) }
    migrator.registerMigration("treesystem-7") { db in
      try db.execute(sql: "CREATE INDEX removed_by_name ON removed (branch, parent, name)")
    }
    migrator.registerMigration("treesystem-8") { db in try db.execute(sql: removedIncomplete) }
    migrator.registerMigration("treesystem-9") { db in try db.execute(sql: renewals) }
    // There is no 10, and none is to come: it would run before 11 in new profiles and after it in others.
    migrator.registerMigration("treesystem-11") { db in try db.execute(sql: FreshnessTables.sql) }
    migrator.registerMigration("treesystem-12") { db in try db.execute(sql: logins) }
    migrator.registerMigration("treesystem-13") { db in try db.execute(sql: closings) }
    migrator.registerMigration("treesystem-14") { db in try db.execute(sql: nesting) }
    migrator.registerMigration("treesystem-15") { db in try db.execute(sql: clocks) }
    migrator.registerMigration("treesystem-16") { db in try db.execute(sql: DiskTables.sql) }
    migrator.registerMigration("treesystem-17") { db in try db.execute(sql: DiskTables.abandoned) }
    migrator.registerMigration("treesystem-18") { db in try db.execute(sql: DiskTables.keyedByRoot) }
    migrator.registerMigration("treesystem-19") { db in try db.execute(sql: denials) }
    migrator.registerMigration("treesystem-20") { db in try db.execute(sql: DiskTables.missing) }
    migrator.registerMigration("treesystem-21") { db in try db.execute(sql: copies) }
    migrator.registerMigration("treesystem-22") { db in try db.execute(sql: origins) }
    migrator.registerMigration("treesystem-23") { db in try db.execute(sql: provisional) }
    migrator.registerMigration("treesystem-24") { db in try db.execute(sql: expiries) }
    migrator.registerMigration("treesystem-25") { db in try db.execute(sql: fullInboxes) }
    migrator.registerMigration("treesystem-26") { db in
      // Few, and looked for with every change: what each needs is followed only where there is one.
      try db.execute(sql: "CREATE INDEX refusals ON operations (sequence) WHERE state = 'refused'")
    }
    migrator.registerMigration("treesystem-27-founders") { db in try noteFounders(db) }
    migrator.registerMigration("treesystem-27-restores") { db in try db.execute(sql: RestoreTables.sql) }
    migrator.registerMigration("treesystem-27-words") { db in try db.execute(sql: wantedKeyrings) }
    migrator.registerMigration("treesystem-27-owners") { db in try db.execute(sql: RestoreTables.owners) }
    migrator.registerMigration("treesystem-27-placed") { db in try db.execute(sql: placedRows) }
    migrator.registerMigration("treesystem-28-trash") { db in try db.execute(sql: trashedPointers) }
    for migration in app { migrator.registerMigration(migration.name, migrate: migration.migrate) }
    return migrator
  }

  private static let identity = """
    CREATE TABLE account (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      user BLOB NOT NULL CHECK (length(user) = 20),
      handle TEXT NOT NULL,
      server TEXT NOT NULL,
      device BLOB NOT NULL CHECK (length(device) = 16),
      sign_seed BLOB NOT NULL CHECK (length(sign_seed) = 32),
      box_secret BLOB NOT NULL CHECK (length(box_secret) = 32),
      root BLOB CHECK (length(root) = 32),
      -- the sign-up as it was sent, until the server confirmed it
      sign_up BLOB,
      synced INTEGER
    ) STRICT;
    CREATE TABLE user_keys (
      generation INTEGER PRIMARY KEY CHECK (generation > 0),
      secret BLOB NOT NULL CHECK (length(secret) = 32)
    ) STRICT;
    CREATE TABLE keyrings (
      user BLOB NOT NULL CHECK (length(user) = 20),
      position INTEGER NOT NULL CHECK (position > 0),
      entry BLOB NOT NULL,
      PRIMARY KEY (user, position)
    ) STRICT, WITHOUT ROWID;
    """

  private static let branches = """
    CREATE TABLE branches (
      id INTEGER PRIMARY KEY,
      -- a trunk has none before there is an account
      cloud_id BLOB UNIQUE CHECK (length(cloud_id) = 16),
      trunk TEXT UNIQUE CHECK (trunk IN ('home', 'prefs', 'outbox', 'inbox')),
      first_permissions BLOB CHECK (length(first_permissions) = 32),
      -- the cursor
      line INTEGER NOT NULL DEFAULT 0 CHECK (line >= 0),
      log_hash BLOB CHECK (length(log_hash) = 32),
      -- why the branch cannot be read any further, and since when
      trouble TEXT,
      trouble_since INTEGER,
      CHECK (cloud_id IS NOT NULL OR trunk IS NOT NULL)
    ) STRICT;
    CREATE TABLE lines (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      number INTEGER NOT NULL CHECK (number > 0),
      kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      hash BLOB NOT NULL CHECK (length(hash) = 32),
      log_hash BLOB NOT NULL CHECK (length(log_hash) = 32),
      PRIMARY KEY (branch, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX lines_of_node ON lines (branch, cloud_id, number);
    CREATE TABLE permissions (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      version INTEGER NOT NULL CHECK (version > 0),
      line INTEGER NOT NULL CHECK (line > 0),
      hash BLOB NOT NULL CHECK (length(hash) = 32),
      record BLOB NOT NULL,
      PRIMARY KEY (branch, version)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE branch_keys (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      epoch INTEGER NOT NULL CHECK (epoch > 0),
      key BLOB NOT NULL CHECK (length(key) = 32),
      PRIMARY KEY (branch, epoch)
    ) STRICT, WITHOUT ROWID;
    -- what the server has of each node, as far as it was read or confirmed
    CREATE TABLE node_states (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      version INTEGER NOT NULL CHECK (version > 0),
      hash BLOB NOT NULL CHECK (length(hash) = 32),
      deleted INTEGER NOT NULL CHECK (deleted IN (0, 1)),
      parent BLOB CHECK (length(parent) = 16),
      token BLOB CHECK (length(token) = 32),
      header BLOB,
      PRIMARY KEY (branch, cloud_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX states_by_place ON node_states (branch, parent, token);
    CREATE TABLE quarantine (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      line INTEGER NOT NULL,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      reason TEXT NOT NULL,
      since INTEGER NOT NULL,
      row BLOB NOT NULL,
      PRIMARY KEY (branch, line)
    ) STRICT, WITHOUT ROWID;
    -- verified rows whose parent has not come yet
    CREATE TABLE waiting (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      line INTEGER NOT NULL,
      row BLOB NOT NULL,
      PRIMARY KEY (branch, line)
    ) STRICT, WITHOUT ROWID;
    """

  private static let tree = """
    CREATE TABLE nodes (
      id INTEGER PRIMARY KEY,
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      parent INTEGER REFERENCES nodes (id) ON DELETE CASCADE,
      cloud_id BLOB CHECK (length(cloud_id) = 16),
      name TEXT NOT NULL,
      name_key BLOB CHECK (length(name_key) = 32),
      node_key BLOB CHECK (length(node_key) = 32),
      author BLOB CHECK (length(author) = 20),
      pointer INTEGER REFERENCES branches (id),
      -- what this user calls the branch that hangs here
      alias TEXT CHECK (alias <> ''),
      UNIQUE (branch, cloud_id),
      CHECK (parent IS NOT NULL OR name = '')
    ) STRICT;
    CREATE UNIQUE INDEX nodes_by_name ON nodes (parent, name);
    CREATE INDEX nodes_by_pointer ON nodes (pointer) WHERE pointer IS NOT NULL;
    CREATE UNIQUE INDEX roots ON nodes (branch) WHERE parent IS NULL;
    CREATE TABLE links (
      collection TEXT NOT NULL,
      key TEXT NOT NULL,
      node INTEGER NOT NULL UNIQUE REFERENCES nodes (id) ON DELETE CASCADE,
      PRIMARY KEY (collection, key)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE tags (
      node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
      identifier TEXT NOT NULL,
      tag BLOB NOT NULL,
      PRIMARY KEY (node, identifier)
    ) STRICT, WITHOUT ROWID;
    """

  private static let queue = """
    CREATE TABLE operations (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      operation BLOB NOT NULL UNIQUE CHECK (length(operation) = 16),
      kind TEXT NOT NULL CHECK (kind IN ('put', 'delete', 'permit', 'copy')),
      state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'sealed', 'refused')),
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      node INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
      cloud_id BLOB CHECK (length(cloud_id) = 16),
      -- what a permit or copy is about; a permit without user makes the branch
      user BLOB CHECK (length(user) = 20),
      letters INTEGER,
      read_line INTEGER,
      read_hash BLOB CHECK (length(read_hash) = 32),
      sealed BLOB,
      reason TEXT,
      created INTEGER NOT NULL,
      CHECK ((state = 'sealed') = (sealed IS NOT NULL)),
      CHECK ((state = 'refused') = (reason IS NOT NULL))
    ) STRICT;
    CREATE INDEX operations_of_node ON operations (branch, cloud_id);
    CREATE INDEX operations_by_node ON operations (node) WHERE node IS NOT NULL;
    CREATE INDEX permits ON operations (branch) WHERE kind = 'permit';
    CREATE TABLE dependencies (
      operation INTEGER NOT NULL REFERENCES operations (sequence) ON DELETE CASCADE,
      needs INTEGER NOT NULL REFERENCES operations (sequence) ON DELETE CASCADE,
      PRIMARY KEY (operation, needs)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX dependents ON dependencies (needs);
    """
}

/// A migration of the app's own tables, which live in the same database so that one transaction covers both.
public struct AppMigration: Sendable {
  /// Unique, and never changed.
  public let name: String
  /// Changes the tables, once.
  public let migrate: @Sendable (Database) throws -> Void

  /// `name` must be unique and never change.
  public init(name: String, migrate: @escaping @Sendable (Database) throws -> Void) {
    self.name = name
    self.migrate = migrate
  }
}
