import GRDB

/// The tables of a server. Migrations are named and never edited; a constraint that fails is a defect of ours.
enum Schema {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("accounts, branches, nodes, contents") { db in
      try db.execute(sql: accounts)
      try db.execute(sql: branches)
      try db.execute(sql: nodes)
    }
    migrator.registerMigration("letters by user") { db in
      try db.execute(sql: "CREATE INDEX letters_by_user ON letters (user, branch)")
    }
    migrator.registerMigration("messages by sender") { db in try db.execute(sql: messages) }
    migrator.registerMigration("closings") { db in try db.execute(sql: closings) }
    migrator.registerMigration("files") { db in try db.execute(sql: files) }
    migrator.registerMigration("keyrings without accounts") { db in try db.execute(sql: lostKeyrings) }
    migrator.registerMigration("newest children") { db in
      try db.execute(
        sql: "CREATE INDEX nodes_by_parent ON nodes (branch, parent, line) WHERE kind = 1 AND gone = 0")
    }
    migrator.registerMigration("messages that wait") { db in
      try db.execute(
        sql: """
          DELETE FROM messages WHERE NOT EXISTS (
            SELECT * FROM nodes WHERE branch = messages.branch AND cloud_id = messages.cloud_id AND kind = 1 AND gone = 0)
          """)
    }
    migrator.registerMigration("expiries") { db in try db.execute(sql: expiries) }
    migrator.registerMigration("restoring") { db in try db.execute(sql: restoring) }
    migrator.registerMigration("messages of a day") { db in try db.execute(sql: messageDays) }
    migrator.registerMigration("newest below") { db in
      try db.execute(sql: newestBelow)
      // From below upwards, one level at a time.
      repeat { try db.execute(sql: risingNewest) } while db.changesCount > 0
      try db.execute(sql: newestBelowIndex)
    }
    migrator.registerMigration("signers") { db in
      try db.execute(sql: signers)
      try fillSigners(db)
    }
    migrator.registerMigration("owners") { db in
      try db.execute(sql: owners)
      try fillOwners(db)
    }
    migrator.registerMigration("handles by user") { db in
      try db.execute(sql: "CREATE INDEX handles_by_user ON handles (user)")
    }
    migrator.registerMigration("entries without letters") { db in try db.execute(sql: refusedSenders) }
    migrator.registerMigration("bytes by payer") { db in try UsageSchema.create(db) }
    migrator.registerMigration("lost keyrings by payer") { db in try UsageSchema.countLostKeyrings(db) }
    return migrator
  }

  /// What people upload by parts, whole (with its root) or not, and which nodes list it. The bytes are elsewhere, under a name with the
  /// number. `unlisted` says since when nothing lists it, or its last part came: null while something does, 0 until the time was noted.
  private static let files = """
    CREATE TABLE files (
      file INTEGER PRIMARY KEY AUTOINCREMENT,
      user BLOB NOT NULL REFERENCES accounts,
      content BLOB NOT NULL CHECK (length(content) = 16),
      length INTEGER NOT NULL CHECK (length >= 80),
      metadata INTEGER NOT NULL CHECK (metadata >= 0),
      thumbnail INTEGER NOT NULL CHECK (thumbnail >= 0),
      missing INTEGER NOT NULL CHECK (missing >= 0),
      root BLOB CHECK (length(root) = 32),
      unlisted INTEGER CHECK (unlisted >= 0),
      CHECK (root IS NULL OR missing = 0),
      CHECK (root IS NOT NULL OR unlisted IS NOT NULL),
      UNIQUE (user, content)
    ) STRICT;
    CREATE INDEX files_unlisted ON files (unlisted) WHERE unlisted IS NOT NULL;
    CREATE TABLE file_parts (
      file INTEGER NOT NULL REFERENCES files,
      part INTEGER NOT NULL CHECK (part >= 0),
      leaves BLOB NOT NULL CHECK (length(leaves) > 0 AND length(leaves) % 32 = 0),
      PRIMARY KEY (file, part)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE file_references (
      branch BLOB NOT NULL,
      cloud_id BLOB NOT NULL,
      content BLOB NOT NULL CHECK (length(content) = 16),
      file INTEGER NOT NULL REFERENCES files,
      PRIMARY KEY (branch, cloud_id),
      FOREIGN KEY (branch, cloud_id) REFERENCES nodes
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX file_references_by_file ON file_references (file);
    CREATE INDEX file_references_in_branch ON file_references (branch, content);
    """

  /// The record in force as before, with entries that have no letters.
  private static let refusedSenders = """
    CREATE TABLE entries (
      branch BLOB NOT NULL REFERENCES branches,
      user BLOB NOT NULL CHECK (length(user) IN (0, 20)),
      letters INTEGER NOT NULL CHECK (letters BETWEEN 0 AND 255),
      PRIMARY KEY (branch, user)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO entries SELECT branch, user, letters FROM letters;
    DROP TABLE letters;
    ALTER TABLE entries RENAME TO letters;
    CREATE INDEX letters_by_user ON letters (user, branch);
    """

  /// Who put which message into an inbox where it waits: one that was taken out is not counted, each time, again. Those from before this
  /// table count for nobody.
  private static let messages = """
    CREATE TABLE messages (
      branch BLOB NOT NULL,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      sender BLOB NOT NULL CHECK (length(sender) = 20),
      PRIMARY KEY (branch, cloud_id),
      FOREIGN KEY (branch, cloud_id) REFERENCES nodes
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX messages_by_sender ON messages (branch, sender);
    """

  /// How many messages somebody put into an inbox on the last day on which they did, in days since 1970.
  private static let messageDays = """
    CREATE TABLE message_days (
      branch BLOB NOT NULL REFERENCES branches,
      sender BLOB NOT NULL CHECK (length(sender) = 20),
      day INTEGER NOT NULL,
      lines INTEGER NOT NULL CHECK (lines >= 1),
      PRIMARY KEY (branch, sender)
    ) STRICT, WITHOUT ROWID;
    """

  /// When the contents of what people said go, in milliseconds since 1970. A row goes with them.
  private static let expiries = """
    CREATE TABLE expiries (
      branch BLOB NOT NULL,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      expires INTEGER NOT NULL CHECK (expires > 0),
      PRIMARY KEY (branch, cloud_id),
      FOREIGN KEY (branch, cloud_id) REFERENCES nodes
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX expiries_by_time ON expiries (expires);
    """

  /// When owners ended their branches, by this server's clock, in milliseconds since 1970. The contents go later.
  private static let closings = """
    CREATE TABLE closings (
      branch BLOB PRIMARY KEY REFERENCES branches,
      closed INTEGER NOT NULL,
      purged INTEGER NOT NULL DEFAULT 0 CHECK (purged IN (0, 1))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX closings_to_purge ON closings (closed) WHERE purged = 0;
    """

  /// Since when this server takes lost lines back, in milliseconds since 1970, and the branches that wait for their owners no more. Both
  /// are empty while it takes nothing back.
  private static let restoring = """
    CREATE TABLE restoring (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      began INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE given_back (branch BLOB PRIMARY KEY CHECK (length(branch) = 16)) STRICT, WITHOUT ROWID;
    """

  /// The keyrings of people whose account this server lost and whose records were given back: they are judged by these until
  /// their owners sign up again. Nobody has an account, or a handle, by them.
  private static let lostKeyrings = """
    CREATE TABLE lost_keyring_entries (
      user BLOB NOT NULL CHECK (length(user) = 20),
      position INTEGER NOT NULL CHECK (position BETWEEN 1 AND 1000),
      record BLOB NOT NULL,
      PRIMARY KEY (user, position)
    ) STRICT;
    """

  /// A handle row stays when its user takes another handle: no handle is ever reassigned.
  private static let accounts = """
    CREATE TABLE accounts (
      user BLOB PRIMARY KEY CHECK (length(user) = 20),
      position INTEGER NOT NULL CHECK (position BETWEEN 0 AND 1000),
      hash BLOB NOT NULL CHECK (length(hash) = 32)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE handles (
      handle TEXT PRIMARY KEY CHECK (length(handle) BETWEEN 1 AND 32),
      user BLOB NOT NULL REFERENCES accounts
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE keyring_entries (
      user BLOB NOT NULL REFERENCES accounts,
      position INTEGER NOT NULL CHECK (position BETWEEN 1 AND 1000),
      record BLOB NOT NULL,
      PRIMARY KEY (user, position)
    ) STRICT;
    """

  /// Lines and permissions records stay for ever. `letters` is the record in force, one row for each of its entries;
  /// the empty user is anyone.
  private static let branches = """
    CREATE TABLE branches (
      branch BLOB PRIMARY KEY CHECK (length(branch) = 16),
      line INTEGER NOT NULL CHECK (line >= 1),
      log_hash BLOB NOT NULL CHECK (length(log_hash) = 32)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE lines (
      branch BLOB NOT NULL REFERENCES branches,
      line INTEGER NOT NULL CHECK (line >= 1),
      kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      hash BLOB NOT NULL CHECK (length(hash) = 32),
      log_hash BLOB NOT NULL CHECK (length(log_hash) = 32),
      PRIMARY KEY (branch, line)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX lines_by_record ON lines (branch, hash);
    CREATE TABLE permissions (
      branch BLOB NOT NULL,
      version INTEGER NOT NULL CHECK (version >= 1),
      line INTEGER NOT NULL,
      hash BLOB NOT NULL CHECK (length(hash) = 32),
      record BLOB NOT NULL,
      PRIMARY KEY (branch, version),
      UNIQUE (branch, hash),
      FOREIGN KEY (branch, line) REFERENCES lines
    ) STRICT;
    CREATE TABLE letters (
      branch BLOB NOT NULL REFERENCES branches,
      user BLOB NOT NULL CHECK (length(user) IN (0, 20)),
      letters INTEGER NOT NULL CHECK (letters BETWEEN 1 AND 255),
      PRIMARY KEY (branch, user)
    ) STRICT, WITHOUT ROWID;
    """

  /// A node's latest row; indexed by line it is the change feed. `gone`: deleted with a node above it.
  /// Small contents are kept here, by id and hash, as long as a live node lists them.
  private static let nodes = """
    CREATE TABLE nodes (
      branch BLOB NOT NULL,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      line INTEGER NOT NULL,
      lines INTEGER NOT NULL CHECK (lines >= 1),
      kind INTEGER NOT NULL CHECK (kind IN (1, 2)),
      hash BLOB NOT NULL CHECK (length(hash) = 32),
      record BLOB NOT NULL,
      parent BLOB CHECK (length(parent) = 16),
      name_token BLOB CHECK (length(name_token) = 32),
      gone INTEGER NOT NULL CHECK (gone IN (0, 1)),
      PRIMARY KEY (branch, cloud_id),
      CHECK ((parent IS NULL) = (name_token IS NULL)),
      FOREIGN KEY (branch, line) REFERENCES lines
    ) STRICT;
    CREATE UNIQUE INDEX nodes_by_line ON nodes (branch, line);
    CREATE UNIQUE INDEX nodes_by_name ON nodes (branch, parent, name_token) WHERE kind = 1 AND gone = 0;
    CREATE TABLE contents (
      content BLOB NOT NULL CHECK (length(content) = 16),
      hash BLOB NOT NULL CHECK (length(hash) = 32),
      bytes BLOB NOT NULL CHECK (length(bytes) <= 65536),
      PRIMARY KEY (content, hash)
    ) STRICT;
    CREATE TABLE content_references (
      branch BLOB NOT NULL,
      cloud_id BLOB NOT NULL,
      section INTEGER NOT NULL CHECK (section BETWEEN 1 AND 4),
      content BLOB NOT NULL,
      hash BLOB NOT NULL,
      PRIMARY KEY (branch, cloud_id, section),
      FOREIGN KEY (branch, cloud_id) REFERENCES nodes,
      FOREIGN KEY (content, hash) REFERENCES contents
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX content_references_by_content ON content_references (content, hash);
    CREATE INDEX content_references_in_branch ON content_references (branch, content);
    """
}
