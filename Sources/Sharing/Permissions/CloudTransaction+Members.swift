import CloudAPI
import GRDB
public import Signing
public import Treesystem

/// Somebody with letters on a branch.
public struct Member: Hashable, Sendable {
  public let user: UserID
  public let name: String
  public let role: Role
  /// Whether the server has not confirmed it yet.
  public let pending: Bool
  /// Whether they are being removed: until the server has confirmed that, they read on.
  public let isLeaving: Bool
}

extension CloudTransaction {
  /// Who may do what with the branch at a node, owner first; with what is still queued, but not with what was refused.
  public func members(of node: NodeID) throws -> [Member] {
    guard let node = try self.node(node) else { throw TreeError.noSuchNode }
    let body = try permissions(of: node.branch)?.body
    var members: [UserID: Member] = [:]
    for entry in body?.entries ?? [] {
      guard let user = entry.user else { continue }
      members[user] = try member(user, entry.letters, isOwner: user == body?.owner, pending: false)
    }
    if body == nil, let me = try account()?.user {
      members[me] = try member(me, [.read, .write, .share], isOwner: true, pending: true)
    }
    for operation in try permitOperations(of: node.branch) where operation.state != .refused {
      guard let user = operation.user, let letters = operation.letters else { continue }
      if !letters.isEmpty {
        members[user] = try member(user, letters, isOwner: false, pending: true)
      } else if let entry = body?.entry(of: user) {
        members[user] = try member(user, entry.letters, isOwner: false, pending: true, isLeaving: true)
      } else {
        members[user] = nil
      }
    }
    return members.values.sorted { ($0.role == .owner ? 0 : 1, $0.name) < ($1.role == .owner ? 0 : 1, $1.name) }
  }

  private func member(
    _ user: UserID, _ letters: Letters, isOwner: Bool, pending: Bool, isLeaving: Bool = false
  ) throws -> Member {
    Member(
      user: user, name: try displayName(of: user), role: Role(letters, isOwner: isOwner), pending: pending,
      isLeaving: isLeaving)
  }
}
