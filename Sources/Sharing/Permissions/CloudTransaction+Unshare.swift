import CloudAPI
import Foundation
import GRDB
public import Signing
import SwiftProtobuf
public import Treesystem

extension CloudTransaction {
  /// Takes a list away from a user: their letters go, the list gets a new key, and an invitation to it that was not sent
  /// yet is withdrawn. What they have read stays known to them.
  @discardableResult
  public func unshare(_ root: NodeID, with user: UserID) throws -> [CloudOperation] {
    let isThere = try node(root).flatMap { try permissions(of: $0.branch) }?.body.entry(of: user) != nil
    let operations = try takeOff(root, user)
    if isThere, try user != account()?.user, let cloudID = try node(root).flatMap({ try cloudID(of: $0.branch) }) {
      try tellWithdrawn(cloudID, to: user, isClosing: false, once: operations)
    }
    return operations
  }

  /// The same, and nobody is told.
  func takeOff(_ root: NodeID, _ user: UserID) throws -> [CloudOperation] {
    let operations = try recursiveRemoveShareItem(forUserID: user, nodeID: root)
    let cloudID = try withdrawInvitations(to: root, of: user)
    // One that was sent and not answered must not lead to a list that cannot be read.
    try forgetJoined(user, cloudID)
    return operations
  }

  /// Says to somebody that a branch is not open to them any more.
  func tellWithdrawn(
    _ cloudID: CloudID, to user: UserID, isClosing: Bool, once operations: [CloudOperation]
  ) throws {
    var message = SealedMessage()
    message.withdrawal.branch = data(cloudID.bytes)
    message.withdrawal.closed = isClosing
    try sendMessage(message, toRecipients: [user], withDependencies: operations)
  }

  private func withdrawInvitations(to root: NodeID, of user: UserID) throws -> CloudID {
    guard let branch = try node(root)?.branch, let cloudID = try cloudID(of: branch) else { throw TreeError.noSuchNode }
    for operation in try unsentInvitations(to: cloudID, of: user) where operation.state != .sealed {
      if let message = operation.node { try delete(message) }
    }
    return cloudID
  }

  /// The invitations to a branch that are on their way to somebody.
  func unsentInvitations(to cloudID: CloudID, of user: UserID) throws -> [QueuedOperation] {
    try operations().filter { operation in
      guard case .invitation(let invitation)? = try message(in: operation, to: user) else { return false }
      return Array(invitation.branch) == cloudID.bytes
    }
  }

  /// When this user last invited anybody to a branch, on whichever device, in milliseconds since 1970; nil: never.
  func lastInvitation(to cloudID: CloudID) throws -> Int64? {
    try Data.fetchAll(db, sql: "SELECT message FROM outgoing").compactMap { stored -> Int64? in
      let message = try SealedMessage(serializedBytes: stored)
      guard case .invitation(let invitation)? = message.what, Array(invitation.branch) == cloudID.bytes else {
        return nil
      }
      return Int64(clamping: message.sent)
    }.max()
  }

  /// Whether word that somebody is on a branch no more is on its way to them.
  func isSendingWithdrawal(of cloudID: CloudID, to user: UserID) throws -> Bool {
    try operations().contains { operation in
      guard case .withdrawal(let withdrawal)? = try message(in: operation, to: user) else { return false }
      return Array(withdrawal.branch) == cloudID.bytes
    }
  }

  private func message(in operation: QueuedOperation, to user: UserID) throws -> SealedMessage.OneOf_What? {
    guard operation.kind == .copy, operation.user == user, let node = operation.node else { return nil }
    let stored = try Data.fetchOne(db, sql: "SELECT message FROM outgoing WHERE node = ?", arguments: [node])
    return try SealedMessage(serializedBytes: stored ?? Data()).what
  }
}
