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
    let operations = try recursiveRemoveShareItem(forUserID: user, nodeID: root)
    let cloudID = try withdrawInvitations(to: root, of: user)
    // One that was sent and not answered must not lead to a list that cannot be read.
    try forgetJoined(user, cloudID)
    if isThere, try user != account()?.user {
      var message = SealedMessage()
      message.withdrawal.branch = data(cloudID.bytes)
      try sendMessage(message, toRecipients: [user], withDependencies: operations)
    }
    return operations
  }

  private func withdrawInvitations(to root: NodeID, of user: UserID) throws -> CloudID {
    guard let branch = try node(root)?.branch, let cloudID = try cloudID(of: branch) else { throw TreeError.noSuchNode }
    let unsent = try operations().filter { $0.kind == .copy && $0.user == user && $0.state != .sealed }
    for id in unsent.compactMap(\.node) {
      let stored = try Data.fetchOne(db, sql: "SELECT message FROM outgoing WHERE node = ?", arguments: [id])
      let message = try SealedMessage(serializedBytes: stored ?? Data())
      guard case .invitation(let invitation) = message.what, Array(invitation.branch) == cloudID.bytes else { continue }
      try delete(id)
    }
    return cloudID
  }
}
