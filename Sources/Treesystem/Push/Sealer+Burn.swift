import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

extension Sealer {
  /// Takes a message of this user's out of somebody's inbox, where nobody has moved it (spec §8.8). Nil: that inbox has to be asked for first.
  func sealBurn(_ operation: QueuedOperation) throws -> WireDelete? {
    guard let inbox = operation.user.flatMap({ inboxes[$0] }), let cloudID = operation.cloudID else { return nil }
    let stored = try Data.fetchOne(
      transaction.db, sql: "SELECT header FROM copies WHERE cloud_id = ?", arguments: [cloudID])
    guard let stored else { throw NothingToSend() }
    let record = try SignedRecord(encoded: Array(stored))
    let body = TombstoneBody(
      branch: inbox.branch, cloudID: cloudID, version: 2, previous: record.hash, permissions: inbox.permissions,
      epoch: inbox.epoch, author: try author(reading: LogHead(startOf: inbox.branch)),
      operation: operation.operation, moved: nil, revived: 0, burned: record)
    return WireDelete.with { $0.tombstone = SignedRecord(signing: body, with: identity.signingKey).wire }
  }
}

extension CloudTransaction {
  /// Queues the deletion of a message in every inbox that this device has put it into, where nobody has moved it.
  package func burnCopies(of message: Node) throws {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT cloud_id, user FROM copies c WHERE node = ? AND NOT EXISTS (
          SELECT 1 FROM operations o WHERE o.cloud_id = c.cloud_id AND o.kind = 'delete') ORDER BY user
        """, arguments: [message.id])
    for row in rows { try enqueue(.delete, branch: message.branch, node: nil, cloudID: row[0], user: row[1]) }
  }

  /// Whether a copy of a message, or its deletion, waits to be sent or answered.
  package func isUnderWay(_ message: NodeID) throws -> Bool {
    try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM operations o WHERE o.user IS NOT NULL AND (o.kind = 'copy' AND o.node = ?1 OR o.kind = 'delete'
          AND o.cloud_id IN (SELECT cloud_id FROM copies WHERE node = ?1)) LIMIT 1
        """, arguments: [message]) != nil
  }
}
