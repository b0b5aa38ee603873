import CloudAPI
import Foundation
import GRDB
import Signing

/// A branch as this device has read it, for `verify`: the lines up to the cursor and the records they name.
struct LocalBranchView: BranchView {
  let transaction: CloudTransaction
  let id: BranchID
  let branch: CloudID
  let firstPermissions: Hash32?
  let maker: UserID?
  var head: LogHead
  var permissions: PermissionsInForce?
  private let keyrings: KeyringCache
  private let checked: CheckedSignatures

  init?(
    _ id: BranchID, in transaction: CloudTransaction, keyrings: KeyringCache, _ checked: CheckedSignatures
  ) throws {
    guard let branch = try transaction.cloudID(of: id), let head = try transaction.cursor(of: id) else { return nil }
    self.transaction = transaction
    self.id = id
    self.branch = branch
    self.head = head
    self.keyrings = keyrings
    self.checked = checked
    firstPermissions = try transaction.firstPermissions(of: id)
    maker = try transaction.enclosing(of: id) == nil ? transaction.maker(of: id) : nil
    permissions = try transaction.permissions(of: id).map { try PermissionsInForce(stored: $0.record) }
  }

  func logHash(at line: UInt64) throws -> Hash32? {
    if line == head.line { return head.hash }
    if line == 0 { return LogHead(startOf: branch).hash }
    return try Self.storedHash(line, id, transaction)
  }

  static func storedHash(_ line: UInt64, _ branch: BranchID, _ transaction: CloudTransaction) throws -> Hash32? {
    guard let number = Int64(exactly: line) else { return nil }
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT log_hash FROM lines WHERE branch = ? AND number = ?")
    return try Hash32.fetchOne(statement, arguments: [branch, number])
  }

  func wasInForce(_ permissions: Hash32) throws -> Bool { try transaction.hasRead(permissions, of: id) }

  func node(_ cloudID: CloudID) throws -> NodeState? {
    let statement = try transaction.db.cachedStatement(
      sql: """
        SELECT kind, hash, (SELECT count(*) FROM lines WHERE branch = ?1 AND cloud_id = ?2 AND kind <> 3 AND number <= ?3),
          (SELECT count(*) FROM lines WHERE branch = ?1 AND cloud_id = ?2 AND kind <> 3 AND number <=
            (SELECT max(number) FROM lines WHERE branch = ?1 AND cloud_id = ?2 AND kind = 2 AND number <= ?3))
        FROM lines WHERE branch = ?1 AND cloud_id = ?2 AND kind <> 3 AND number <= ?3 ORDER BY number DESC LIMIT 1
        """)
    guard let row = try Row.fetchOne(statement, arguments: [id, cloudID, Int64(clamping: head.line)]) else {
      return nil
    }
    let hash: Hash32 = row[1]
    let known = try transaction.state(of: cloudID, in: id)
    return NodeState(
      lines: UInt64(row[2] as Int64), hash: hash, isDeleted: (row[0] as Int64) == 2,
      header: known?.hash == hash ? known?.header : nil, lastTombstone: UInt64(row[3] as Int64))
  }

  func keyring(_ user: UserID) throws -> Keyring? { try keyrings.keyring(user, transaction) }

  func verifies(_ key: PublicKey, _ signature: Signature, _ domain: Domain, _ body: [UInt8]) -> Bool {
    checked.contains(key, signature, domain, body) || key.verifies(signature, domain, body)
  }

  func enclosingPermissions(_ enclosing: Enclosing) throws -> PermissionsInForce?? {
    guard let id = try transaction.branch(enclosing.branch), try transaction.permissions(of: id) != nil else {
      return .none
    }
    let record = try Data.fetchOne(
      transaction.db, sql: "SELECT record FROM permissions WHERE branch = ? AND hash = ?",
      arguments: [id, enclosing.permissions])
    return .some(try record.map { try PermissionsInForce(stored: SignedRecord(encoded: Array($0))) })
  }
}

/// Keyrings are verified once, however many records their owners signed.
final class KeyringCache {
  private var keyrings: [UserID: Keyring]

  init(_ known: [UserID: Keyring] = [:]) { keyrings = known }

  func keyring(_ user: UserID, _ transaction: CloudTransaction) throws -> Keyring? {
    if let known = keyrings[user] { return known }
    let keyring = try transaction.keyring(user)
    keyrings[user] = keyring
    return keyring
  }
}
