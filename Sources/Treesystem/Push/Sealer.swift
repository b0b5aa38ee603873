import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

/// Turns queued intents into signed, sealed operations. What it makes is stored before the first send.
struct Sealer {
  let transaction: CloudTransaction
  let delegate: any TreesystemDelegate
  let identity: Identity
  /// What the prepared copies need of their recipients' inboxes.
  let inboxes: [UserID: InboxFacts]
  let branches: BranchFacts

  /// Returns the encoded operation; nil if there is nothing left to do.
  func seal(_ operation: QueuedOperation) throws -> [UInt8]? {
    try requireOpen(operation)
    var wire = WireOperation()
    wire.operation = data(operation.operation.bytes)
    switch operation.kind {
    case .put:
      guard let put = try sealPut(operation) else { return nil }
      wire.put = put
      wire.dependsOn = try predecessor(of: operation)
    case .delete:
      guard let delete = try operation.isBurn ? sealBurn(operation) : sealDelete(operation) else { return nil }
      wire.delete = delete
    case .permit:
      guard let permit = try sealPermit(operation) else { return nil }
      wire.permit = permit
    case .copy:
      guard let copy = try sealCopy(operation) else { return nil }
      wire.copy = copy
    }
    return encode(wire)
  }

  /// A branch that was ended takes nothing. What is sealed for it all the same, whoever was to lose its key before the end could read.
  private func requireOpen(_ operation: QueuedOperation) throws {
    guard [.put, .delete].contains(operation.kind), !operation.isBurn else { return }
    if try branches.facts(of: operation.branch)?.permissions.body.isClosed == true { throw Refusal.branchClosed }
  }

  /// A pointer whose place is not free yet is for nothing.
  private func predecessor(of operation: QueuedOperation) throws -> [Data] {
    guard let node = try operation.node.flatMap({ try transaction.node($0) }),
      let left = try transaction.predecessor(of: node)
    else { return [] }
    return try Data.fetchAll(
      transaction.db, sql: "SELECT operation FROM operations WHERE sequence = ?", arguments: [left.operation.sequence])
  }

  func author(in branch: BranchID) throws -> Author {
    guard let cursor = try branches.cursor(of: branch) else { throw TreeError.notSignedIn }
    return try author(reading: cursor)
  }

  func author(reading read: LogHead) throws -> Author {
    Author(
      user: identity.user, device: identity.device,
      keyringPosition: try branches.keyringPosition(identity.user), read: read)
  }
}
