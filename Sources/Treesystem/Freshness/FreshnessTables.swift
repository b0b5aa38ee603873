/// What is remembered of a server's contradictions (spec §4.4), and what is needed to put a log back (spec §4.5).
enum FreshnessTables {
  static let sql = """
    -- what the server or an author said that cannot be true together with what was read here; it outlives its branch
    CREATE TABLE findings (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      branch BLOB NOT NULL CHECK (length(branch) = 16),
      kind TEXT NOT NULL CHECK (kind IN ('fork', 'rollback', 'omission')),
      -- the line from which on the two differ, as far as it is known
      line INTEGER NOT NULL CHECK (line >= 0),
      -- what stands there here; nil where nothing does
      known BLOB CHECK (length(known) = 32),
      -- what stands there by the other's word; of a rollback the head that the server names, of a missing row its record
      told BLOB NOT NULL CHECK (length(told) = 32),
      -- who signed a record of the history here, and of the other one
      known_user BLOB CHECK (length(known_user) = 20),
      known_device BLOB CHECK (length(known_device) = 16),
      told_user BLOB CHECK (length(told_user) = 20),
      told_device BLOB CHECK (length(told_device) = 16),
      -- whether what stands there is what a member signed that they had read, and not the server's word
      cited INTEGER NOT NULL DEFAULT 0 CHECK (cited IN (0, 1)),
      first_seen INTEGER NOT NULL,
      last_seen INTEGER NOT NULL,
      -- since when it is proven to be over
      ended INTEGER,
      -- whether the user has said that they know
      forgotten INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1)),
      UNIQUE (branch, kind, line, told),
      CHECK ((known_user IS NULL) = (known_device IS NULL)),
      CHECK ((told_user IS NULL) = (told_device IS NULL))
    ) STRICT;
    -- lines of this device's own that the server told in an answer, until they are read in the log
    CREATE TABLE acknowledged (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      hash BLOB NOT NULL CHECK (length(hash) = 32),
      line INTEGER NOT NULL CHECK (line > 0),
      log_hash BLOB NOT NULL CHECK (length(log_hash) = 32),
      kind INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      PRIMARY KEY (branch, hash)
    ) STRICT, WITHOUT ROWID;
    -- a tombstone as it was signed: with headers and permissions everything that a server has to have
    ALTER TABLE node_states ADD COLUMN tombstone BLOB;
    -- whether the server has the header and lacks what it lists, so that all of it is sealed anew
    ALTER TABLE node_states ADD COLUMN bare INTEGER NOT NULL DEFAULT 0 CHECK (bare IN (0, 1));
    """
}
