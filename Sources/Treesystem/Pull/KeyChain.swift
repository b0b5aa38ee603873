import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing

/// How the older keys of a branch follow from newer ones: the records of each epoch hold the key of the epoch before, and what had to be
/// mended (spec §3.1).
struct KeyChain {
  let transaction: CloudTransaction
  let branch: BranchID

  /// Opens and keeps what follows from the key of a record and is not here yet. An older key that does not open, or is not the one that its
  /// epoch was begun with, hides what follows from it only. Each epoch is looked at once.
  func open(below permissions: PermissionsBody, _ key: BranchKey) throws {
    guard try permissions.olderKeys.contains(where: { try transaction.branchKey(of: branch, epoch: $0.epoch) == nil })
    else { return }
    var known = try Set(secrets().keys)
    var opened = [(permissions, key)]
    while let (record, key) = opened.popLast() {
      for older in record.olderKeys where !known.contains(older.epoch) {
        guard let candidate = key.open(older: older.sealed, epoch: older.epoch),
          let theirs = try self.record(of: older.epoch, before: record.version),
          theirs.commitment == candidate.commitment
        else { continue }
        try transaction.setBranchKey(candidate.secret, of: branch, epoch: older.epoch)
        known.insert(older.epoch)
        opened.append((theirs, candidate))
      }
    }
  }

  /// The keys that are known here and that nobody gets who has the key in force alone, the newest first: of those that follow from each
  /// other, the newest.
  func hidden() throws -> [BranchKey] {
    guard let present = try transaction.permissions(of: branch)?.body, present.epoch > 1 else { return [] }
    let secrets = try secrets()
    var reached: Set = [present.epoch]
    var hidden: [BranchKey] = []
    var last: UInt64?
    let records = try Data.fetchCursor(
      transaction.db, sql: "SELECT record FROM permissions WHERE branch = ? ORDER BY version DESC", arguments: [branch])
    while let bytes = try records.next() {
      let record = try PermissionsBody(decoding: SignedRecord(encoded: Array(bytes)).body)
      // All records of an epoch have the same older keys.
      if record.epoch == last { continue }
      last = record.epoch
      guard let secret = secrets[record.epoch] else { continue }
      let key = BranchKey(branch: record.branch, epoch: record.epoch, secret: secret)
      // What was drawn here for an epoch that somebody else began is nobody's key.
      guard key.commitment == record.commitment else { continue }
      if !reached.contains(record.epoch) { hidden.append(key) }
      for older in record.olderKeys where !reached.contains(older.epoch) {
        guard let secret = secrets[older.epoch] else { continue }
        let known = BranchKey(branch: record.branch, epoch: older.epoch, secret: secret)
        if key.open(older: older.sealed, epoch: older.epoch)?.commitment == known.commitment {
          reached.insert(older.epoch)
        }
      }
    }
    return hidden
  }

  private func secrets() throws -> [UInt64: SecretBytes] {
    let rows = try Row.fetchAll(
      transaction.db, sql: "SELECT epoch, key FROM branch_keys WHERE branch = ?", arguments: [branch])
    return Dictionary(
      rows.map { (UInt64($0[0] as Int64), SecretBytes(column: $0[1])) }, uniquingKeysWith: { first, _ in first })
  }

  /// A record of an epoch, before one of a later epoch. It is usually the one just before; else it is found by halves, because epochs never
  /// go back.
  private func record(of epoch: UInt64, before version: UInt64) throws -> PermissionsBody? {
    guard version > 1 else { return nil }
    if let next = try record(version - 1), next.epoch == epoch { return next }
    var (low, high) = (UInt64(1), version - 1)
    while low < high {
      let middle = low + (high - low) / 2
      guard let body = try record(middle) else { return nil }
      if body.epoch == epoch { return body }
      if body.epoch < epoch { low = middle + 1 } else { high = middle }
    }
    return try record(low).flatMap { $0.epoch == epoch ? $0 : nil }
  }

  private func record(_ version: UInt64) throws -> PermissionsBody? {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT record FROM permissions WHERE branch = ? AND version = ?")
    return try Data.fetchOne(statement, arguments: [branch, Int64(version)])
      .map { try PermissionsBody(decoding: SignedRecord(encoded: Array($0)).body) }
  }
}
