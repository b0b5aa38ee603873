/// What files there are, and what of them lies on this disk (DESIGN: disk store).
enum DiskTables {
  static let sql = """
    -- the file that a node's header lists
    CREATE TABLE node_files (
      node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
      content BLOB NOT NULL CHECK (length(content) = 16),
      length INTEGER NOT NULL CHECK (length >= 80),
      metadata INTEGER NOT NULL CHECK (metadata >= 0),
      thumbnail INTEGER NOT NULL CHECK (thumbnail >= 0),
      root BLOB NOT NULL CHECK (length(root) = 32),
      -- what opens it: a SealedFileKey
      file_key BLOB NOT NULL
    ) STRICT;
    CREATE INDEX node_files_by_content ON node_files (content);
    -- files on their way up: a node's upload waits until its file was sent
    CREATE TABLE file_uploads (
      node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
      -- 'promised': the app will be asked for it; 'sealed': it lies here; 'sent': the server has it, and no header lists it yet
      stage TEXT NOT NULL CHECK (stage IN ('promised', 'sealed', 'sent'))
    ) STRICT;
    -- sections that somebody wants here
    CREATE TABLE wanted_sections (
      node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
      section INTEGER NOT NULL CHECK (section IN (1, 2, 3)),
      PRIMARY KEY (node, section)
    ) STRICT, WITHOUT ROWID;
    -- the sections that are here, or on their way; the id names the file, and no name comes twice
    CREATE TABLE stored_sections (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      content BLOB NOT NULL CHECK (length(content) = 16),
      section INTEGER NOT NULL CHECK (section IN (1, 2, 3)),
      length INTEGER NOT NULL CHECK (length > 0),
      -- how much of it is checked and durable, from its beginning
      stored INTEGER NOT NULL DEFAULT 0 CHECK (stored BETWEEN 0 AND length),
      -- the hashes of the data's leaves, once they are known to fit the root
      leaves BLOB,
      mode TEXT NOT NULL CHECK (mode IN ('persistent', 'cache')),
      -- what becomes of it once the server has it; nothing waits for the server where there is none
      after_upload TEXT CHECK (after_upload IN ('keep', 'cache', 'delete')),
      used INTEGER NOT NULL,
      expires INTEGER,
      UNIQUE (content, section),
      CHECK (mode = 'persistent' OR after_upload IS NULL),
      CHECK (mode = 'cache' OR expires IS NULL)
    ) STRICT;
    CREATE INDEX sections_by_use ON stored_sections (used) WHERE mode = 'cache';
    -- files that are to go: a note that outlives whoever was about to remove them
    CREATE TABLE removed_sections (id INTEGER PRIMARY KEY) STRICT;
    CREATE TRIGGER section_removed AFTER DELETE ON stored_sections BEGIN
      INSERT INTO removed_sections VALUES (OLD.id);
    END;
    CREATE TRIGGER file_removed AFTER DELETE ON node_files
      WHEN NOT EXISTS (SELECT 1 FROM node_files WHERE content = OLD.content) BEGIN
      DELETE FROM stored_sections WHERE content = OLD.content;
    END;
    CREATE TRIGGER file_replaced AFTER UPDATE OF content ON node_files
      WHEN NOT EXISTS (SELECT 1 FROM node_files WHERE content = OLD.content) BEGIN
      DELETE FROM stored_sections WHERE content = OLD.content;
    END;
    CREATE TABLE disk_store (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      -- of the sections in cache mode together, in bytes
      pool INTEGER NOT NULL CHECK (pool >= 0),
      -- how long one of them is kept after its last use, in milliseconds; negative: as long as there is room
      expiry INTEGER NOT NULL
    ) STRICT;
    INSERT INTO disk_store VALUES (1, 26214400, -1);
    """

  static let abandoned = """
    -- uploads of nodes that went before a header listed their files: the server may have parts of them
    CREATE TABLE abandoned_uploads (
      content BLOB PRIMARY KEY CHECK (length(content) = 16)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER upload_abandoned BEFORE DELETE ON nodes
      WHEN EXISTS (SELECT 1 FROM file_uploads WHERE node = OLD.id) AND EXISTS (SELECT 1 FROM account) BEGIN
      INSERT OR IGNORE INTO abandoned_uploads SELECT content FROM node_files WHERE node = OLD.id;
    END;
    """

  static let missing = """
    -- how often the server said, after it had the file, that it had not
    ALTER TABLE file_uploads ADD COLUMN missing INTEGER NOT NULL DEFAULT 0 CHECK (missing >= 0);
    """

  /// Sections are known by the root of their file: a content id is whatever somebody else writes into their header, a root is one file's.
  static let keyedByRoot = """
    CREATE INDEX node_files_by_root ON node_files (root);
    DROP TRIGGER section_removed;
    DROP TRIGGER file_removed;
    DROP TRIGGER file_replaced;
    CREATE TABLE sections_by_root (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      -- null while it is sealed here
      root BLOB CHECK (length(root) = 32),
      section INTEGER NOT NULL CHECK (section IN (1, 2, 3)),
      length INTEGER NOT NULL CHECK (length > 0),
      stored INTEGER NOT NULL DEFAULT 0 CHECK (stored BETWEEN 0 AND length),
      leaves BLOB,
      mode TEXT NOT NULL CHECK (mode IN ('persistent', 'cache')),
      after_upload TEXT CHECK (after_upload IN ('keep', 'cache', 'delete')),
      used INTEGER NOT NULL,
      expires INTEGER,
      -- until when it is not crowded out: somebody is at it, or has asked for it and not seen it yet
      held INTEGER,
      UNIQUE (root, section),
      CHECK (mode = 'persistent' OR after_upload IS NULL),
      CHECK (mode = 'cache' OR expires IS NULL)
    ) STRICT;
    INSERT INTO sections_by_root SELECT id,
        (SELECT f.root FROM node_files f WHERE f.content = s.content ORDER BY f.node LIMIT 1),
        section, length, stored, leaves, mode, after_upload, used, expires, NULL FROM stored_sections s;
    -- no name comes twice here either
    DELETE FROM sqlite_sequence WHERE name = 'sections_by_root';
    INSERT INTO sqlite_sequence SELECT 'sections_by_root', seq FROM sqlite_sequence WHERE name = 'stored_sections';
    DROP TABLE stored_sections;
    ALTER TABLE sections_by_root RENAME TO stored_sections;
    CREATE INDEX sections_by_use ON stored_sections (used) WHERE mode = 'cache';
    CREATE TRIGGER section_removed AFTER DELETE ON stored_sections BEGIN
      INSERT INTO removed_sections VALUES (OLD.id);
    END;
    CREATE TRIGGER file_removed AFTER DELETE ON node_files
      WHEN NOT EXISTS (SELECT 1 FROM node_files WHERE root = OLD.root) BEGIN
      DELETE FROM stored_sections WHERE root = OLD.root;
    END;
    CREATE TRIGGER file_replaced AFTER UPDATE OF root ON node_files
      WHEN NOT EXISTS (SELECT 1 FROM node_files WHERE root = OLD.root) BEGIN
      DELETE FROM stored_sections WHERE root = OLD.root;
    END;
    """
}
