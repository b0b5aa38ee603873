import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// Messages that are nothing: anybody may put them into an inbox, and they must not stand there as a complaint for ever.
extension CloudTransaction {
  /// Deletes the messages in the inbox that are their sender's fault: not sealed to this user, not a message, in another's name, or of a
  /// device that has ended. What the server is to blame for stays in quarantine.
  func throwAwayJunk(in branch: BranchID) throws {
    guard try branch == trunkBranch(.inbox), let read = try cursor(of: branch) else { return }
    let faults = [
      Refusal.keyMismatch, .contentUnopenable, .paddingWrong, .malformed, .senderMismatch, .recipientMismatch,
      .deviceUnknown,
    ]
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT cloud_id, reason, row FROM quarantine q WHERE branch = ?1 AND length(row) > 0 AND NOT EXISTS (
          SELECT 1 FROM operations o WHERE o.branch = ?1 AND o.cloud_id = q.cloud_id AND o.kind = 'delete')
        """, arguments: [branch])
    for row in rows where faults.map(\.rawValue).contains(row[1]) {
      guard (try? hasKey(of: row[2])) == true else { continue }
      try enqueue(.delete, branch: branch, node: nil, cloudID: row[0], read: read)
    }
  }

  /// What is sealed to a key of this user's that has not come to this device may be something yet.
  private func hasKey(of row: Data) throws -> Bool {
    let header = try UnverifiedHeader(SignedRecord(WireRow(serializedBytes: row).record)).body
    return try userKey(generation: header.recipientGeneration) != nil
  }

  /// What stood in quarantine of a node is over with a version of ours that follows it.
  func forgetReplaced(_ cloudID: CloudID, in branch: BranchID, before line: UInt64) throws {
    let delete = try db.cachedStatement(
      sql: "DELETE FROM quarantine WHERE branch = ? AND cloud_id = ? AND line < ?")
    try delete.execute(arguments: [branch, cloudID, Int64(clamping: line)])
  }

  /// What stood in quarantine of a node, and of what hung below it, is over with its deletion.
  func forgetQuarantine(of cloudID: CloudID, in branch: BranchID, before line: UInt64) throws {
    try db.execute(
      sql: """
        WITH RECURSIVE below (cloud_id) AS (
          SELECT ?2 UNION SELECT s.cloud_id FROM node_states s JOIN below b ON s.parent = b.cloud_id WHERE s.branch = ?1)
        DELETE FROM quarantine WHERE branch = ?1 AND line < ?3 AND cloud_id IN (SELECT cloud_id FROM below)
        """,
      arguments: [branch, cloudID, Int64(clamping: line)])
  }
}
