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

  /// A message lies in somebody's inbox no more. Where it did not before either, they had taken it out.
  func noteBurnt(_ operation: QueuedOperation, wasThere: Bool) throws {
    let message = try NodeID.fetchOne(
      transaction.db, sql: "SELECT node FROM copies WHERE cloud_id = ? AND node IS NOT NULL",
      arguments: [operation.cloudID])
    try transaction.db.execute(sql: "DELETE FROM copies WHERE cloud_id = ?", arguments: [operation.cloudID])
    guard let user = operation.user, let node = try message.flatMap({ try transaction.node($0) }) else { return }
    try delegate.burnt(node, of: user, wasThere: wasThere, in: transaction)
  }

  /// A message that cannot be taken out of the inbox lies there again, until a pull says that it does not.
  func putBack(_ operation: QueuedOperation, _ result: inout BatchResult) throws {
    guard let node = try operation.node.flatMap({ try transaction.node($0) }) else { return }
    let hasDeletion = try transaction.operations(waitingFor: operation.sequence).contains { $0.kind == .delete }
    if !hasDeletion { _ = try delegate.receive(.deleted(node), in: transaction) }
    try transaction.discardOperation(operation.sequence)
    result.conflicts.insert(operation.branch)
  }
}
