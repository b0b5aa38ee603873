public import CloudAPI
import Foundation
import GRDB
import Sealing
public import Signing

extension CloudTransaction {
  /// The account; nil while this profile only keeps lists on the device.
  public func account() throws -> Account? {
    try Row.fetchOne(
      db, sql: "SELECT user, handle, server, device, root IS NOT NULL FROM account WHERE sign_up IS NULL"
    )
    .map { Account(user: $0[0], handle: $0[1], server: $0[2], device: $0[3], holdsRoot: $0[4]) }
  }

  /// The account, or an error that tells to sign up.
  public func requireAccount() throws -> Account {
    guard let account = try account() else { throw TreeError.notSignedIn }
    return account
  }

  /// The root, until its words were rehearsed.
  public func root() throws -> RootKey? {
    try Data.fetchOne(db, sql: "SELECT root FROM account WHERE root IS NOT NULL")
      .map { RootKey(entropy: SecretBytes(column: $0)) }
  }

  /// Whoever signed in with the words elsewhere has them: this device need not keep the root any longer.
  private func eraseRootIfRehearsed(_ keyring: Keyring) throws {
    guard let me = try account(), me.holdsRoot, keyring.user == me.user,
      keyring.devices.values.contains(where: { $0.addedBy == nil && $0.id != me.device })
    else { return }
    try eraseRoot()
  }

  /// Forgets the root. Its words are then the only copy.
  public func eraseRoot() throws { try db.execute(sql: "UPDATE account SET root = NULL") }

  /// When the last sync ended well, in milliseconds since 1970.
  public func lastSync() throws -> Int64? { try Int64.fetchOne(db, sql: "SELECT synced FROM account") }

  func setSynced() throws { try db.execute(sql: "UPDATE account SET synced = ?", arguments: [clock.now()]) }

  func identity() throws -> Identity {
    guard let row = try Row.fetchOne(db, sql: "SELECT user, device, sign_seed, box_secret FROM account") else {
      throw TreeError.notSignedIn
    }
    return Identity(
      user: row[0], device: row[1], signingKey: SigningKey(seed: SecretBytes(column: row[2])),
      boxSecret: SecretBytes(column: row[3]))
  }

  /// Every generation of this user's key that this device could open.
  func userKey(generation: UInt32) throws -> UserKey? {
    try Data.fetchOne(db, sql: "SELECT secret FROM user_keys WHERE generation = ?", arguments: [Int64(generation)])
      .map { UserKey(generation: generation, box: BoxKey(secret: SecretBytes(column: $0))) }
  }

  func setUserKey(_ key: UserKey) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO user_keys (generation, secret) VALUES (?, ?)",
      arguments: [Int64(key.generation), key.box.secret.column])
  }

  /// A person's verified keyring, as far as it was read.
  public func keyring(_ user: UserID) throws -> Keyring? {
    let last = try db.cachedStatement(
      sql: "SELECT position, entry FROM keyrings WHERE user = ? ORDER BY position DESC LIMIT 1")
    guard let row = try Row.fetchOne(last, arguments: [user]) else { return nil }
    let head = try SignedRecord(encoded: Array(row[1] as Data))
    if let known = keyrings.keyring(of: user, at: row[0], head) { return known }
    let entries = try Data.fetchAll(
      db, sql: "SELECT entry FROM keyrings WHERE user = ? ORDER BY position", arguments: [user])
    let keyring = try Keyring(user: user, entries: entries.map { try SignedRecord(encoded: Array($0)) })
    keyrings.remember(keyring)
    return keyring
  }

  /// The position up to which a person's keyring was read.
  func keyringPosition(_ user: UserID) throws -> UInt32 {
    let statement = try db.cachedStatement(sql: "SELECT count(*) FROM keyrings WHERE user = ?")
    return try UInt32.fetchOne(statement, arguments: [user]) ?? 0
  }

  /// Verifies and appends entries that a server sent. Never goes back: what is there already stays.
  @discardableResult
  package func extendKeyring(_ user: UserID, with records: [SignedRecord]) throws -> Keyring {
    if var known = try keyring(user) {
      let before = known
      try known.append(records)
      try insertEntries(records, of: user, after: before.position)
      try openUserKeys(of: known)
      try eraseRootIfRehearsed(known)
      // Branches are sealed to keys that somebody else may have by now.
      if known.generations.count > before.generations.count || known.endedDevices > before.endedDevices {
        try noteRenewals()
      }
      if known.deleted != nil { try giveUpMessages(to: user) }
      return known
    }
    let keyring = try Keyring(user: user, entries: records)
    try insertEntries(records, of: user, after: 0)
    if keyring.deleted != nil { try giveUpMessages(to: user) }
    return keyring
  }

  /// Whoever's account is at its end has no inbox any more.
  private func giveUpMessages(to user: UserID) throws {
    try db.execute(sql: "DELETE FROM operations WHERE kind IN ('copy', 'delete') AND user = ?", arguments: [user])
  }

  private func insertEntries(_ records: [SignedRecord], of user: UserID, after position: UInt32) throws {
    for (index, record) in records.enumerated() {
      try db.execute(
        sql: "INSERT INTO keyrings (user, position, entry) VALUES (?, ?, ?)",
        arguments: [user, Int64(position) + Int64(index) + 1, Data(record.encoded)])
    }
  }
}
