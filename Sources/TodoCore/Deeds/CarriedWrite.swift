import Foundation
import GRDB
import Signing
import Treesystem

/// A write that was never seen under the signature of its writer's device.
struct CarriedWrite: Hashable {
  let field: UInt32
  let stamp: Stamp

  init(_ register: Register) { (field, stamp) = (register.field, register.stamp) }

  init?(_ row: Row) {
    guard let replica = Replica(bytes: row[2] as Data) else { return nil }
    field = row[0]
    stamp = Stamp(time: UInt64(bitPattern: row[1]), replica: replica)
  }
}

extension CloudTransaction {
  /// The writes of a node that others passed on, and who did.
  func carriedWrites(of node: NodeID) throws -> [CarriedWrite: UserID] {
    let statement = try db.cachedStatement(sql: "SELECT field, time, replica, signer FROM carried WHERE node = ?")
    var writes: [CarriedWrite: UserID] = [:]
    for row in try Row.fetchAll(statement, arguments: [node]) {
      if let write = CarriedWrite(row) { writes[write] = row[3] }
    }
    return writes
  }

  /// The user who passed a write on; nil for one of its writer's own.
  func carrier(of register: Register, at node: NodeID) throws -> UserID? {
    let statement = try db.cachedStatement(
      sql: "SELECT signer FROM carried WHERE node = ? AND field = ? AND time = ? AND replica = ?")
    let stamp = register.stamp
    return try UserID.fetchOne(
      statement,
      arguments: [node, register.field, Int64(bitPattern: stamp.time), Data(stamp.replica.bytes)])
  }

  /// Remembers who passes a write on.
  func setCarrier(_ signer: UserID, of write: CarriedWrite, at node: NodeID) throws {
    let statement = try db.cachedStatement(
      sql: "INSERT OR REPLACE INTO carried (node, field, time, replica, signer) VALUES (?, ?, ?, ?, ?)")
    try statement.execute(arguments: [
      node, write.field, Int64(bitPattern: write.stamp.time), Data(write.stamp.replica.bytes), signer,
    ])
  }

  /// Forgets that a write was passed on: its writer signed for it, or it is gone.
  func forgetCarrier(of write: CarriedWrite, at node: NodeID) throws {
    let statement = try db.cachedStatement(
      sql: "DELETE FROM carried WHERE node = ? AND field = ? AND time = ? AND replica = ?")
    try statement.execute(arguments: [
      node, write.field, Int64(bitPattern: write.stamp.time), Data(write.stamp.replica.bytes),
    ])
  }
}
