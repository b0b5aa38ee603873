import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

extension Sealer {
  /// Signs a deletion. It cites what had been read when the user decided, so nobody deletes what they have not seen.
  func sealDelete(_ operation: QueuedOperation) throws -> WireDelete? {
    // It came back with an edit that the user had not seen when they deleted it: the edit stays.
    if let cloudID = operation.cloudID, try transaction.node(cloudID, in: operation.branch) != nil { return nil }
    guard let cloudID = operation.cloudID, let read = operation.read,
      let permissions = try transaction.permissions(of: operation.branch),
      let before = try transaction.stateToFollow(of: cloudID, in: operation.branch), !before.isDeleted,
      try LocalTree(transaction: transaction, branch: operation.branch, line: .max).lives(cloudID)
    else { return nil }
    // Somebody was let in meanwhile: then it is not this user's alone to delete, they only leave it.
    if cloudID == permissions.body.branch, try !transaction.isAlone(in: operation.branch) { return nil }
    let body = TombstoneBody(
      branch: permissions.body.branch, cloudID: cloudID, version: before.lines + 1, previous: before.hash,
      permissions: permissions.hash, epoch: permissions.body.epoch, author: try author(reading: read),
      operation: operation.operation, revived: before.header?.revived ?? 0)
    return WireDelete.with { $0.tombstone = SignedRecord(signing: body, with: identity.signingKey).wire }
  }
}
