import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// Changes of others to what was deleted here and is not accepted as deleted: an edit beats a deletion that had not seen it.
extension PageReader {
  func restoreWhatWasTouched(by waiting: inout WaitingRows, in view: LocalBranchView) throws {
    guard try transaction.hasRemovals(in: view.id) else { return }
    let tree = LocalTree(transaction: transaction, branch: view.id, line: view.head.line + 1)
    try waiting.open { row in
      let header = try row.asHeader()
      guard try transaction.stateHash(of: header.body.cloudID, in: view.id) == header.hash,
        try tree.lives(header.body.cloudID)
      else { return false }
      let removals = try transaction.removals(touchedBy: header.body, in: view.id)
      if removals.isEmpty { return false }
      // What was under way when its author deleted it here is nothing that they had not seen.
      if try isOurs(header, in: view.id) { return true }
      let isDone = try transaction.answering(header.body.cloudID, in: view.id) {
        for removal in removals { try end(removal, view) }
      }
      return !isDone
    }
  }

  private func isOurs(_ header: UnverifiedHeader, in branch: BranchID) throws -> Bool {
    try Data.fetchAll(
      transaction.db,
      sql: "SELECT sealed FROM operations WHERE branch = ? AND cloud_id = ? AND kind = 'put' AND sealed IS NOT NULL",
      arguments: [branch, header.body.cloudID]
    ).contains { try SignedRecord(WireOperation(serializedBytes: $0).put.header).hash == header.hash }
  }

  /// If the deletion is in the log already, what came after it is a new life of the node. Else it is withdrawn, also when it
  /// is under way: the server refuses it, because its author had not seen this.
  private func end(_ removal: Int64, _ view: LocalBranchView) throws {
    let sealed = try Data.fetchOne(
      transaction.db, sql: "SELECT sealed FROM operations WHERE sequence = ?", arguments: [removal])
    if let sealed {
      let hash = try SignedRecord(WireOperation(serializedBytes: sealed).delete.tombstone).hash
      let line = try Int.fetchOne(
        transaction.db, sql: "SELECT 1 FROM lines WHERE branch = ? AND hash = ?", arguments: [view.id, hash])
      if line != nil {
        try transaction.db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [removal])
        return
      }
    }
    if try transaction.restore(removal, telling: delegate) { return }
    // There is no place for it here, because this user left the branch. Withdrawn it is all the same.
    try transaction.db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [removal])
  }
}
