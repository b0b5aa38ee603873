extension Schema {
  /// What goes on while nobody waits for it.
  static let live = """
    -- branches that were read up to their head once: what comes from then on is new to this device
    CREATE TABLE caught_up (
      branch INTEGER PRIMARY KEY REFERENCES branches (id) ON DELETE CASCADE
    ) STRICT;
    INSERT INTO caught_up SELECT id FROM branches WHERE line > 0;
    -- that somebody came while a sync was under way, which has to go round once more
    CREATE TABLE wish (
      id INTEGER PRIMARY KEY CHECK (id = 1)
    ) STRICT;
    """
}
