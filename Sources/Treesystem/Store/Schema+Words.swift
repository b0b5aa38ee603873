extension Schema {
  /// Whose keyrings tell whose words a node holds, and are not known that far.
  static let wantedKeyrings = """
    CREATE TABLE wanted_keyrings (
      user BLOB PRIMARY KEY CHECK (length(user) = 20)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER account_left_words AFTER DELETE ON account BEGIN
      DELETE FROM wanted_keyrings;
    END;
    """
}
