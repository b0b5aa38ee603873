import CloudAPI
import Foundation
import GRDB
import Signing

/// Columns and tables with what follows from records, so that nothing is decoded or walked to answer: each is filled here from what older
/// servers left.
extension Schema {
  /// The newest line of a live node and of what lives below it.
  static let newestBelow = """
    ALTER TABLE nodes ADD COLUMN newest INTEGER NOT NULL DEFAULT 0 CHECK (newest >= 0);
    UPDATE nodes SET newest = line;
    """

  static let risingNewest = """
    UPDATE nodes SET newest = above.line
    FROM (
      SELECT child.branch AS branch, child.parent AS node, max(child.newest) AS line FROM nodes AS child
      WHERE child.kind = 1 AND child.gone = 0 AND child.parent IS NOT NULL GROUP BY child.branch, child.parent
    ) AS above
    WHERE nodes.branch = above.branch AND nodes.cloud_id = above.node AND nodes.kind = 1 AND nodes.gone = 0
      AND nodes.newest < above.line
    """

  static let newestBelowIndex = """
    CREATE INDEX nodes_by_newest ON nodes (branch, parent, newest) WHERE kind = 1 AND gone = 0
    """

  /// Who may sign for a user, at the end of their keyring; the empty device is the root.
  static let signers = """
    ALTER TABLE accounts ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1));
    CREATE TABLE signers (
      user BLOB NOT NULL REFERENCES accounts,
      device BLOB NOT NULL CHECK (length(device) IN (0, 16)),
      sign_key BLOB NOT NULL CHECK (length(sign_key) = 32),
      box_key BLOB NOT NULL CHECK (length(box_key) = 32),
      ended INTEGER NOT NULL CHECK (ended IN (0, 1)),
      PRIMARY KEY (user, device)
    ) STRICT, WITHOUT ROWID;
    """

  /// Whose a branch is by its record in force, and the branches that go in pieces: nobody has a letter on them any more.
  static let owners = """
    ALTER TABLE branches ADD COLUMN owner BLOB CHECK (length(owner) = 20);
    CREATE INDEX branches_by_owner ON branches (owner);
    CREATE TABLE deletions (branch BLOB PRIMARY KEY REFERENCES branches) STRICT, WITHOUT ROWID;
    """

  static func fillSigners(_ db: Database) throws {
    let storage = SQLiteTransaction(db: db, meter: WorkMeter(.endless))
    for row in try storage.rows("SELECT user FROM accounts WHERE position > 0", []) {
      let user: UserID = try row.fixed("user")
      guard let keyring = try? Keyring(stored: storage.keyringEntries(of: user, after: 0), of: user) else {
        throw StorageFailure.damaged
      }
      try storage.storeSigners(of: keyring, after: nil)
    }
  }

  static func fillOwners(_ db: Database) throws {
    let storage = SQLiteTransaction(db: db, meter: WorkMeter(.endless))
    for row in try storage.rows("SELECT branch FROM branches", []) {
      let branch: CloudID = try row.fixed("branch")
      guard let record = try storage.permissions(of: branch), let body = try? PermissionsBody(decoding: record.body)
      else { continue }
      try storage.run("UPDATE branches SET owner = ? WHERE branch = ?", [body.owner.blob, branch.blob])
    }
  }
}

extension CloudStorageTransaction {
  /// Keeps what is another than before of who may sign for a user; nil: nothing was kept.
  func storeSigners(of keyring: Keyring, after before: Keyring?) throws {
    let user = keyring.user
    if before == nil {
      try store(
        StoredSigner(signKey: keyring.rootKey, boxKey: keyring.rootBoxKey, hasEnded: false), as: nil, of: user)
    }
    for device in keyring.devices.values where before?.devices[device.id] != device {
      try store(
        StoredSigner(signKey: device.signKey, boxKey: device.boxKey, hasEnded: device.ended != nil), as: device.id,
        of: user)
    }
    if keyring.deleted != nil, before?.deleted == nil { try noteDeleted(user) }
  }
}
