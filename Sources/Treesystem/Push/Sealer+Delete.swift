import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

extension Sealer {
  /// Signs a deletion. It cites what had been read when the user decided, so nobody deletes what they have not seen. That of a
  /// node that went to another branch cites what has been read by now, because all of it went along.
  func sealDelete(_ operation: QueuedOperation) throws -> WireDelete? {
    // It came back with an edit that the user had not seen when they deleted it: the edit stays. What was made here under its id since
    // has no name key yet, and begins anew behind the deletion.
    if let cloudID = operation.cloudID, let node = try transaction.node(cloudID, in: operation.branch),
      try transaction.hasNameKey(node.id)
    {
      // So nothing has left under this id. A departure that stayed would queue the deletion again, and again.
      if let left = try transaction.departure(of: cloudID, in: operation.branch) {
        try transaction.removeDeparture(left)
      }
      try transaction.cancelTombstone(CloudOperation(sequence: operation.sequence), in: operation.branch)
      return nil
    }
    guard let cloudID = operation.cloudID, var read = operation.read,
      let permissions = try transaction.permissions(of: operation.branch),
      let before = try transaction.stateToFollow(of: cloudID, in: operation.branch), !before.isDeleted,
      try transaction.isQuarantined(cloudID, in: operation.branch)
        || LocalTree(transaction: transaction, branch: operation.branch, line: .max).lives(cloudID)
    else { return nil }
    // Somebody was let in meanwhile: then it is not this user's alone to delete, they only leave it.
    if cloudID == permissions.body.branch, try !transaction.isAlone(in: operation.branch) { return nil }
    let left = try transaction.departures(of: CloudOperation(sequence: operation.sequence))
    let moved = try left.first(where: \.isTop).flatMap {
      try seal($0, to: destination(of: $0, with: left), permissions.body, operation.operation)
    }
    if moved != nil { read = try transaction.cursor(of: operation.branch) ?? read }
    let body = TombstoneBody(
      branch: permissions.body.branch, cloudID: cloudID, version: before.lines + 1, previous: before.hash,
      permissions: permissions.hash, epoch: permissions.body.epoch, author: try author(reading: read),
      operation: operation.operation, moved: moved, revived: before.header?.revived ?? 0,
      burned: moved == nil ? try burned(cloudID, at: before.hash, in: operation.branch, permissions.body) : nil)
    return WireDelete.with { $0.tombstone = SignedRecord(signing: body, with: identity.signingKey).wire }
  }

  /// The header of what this user may delete for no other reason than that they signed it.
  private func burned(
    _ cloudID: CloudID, at previous: Hash32, in branch: BranchID, _ permissions: PermissionsBody
  ) throws -> SignedRecord? {
    let letters = permissions.letters(of: identity.user)
    guard letters.contains(.burn), !letters.contains(.write) else { return nil }
    return try transaction.headerRecord(of: cloudID, in: branch).flatMap { $0.hash == previous ? $0 : nil }
  }

  /// The branch that others can follow a node to. One that went under another id, or with one below that did, cannot be found there by
  /// its id: it is said to have gone to its own branch, which leads nowhere (spec §5.7).
  private func destination(of departure: Departure, with left: [Departure]) throws -> CloudID? {
    let isSame = try left.allSatisfy { try transaction.node($0.node)?.cloudID == $0.cloudID }
    let branch = isSame ? try transaction.node(departure.node)?.branch : departure.branch
    return try branch.flatMap { try transaction.cloudID(of: $0) }
  }

  /// A node's destination, for those who can read the branch that it left (spec §5.6).
  private func seal(
    _ departure: Departure, to destination: CloudID?, _ permissions: PermissionsBody, _ operation: OperationID
  ) throws -> TombstoneBody.Moved? {
    guard let secret = try transaction.branchKey(of: departure.branch, epoch: permissions.epoch), let destination,
      let copied = try transaction.state(of: departure.cloudID, in: departure.branch)?.hash
    else { return nil }
    try transaction.noteRelocation(
      Relocation(branch: departure.branch, cloudID: departure.cloudID, destination: destination), by: operation)
    let key = BranchKey(branch: permissions.branch, epoch: permissions.epoch, secret: secret)
    return TombstoneBody.Moved(
      versionCopied: copied, destination: key.seal(destination: destination, of: departure.cloudID, transaction.entropy)
    )
  }
}
