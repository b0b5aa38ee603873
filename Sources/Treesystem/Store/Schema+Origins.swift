extension Schema {
  /// Who wrote what came as a message: of those in the inbox, and of those that were taken out of it (spec §8.6).
  static let origins = """
    CREATE TABLE origins (
      node INTEGER PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
      sender BLOB NOT NULL CHECK (length(sender) = 20),
      header BLOB NOT NULL,
      secret BLOB NOT NULL CHECK (length(secret) = 32),
      -- the section that the message stands in, as its sender sealed it
      content BLOB NOT NULL,
      -- whether the signature was checked: the sender's keyring may not be here yet
      checked INTEGER NOT NULL CHECK (checked IN (0, 1))
    ) STRICT;
    CREATE INDEX unchecked_origins ON origins (sender) WHERE NOT checked;
    """
}
