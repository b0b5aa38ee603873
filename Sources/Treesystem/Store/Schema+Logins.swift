extension Schema {
  /// Logins by approval (spec §2.6): the one that this device has asked for, and those that it has answered.
  static let logins = """
    CREATE TABLE login_request (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      handle TEXT NOT NULL,
      server TEXT NOT NULL,
      login BLOB NOT NULL CHECK (length(login) = 16),
      sign_seed BLOB NOT NULL CHECK (length(sign_seed) = 32),
      box_secret BLOB NOT NULL CHECK (length(box_secret) = 32),
      opening BLOB NOT NULL,
      made INTEGER NOT NULL,
      -- the answer that counts
      user BLOB CHECK (length(user) = 20),
      device BLOB CHECK (length(device) = 16),
      box_key BLOB CHECK (length(box_key) = 32),
      nonce BLOB CHECK (length(nonce) = 32),
      added INTEGER NOT NULL DEFAULT 0 CHECK (added IN (0, 1)),
      user_keys BLOB,
      CHECK ((user IS NULL) = (nonce IS NULL) AND (device IS NULL) = (nonce IS NULL) AND (box_key IS NULL) = (nonce IS NULL))
    ) STRICT;
    CREATE TABLE login_answers (
      login BLOB PRIMARY KEY CHECK (length(login) = 16),
      commitment BLOB NOT NULL CHECK (length(commitment) = 32),
      nonce BLOB NOT NULL CHECK (length(nonce) = 32),
      made INTEGER NOT NULL,
      -- how many wrong codes were typed for it
      failures INTEGER NOT NULL DEFAULT 0,
      closed INTEGER NOT NULL DEFAULT 0 CHECK (closed IN (0, 1))
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER answers_left AFTER DELETE ON account BEGIN
      DELETE FROM login_answers;
    END;
    """
}
