import CloudAPI
import Foundation
import GRDB
import Signing

extension SQLiteTransaction {
  func user(handle: String) throws -> UserID? {
    try row("SELECT user FROM handles WHERE handle = ?", [handle])?.fixed("user")
  }

  func handleCount(of user: UserID) throws -> Int {
    let row = try row("SELECT count(*) AS number FROM handles WHERE user = ?", [user.blob])
    return try row.map { Int(try $0.number("number")) } ?? 0
  }

  func hasAccounts() throws -> Bool { try row("SELECT user FROM accounts LIMIT 1", []) != nil }

  func keyringHead(of user: UserID) throws -> StoredKeyringHead? {
    guard let row = try row("SELECT position, hash FROM accounts WHERE user = ?", [user.blob]) else { return nil }
    guard let position = UInt32(exactly: try row.number("position")) else { throw StorageFailure.damaged }
    return StoredKeyringHead(position: position, hash: try row.fixed("hash"))
  }

  func keyringEntries(of user: UserID, after position: UInt32) throws -> [SignedRecord] {
    try rows(
      "SELECT record FROM keyring_entries WHERE user = ? AND position > ? ORDER BY position",
      [user.blob, Int64(position)]
    ).map { try record($0) }
  }

  func lostKeyring(of user: UserID) throws -> [SignedRecord] {
    try rows("SELECT record FROM lost_keyring_entries WHERE user = ? ORDER BY position", [user.blob])
      .map { try record($0) }
  }

  func lostKeyringLength(of user: UserID) throws -> Int {
    let row = try row(
      "SELECT coalesce(max(position), 0) AS length FROM lost_keyring_entries WHERE user = ?", [user.blob])
    return try row.map { Int(try $0.number("length")) } ?? 0
  }

  func signer(_ device: DeviceID?, of user: UserID) throws -> StoredSigner? {
    try row(
      "SELECT sign_key, box_key, ended FROM signers WHERE user = ? AND device = ?",
      [user.blob, device?.blob ?? Data()]
    ).map { row in
      StoredSigner(
        signKey: try row.fixed("sign_key"), boxKey: try row.fixed("box_key"), hasEnded: try row.number("ended") == 1)
    }
  }

  func store(_ signer: StoredSigner, as device: DeviceID?, of user: UserID) throws {
    try run(
      """
      INSERT INTO signers (user, device, sign_key, box_key, ended) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (user, device) DO UPDATE SET ended = excluded.ended
      """,
      [
        user.blob, device?.blob ?? Data(), signer.signKey.blob, signer.boxKey.blob, signer.hasEnded ? 1 : 0,
      ])
  }

  func isDeleted(_ user: UserID) throws -> Bool {
    try row("SELECT 1 FROM accounts WHERE user = ? AND deleted = 1", [user.blob]) != nil
  }

  func noteDeleted(_ user: UserID) throws { try run("UPDATE accounts SET deleted = 1 WHERE user = ?", [user.blob]) }

  func keepLost(_ entries: [SignedRecord], of user: UserID, by payer: UserID) throws {
    try run("DELETE FROM lost_keyring_entries WHERE user = ?", [user.blob])
    for (entry, position) in zip(entries, Int64(1)...) {
      try run(
        "INSERT INTO lost_keyring_entries (user, position, record, payer) VALUES (?, ?, ?, \(Self.payer))",
        [user.blob, position, Data(entry.encoded), payer.blob])
    }
  }

  func addAccount(_ user: UserID) throws {
    try run(
      "INSERT INTO accounts (user, position, hash) VALUES (?, 0, ?)", [user.blob, Hash32.zeros.blob])
    try run("INSERT INTO payers (user) VALUES (?)", [user.blob])
  }

  func claim(handle: String, for user: UserID) throws {
    try run("INSERT INTO handles (handle, user) VALUES (?, ?)", [handle, user.blob])
  }

  func append(_ entry: SignedRecord, hash: Hash32, at position: UInt32, to user: UserID) throws {
    try run(
      "INSERT INTO keyring_entries (user, position, record) VALUES (?, ?, ?)",
      [user.blob, Int64(position), Data(entry.encoded)])
    try meter.count(bytes: entry.body.count)
    try run(
      "UPDATE accounts SET position = ?, hash = ? WHERE user = ?", [Int64(position), hash.blob, user.blob])
  }
}
