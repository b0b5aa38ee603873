import GRDB
public import Treesystem

/// The tables of people, messages and invitations. An app puts these migrations before its own.
public let sharingMigrations = [first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, places]

/// A post stands where it was read at the latest.
private let places = AppMigration(name: "sharing-11-places") { db in
  let now = "(CAST(strftime('%s', 'now') AS INTEGER) * 1000)"
  for table in ["posts", "provisional_posts"] {
    try db.execute(
      sql: """
        UPDATE \(table) SET number = min(number, \(now)), sent = min(sent, \(now))
        WHERE max(number, sent) > \(now) + 3600000
        """)
  }
}

private let tenth = AppMigration(name: "sharing-10") { db in
  try db.execute(
    sql: """
      -- whether whoever used it is on the list, or was told that they do not come on it
      ALTER TABLE codes ADD COLUMN settled INTEGER NOT NULL DEFAULT 0 CHECK (settled IN (0, 1));
      UPDATE codes SET settled = 1 WHERE state = 'used';
      """)
}

private let ninth = AppMigration(name: "sharing-9") { db in
  try db.execute(
    sql: """
      -- what expires is looked for before each sync
      CREATE INDEX expiring_posts ON posts (expires) WHERE expires IS NOT NULL;
      -- whether a file goes with it
      ALTER TABLE provisional_posts ADD COLUMN has_file INTEGER NOT NULL DEFAULT 0 CHECK (has_file IN (0, 1));
      DROP VIEW said;
      CREATE VIEW said AS
        SELECT node, id, conversation, sender, number, sent, expires, read, post,
          EXISTS (SELECT 1 FROM node_files f WHERE f.node = posts.node) AS has_file FROM posts UNION ALL
        SELECT NULL, id, conversation, sender, number, sent, expires, read, post, has_file FROM provisional_posts;
      -- whether its owner ended the list before this user had anything of it
      ALTER TABLE invites ADD COLUMN closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1));
      -- whether it was to end the list for everybody
      ALTER TABLE withdrawn ADD COLUMN closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1));
      -- who was away and came back says it again: the word of before may go later than the new one comes
      CREATE TABLE joined_words (
        node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
        branch BLOB NOT NULL CHECK (length(branch) = 16),
        user BLOB NOT NULL CHECK (length(user) = 20)
      ) STRICT;
      INSERT INTO joined_words (node, branch, user) SELECT node, branch, user FROM joined;
      DROP TRIGGER account_left_3;
      DROP TABLE joined;
      ALTER TABLE joined_words RENAME TO joined;
      CREATE INDEX joined_by_branch ON joined (branch, user);
      CREATE TRIGGER account_left_9 AFTER DELETE ON account BEGIN
        DELETE FROM joined;
        DELETE FROM withdrawn;
      END;
      """)
}

private let eighth = AppMigration(name: "sharing-8") { db in
  try db.execute(
    sql: """
      -- posts of which the server says that they are the newest, as long as their trunk was not read (spec §6.6)
      CREATE TABLE provisional_posts (
        provisional INTEGER PRIMARY KEY REFERENCES provisional (id) ON DELETE CASCADE,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        conversation BLOB NOT NULL CHECK (length(conversation) = 16),
        sender BLOB NOT NULL CHECK (length(sender) = 20),
        number INTEGER NOT NULL,
        sent INTEGER NOT NULL,
        expires INTEGER,
        read INTEGER NOT NULL CHECK (read IN (0, 1)),
        post BLOB NOT NULL
      ) STRICT;
      CREATE INDEX provisional_in_order ON provisional_posts (conversation, number, sent, id);
      CREATE TRIGGER post_arrived AFTER INSERT ON posts BEGIN
        DELETE FROM provisional_posts WHERE id = NEW.id;
      END;
      -- what is shown
      CREATE VIEW said AS
        SELECT node, id, conversation, sender, number, sent, expires, read, post FROM posts UNION ALL
        SELECT NULL, id, conversation, sender, number, sent, expires, read, post FROM provisional_posts;
      """)
}

private let seventh = AppMigration(name: "sharing-7") { db in
  try db.execute(
    sql: """
      -- posts that are taken back, as long as that is not answered
      CREATE TABLE burning (
        node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
        post BLOB NOT NULL CHECK (length(post) = 16)
      ) STRICT;
      """)
}

private let sixth = AppMigration(name: "sharing-6") { db in
  try db.execute(
    sql: """
      -- all that the same people say to each other about one thing (spec §8.5)
      CREATE TABLE conversations (
        id BLOB PRIMARY KEY CHECK (length(id) = 16),
        topic BLOB CHECK (length(topic) = 16)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE conversation_users (
        conversation BLOB NOT NULL CHECK (length(conversation) = 16),
        user BLOB NOT NULL CHECK (length(user) = 20),
        PRIMARY KEY (conversation, user)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX conversations_of_user ON conversation_users (user);
      -- what was said, wherever it lies
      CREATE TABLE posts (
        node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        conversation BLOB NOT NULL CHECK (length(conversation) = 16),
        sender BLOB NOT NULL CHECK (length(sender) = 20),
        -- its place in the conversation
        number INTEGER NOT NULL,
        -- milliseconds since 1970, by the sender's clock
        sent INTEGER NOT NULL,
        -- milliseconds since 1970
        expires INTEGER,
        read INTEGER NOT NULL CHECK (read IN (0, 1)),
        post BLOB NOT NULL
      ) STRICT;
      CREATE INDEX posts_in_order ON posts (conversation, number, sent, id);
      CREATE INDEX posts_of_sender ON posts (sender);
      CREATE INDEX unread_posts ON posts (node) WHERE NOT read;
      -- what became of this user's own
      CREATE TABLE deliveries (
        post BLOB NOT NULL CHECK (length(post) = 16),
        user BLOB NOT NULL CHECK (length(user) = 20),
        state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'delivered', 'read', 'burnt')),
        PRIMARY KEY (post, user)
      ) STRICT, WITHOUT ROWID;
      -- messages in the outbox that go once they are sent
      CREATE TABLE signals (
        node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE
      ) STRICT;
      CREATE TRIGGER account_left_6 AFTER DELETE ON account BEGIN
        DELETE FROM conversations;
        DELETE FROM conversation_users;
        DELETE FROM posts;
        DELETE FROM deliveries;
      END;
      """)
}

private let fifth = AppMigration(name: "sharing-5") { db in
  try db.execute(
    sql: """
      -- whose list it is, as the invitation says: an admin may have sent it
      ALTER TABLE invites ADD COLUMN owner BLOB CHECK (length(owner) = 20);
      """)
}

private let fourth = AppMigration(name: "sharing-4") { db in
  try db.execute(
    sql: """
      -- the list that a code led to
      ALTER TABLE claims ADD COLUMN branch BLOB CHECK (length(branch) = 16);
      -- why it leads nowhere, as whoever made it says
      ALTER TABLE claims ADD COLUMN refusal TEXT
        CHECK (refusal IN ('expired', 'withdrawn', 'used', 'guessed', 'not-shared', 'not-said'));
      """)
}

private let third = AppMigration(name: "sharing-3") { db in
  try db.execute(
    sql: """
      -- who has said that they took a list which this user had offered to them
      CREATE TABLE joined (
        branch BLOB NOT NULL CHECK (length(branch) = 16),
        user BLOB NOT NULL CHECK (length(user) = 20),
        -- their message
        node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
        PRIMARY KEY (branch, user)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX joined_by_node ON joined (node);
      -- who has said that they took this user off a list
      CREATE TABLE withdrawn (
        branch BLOB PRIMARY KEY CHECK (length(branch) = 16),
        sender BLOB NOT NULL CHECK (length(sender) = 20),
        -- milliseconds since 1970, by their clock
        sent INTEGER NOT NULL,
        -- their message
        node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX withdrawn_by_node ON withdrawn (node);
      -- whether this user was told of an invitation: as of news
      ALTER TABLE invites ADD COLUMN told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1, 2));
      CREATE TRIGGER account_left_3 AFTER DELETE ON account BEGIN
        DELETE FROM joined;
        DELETE FROM withdrawn;
      END;
      """)
}

private let second = AppMigration(name: "sharing-2") { db in
  try db.execute(
    sql: """
      -- what this user's devices tell each other (spec §8.2)
      CREATE TABLE preferences (
        node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
        kind TEXT NOT NULL,
        subject BLOB NOT NULL,
        written INTEGER NOT NULL,
        message BLOB NOT NULL
      ) STRICT;
      CREATE INDEX preferences_by_subject ON preferences (kind, subject);
      -- an invitation offers a list, or the ownership of one
      ALTER TABLE invites ADD COLUMN kind TEXT NOT NULL DEFAULT 'list' CHECK (kind IN ('list', 'ownership'));
      ALTER TABLE invites ADD COLUMN expires INTEGER;
      DROP INDEX open_invites;
      CREATE UNIQUE INDEX open_invites ON invites (sender, branch, kind) WHERE state = 'open';
      -- whom this user has offered a list of theirs
      CREATE TABLE offers (
        branch BLOB NOT NULL CHECK (length(branch) = 16),
        successor BLOB NOT NULL CHECK (length(successor) = 20),
        expires INTEGER NOT NULL,
        PRIMARY KEY (branch, successor)
      ) STRICT, WITHOUT ROWID;
      -- who declined which list
      CREATE TABLE declined (
        branch BLOB NOT NULL CHECK (length(branch) = 16),
        user BLOB NOT NULL CHECK (length(user) = 20),
        -- their message
        node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
        PRIMARY KEY (branch, user)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX declined_by_node ON declined (node);
      -- invite codes that this device made: only it answers them
      CREATE TABLE codes (
        id BLOB PRIMARY KEY CHECK (length(id) = 16),
        secret BLOB NOT NULL CHECK (length(secret) = 20),
        branch BLOB NOT NULL CHECK (length(branch) = 16),
        title TEXT NOT NULL,
        letters INTEGER NOT NULL,
        note TEXT NOT NULL,
        expires INTEGER NOT NULL,
        failures INTEGER NOT NULL DEFAULT 0,
        state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'used', 'withdrawn')),
        used_by BLOB CHECK (length(used_by) = 20)
      ) STRICT;
      -- codes that were typed here, and wait for an answer
      CREATE TABLE claims (
        id BLOB PRIMARY KEY CHECK (length(id) = 16),
        secret BLOB NOT NULL CHECK (length(secret) = 20),
        inviter BLOB NOT NULL CHECK (length(inviter) = 20),
        alias TEXT,
        made INTEGER NOT NULL,
        state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered'))
      ) STRICT;
      CREATE TRIGGER account_left_2 AFTER DELETE ON account BEGIN
        DELETE FROM offers;
        DELETE FROM declined;
        DELETE FROM codes;
        DELETE FROM claims;
      END;
      -- somebody else's identity was verified for this handle since
      ALTER TABLE people ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0 CHECK (superseded IN (0, 1));
      """)
}

private let first = AppMigration(name: "sharing-1") { db in
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
