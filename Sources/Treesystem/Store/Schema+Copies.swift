extension Schema {
  /// Messages on their way, and what became of them.
  static let copies = """
    -- copies of one lane arrive with a user in the order in which they were queued
    ALTER TABLE operations ADD COLUMN lane BLOB CHECK (length(lane) = 16);
    CREATE INDEX lanes ON operations (lane, user) WHERE lane IS NOT NULL;
    -- what this device has put into others' inboxes: the signed headers, by which it may take them back
    CREATE TABLE copies (
      cloud_id BLOB PRIMARY KEY CHECK (length(cloud_id) = 16),
      -- the message in the outbox
      node INTEGER REFERENCES nodes (id) ON DELETE SET NULL,
      user BLOB NOT NULL CHECK (length(user) = 20),
      header BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX copies_of_node ON copies (node);
    """

  /// What found an inbox full waits, and is no more refused than what goes behind it.
  static let fullInboxes = """
    ALTER TABLE operations ADD COLUMN inbox_full INTEGER NOT NULL DEFAULT 0 CHECK (inbox_full IN (0, 1));
    UPDATE operations SET state = 'pending', reason = NULL WHERE kind = 'copy' AND state = 'refused' AND reason = 'too-many';
    """
}
