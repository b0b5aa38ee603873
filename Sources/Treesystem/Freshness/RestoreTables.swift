/// What is remembered while a server that was set back is given back what it lost (spec §4.5).
enum RestoreTables {
  static let sql = """
    -- whether the server takes it only once a device of the branch's owner has given back what it has, by its last answer
    ALTER TABLE operations ADD COLUMN awaits_restore INTEGER NOT NULL DEFAULT 0 CHECK (awaits_restore IN (0, 1));
    -- what was read of branches of which the server shows another past, when this device was signed out: its next account compares it
    CREATE TABLE pasts (
      branch BLOB PRIMARY KEY CHECK (length(branch) = 16),
      user BLOB NOT NULL CHECK (length(user) = 20),
      -- the permissions record that was in force
      record BLOB NOT NULL CHECK (length(record) = 32)
    ) STRICT, WITHOUT ROWID;
    -- what everybody whom its records named had in the end, and who signed that
    CREATE TABLE past_letters (
      branch BLOB NOT NULL REFERENCES pasts ON DELETE CASCADE,
      user BLOB NOT NULL CHECK (length(user) = 20),
      letters INTEGER NOT NULL CHECK (letters BETWEEN 0 AND 255),
      by BLOB NOT NULL CHECK (length(by) = 20),
      PRIMARY KEY (branch, user)
    ) STRICT, WITHOUT ROWID;
    -- the devices that an account had ended, when this one was signed out of it
    CREATE TABLE past_devices (
      user BLOB NOT NULL CHECK (length(user) = 20),
      device BLOB NOT NULL CHECK (length(device) = 16),
      PRIMARY KEY (user, device)
    ) STRICT, WITHOUT ROWID;
    -- who may do more by the server's past of a branch than they could in the end of the one that was read
    CREATE TABLE comebacks (
      branch BLOB NOT NULL CHECK (length(branch) = 16),
      user BLOB NOT NULL CHECK (length(user) = 20),
      letters INTEGER NOT NULL CHECK (letters BETWEEN 1 AND 255),
      before INTEGER NOT NULL CHECK (before BETWEEN 0 AND 255),
      by BLOB NOT NULL CHECK (length(by) = 20),
      -- whether the past never named them, and the one above gave them their letters
      new INTEGER NOT NULL DEFAULT 0 CHECK (new IN (0, 1)),
      -- the record that gives it
      record BLOB NOT NULL CHECK (length(record) = 32),
      -- whether it was queued that they lose it again, and whether the user was told
      queued INTEGER NOT NULL DEFAULT 0 CHECK (queued IN (0, 1)),
      told INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),
      PRIMARY KEY (branch, user)
    ) STRICT, WITHOUT ROWID;
    """

  static let owners = """
    -- whether they owned the branch in the end
    ALTER TABLE past_letters ADD COLUMN owner INTEGER NOT NULL DEFAULT 0 CHECK (owner IN (0, 1));
    -- whether somebody else owned the branch in the end of the past that was read
    ALTER TABLE comebacks ADD COLUMN owner INTEGER NOT NULL DEFAULT 0 CHECK (owner IN (0, 1));
    """
}
