/// What is remembered of nodes that went from one branch to another (spec §5.7).
enum MoveTables {
  static let sql = """
    -- nodes that this profile took out of a branch, as long as the tombstone that says so is queued
    CREATE TABLE departures (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      -- the node, wherever it is now
      node INTEGER NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
      -- the tombstone, which may be that of a node above
      operation INTEGER NOT NULL REFERENCES operations (sequence) ON DELETE CASCADE,
      -- where it was and how it was called there
      parent BLOB CHECK (length(parent) = 16),
      name TEXT NOT NULL,
      -- whether the node holds a change of this profile's that the old branch never had
      edited INTEGER NOT NULL CHECK (edited IN (0, 1)),
      -- whether another device has changed the node where it is now
      shared INTEGER NOT NULL DEFAULT 0 CHECK (shared IN (0, 1)),
      PRIMARY KEY (branch, cloud_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX departures_of_node ON departures (node);
    CREATE INDEX departures_by_operation ON departures (operation);
    -- where nodes went, by the tombstones that were read; pending until what is here of the node was dealt with
    CREATE TABLE relocations (
      branch INTEGER NOT NULL REFERENCES branches (id) ON DELETE CASCADE,
      cloud_id BLOB NOT NULL CHECK (length(cloud_id) = 16),
      -- null where it did not open
      destination BLOB CHECK (length(destination) = 16),
      pending INTEGER NOT NULL CHECK (pending IN (0, 1)),
      -- of a tombstone of this profile's
      operation BLOB CHECK (length(operation) = 16),
      PRIMARY KEY (branch, cloud_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX relocations_pending ON relocations (branch, cloud_id) WHERE pending = 1;
    -- whether this user hung the node where it is, and the server has not confirmed that
    ALTER TABLE nodes ADD COLUMN placed INTEGER NOT NULL DEFAULT 0 CHECK (placed IN (0, 1));
    """
}
