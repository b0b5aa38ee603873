import GRDB
public import Treesystem

/// The tables of people, messages and invitations. An app puts this migration before its own.
public let sharingMigration = AppMigration(name: "sharing-1") { db in
  try db.execute(
    sql: """
      CREATE TABLE people (
        user BLOB PRIMARY KEY CHECK (length(user) = 20),
        -- pinned at first contact: from then on the handle means this person here
        handle TEXT NOT NULL,
        first_seen INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX people_by_handle ON people (handle);
      CREATE TABLE outgoing (
        node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
        message BLOB NOT NULL
      ) STRICT;
      CREATE TABLE invites (
        -- never reused, so that a number in somebody's scrollback stays true
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        node INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
        sender BLOB NOT NULL CHECK (length(sender) = 20),
        branch BLOB NOT NULL CHECK (length(branch) = 16),
        first_permissions BLOB NOT NULL CHECK (length(first_permissions) = 32),
        title TEXT NOT NULL,
        note TEXT NOT NULL,
        letters INTEGER NOT NULL,
        received INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'accepted', 'declined'))
      ) STRICT;
      CREATE UNIQUE INDEX open_invites ON invites (sender, branch) WHERE state = 'open';
      -- people and invitations belong to an account: on another server the same handle is another person
      CREATE TRIGGER account_left AFTER DELETE ON account BEGIN
        DELETE FROM people;
        DELETE FROM invites;
      END;
      """)
}
