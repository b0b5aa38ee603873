public import CloudAPI
import Foundation
import GRDB
public import Signing

/// Giving a branch away (spec §3.5): the successor signs that they take it, the owner's next record carries that.
extension CloudTransaction {
  /// This user's word that they take a branch over from its owner.
  public func signTransfer(of branch: CloudID, from owner: UserID, expires: Int64) throws -> SignedRecord {
    let identity = try identity()
    let body = OwnershipTransferBody(
      branch: branch, owner: owner, successor: identity.user, expires: expires, device: identity.device,
      keyringPosition: try keyringPosition(identity.user))
    return SignedRecord(signing: body, with: identity.signingKey)
  }

  /// Gives a branch to somebody who has said that they take it. What is queued is the intent; the record is built at push.
  @discardableResult
  public func handOver(_ branch: BranchID, with record: SignedRecord) throws -> CloudOperation {
    let transfer = try OwnershipTransferBody(decoding: record.body)
    let me = try requireAccount().user
    guard let cloudID = try cloudID(of: branch), let body = try permissions(of: branch)?.body, body.owner == me,
      transfer.owner == me, transfer.branch == cloudID, transfer.successor != me, try transfer.expires >= serverTime(),
      let keyring = try keyring(transfer.successor), keyring.position >= transfer.keyringPosition,
      let device = keyring.device(transfer.device)
    else { throw Refusal.ownerChanged }
    guard device.signKey.verifies(record.signature, OwnershipTransferBody.domain, record.body) else {
      throw Refusal.signatureBad
    }
    try db.execute(
      sql: "INSERT OR REPLACE INTO transfers (branch, successor, record) VALUES (?, ?, ?)",
      arguments: [branch, transfer.successor, Data(record.encoded)])
    return try enqueue(
      .permit, branch: branch, node: nil, cloudID: cloudID, user: transfer.successor,
      letters: [.read, .write, .share], read: cursor(of: branch), handsOver: true)
  }

  /// What a successor has signed, while it can be used.
  func transfer(of branch: BranchID, to user: UserID) throws -> SignedRecord? {
    let stored = try Data.fetchOne(
      db, sql: "SELECT record FROM transfers WHERE branch = ? AND successor = ?", arguments: [branch, user])
    guard let record = try stored.map({ try SignedRecord(encoded: Array($0)) }) else { return nil }
    let transfer = try OwnershipTransferBody(decoding: record.body)
    // Who has ended a device since, or got a new key, has to say so again (spec §3.5).
    let pinned = try permissions(of: branch)?.body.entry(of: user)?.keyringPosition ?? 0
    return try transfer.expires >= serverTime() && transfer.keyringPosition >= pinned ? record : nil
  }

  /// The branch has another owner: whatever else was to be given away is not, also where it comes back to this user.
  func endTransfer(of branch: BranchID) throws {
    try db.execute(sql: "DELETE FROM transfers WHERE branch = ?", arguments: [branch])
    try db.execute(
      sql: "DELETE FROM operations WHERE branch = ? AND hands_over = 1 AND state <> 'sealed'", arguments: [branch])
  }

  /// The owner has thought better of it.
  package func endTransfer(of branch: BranchID, to user: UserID) throws {
    try db.execute(sql: "DELETE FROM transfers WHERE branch = ? AND successor = ?", arguments: [branch, user])
    try db.execute(
      sql: "DELETE FROM operations WHERE branch = ? AND user = ? AND hands_over = 1 AND state <> 'sealed'",
      arguments: [branch, user])
  }
}
