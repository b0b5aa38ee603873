import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// What becomes of messages.
extension OutcomeRecorder {
  /// Keeps the signed header of a copy that lies in an inbox now, and tells the app.
  func noteCopy(_ operation: QueuedOperation) throws {
    guard let sealed = operation.sealed, let user = operation.user,
      let node = try operation.node.flatMap({ try transaction.node($0) })
    else { return }
    let record = try SignedRecord(WireOperation(serializedBytes: sealed).copy.header)
    try transaction.db.execute(
      sql: "INSERT OR REPLACE INTO copies (cloud_id, node, user, header) VALUES (?, ?, ?, ?)",
      arguments: [operation.cloudID, node.id, user, Data(record.encoded)])
    try tell(operation, refused: nil)
  }

  /// Tells the app how a copy was answered.
  func tell(_ copy: QueuedOperation, refused reason: Refusal?) throws {
    guard let node = try copy.node.flatMap({ try transaction.node($0) }), let user = copy.user else { return }
    try delegate.answered(node, to: user, refused: reason, in: transaction)
  }
}
