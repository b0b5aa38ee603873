import CloudAPI
import GRDB
public import Signing
public import Treesystem

/// Somebody with letters on a branch.
public struct Member: Sendable {
  /// Who they are.
  public let user: UserID
  /// How to show them.
  public let name: String
  /// What they may do, or will be allowed to.
  public let role: Role
  /// Whether the server has not confirmed it yet.
  public let pending: Bool
  /// Whether they are being removed: until the server has confirmed that, they read on.
  public let isLeaving: Bool
  /// When the record was made that let them in, in milliseconds since 1970 by its author's clock, and by whom. Nil where no
  /// record says so.
  public var added: (at: Int64?, by: String)?
  /// Whether they took it, by what they said or signed; nil where somebody else invited them and nothing of theirs came.
  public var hasJoined: Bool?
  /// Whether they have not answered, and the device that sent the invitation has ended: it counts only where it was read before. Nobody
  /// can tell of whom a later invitation to the branch is, so one speaks for all.
  public var isInvitationEnded = false
  /// Whether this user has compared numbers with them.
  public var isVerified = false
  /// Whether this user has compared numbers with them, and they were not the same.
  public var isOther = false
  /// Whether they have turned the invitation down.
  public var hasDeclined = false
}

extension CloudTransaction {
  /// Who may do what with the branch at a node, owner first; with what is still queued, but not with what was refused. With `history` it is
  /// told since when each is one, for which every record is read.
  public func members(of node: NodeID, history: Bool = false) throws -> [Member] {
    guard let node = try self.node(node) else { throw TreeError.noSuchNode }
    let body = try permissions(of: node.branch)?.body
    var members: [UserID: Member] = [:]
    for entry in body?.entries ?? [] {
      guard let user = entry.user else { continue }
      members[user] = try member(user, entry.letters, isOwner: user == body?.owner, pending: false)
    }
    if history {
      for (user, added) in try additions(to: node.branch) {
        members[user]?.added = (added.at, try displayName(of: added.by))
        members[user]?.hasJoined = try hasJoined(user, since: added, node)
      }
    }
    if let cloudID = node.cloudID {
      // Two devices that answered differently have the list.
      for user in try declined(cloudID) { members[user]?.hasDeclined = try !hasSaidJoined(user, cloudID) }
    }
    if history { try noteEndedInvitations(to: node, &members) }
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

  /// How somebody came to be a member.
  private struct Addition {
    /// Milliseconds since 1970.
    let at: Int64?
    let by: UserID
    let device: DeviceID
    let line: UInt64
    /// Whether a later record is theirs.
    var hasSigned = false
  }

  /// Since when each member is one, without a break.
  private func additions(to branch: BranchID) throws -> [UserID: Addition] {
    var added: [UserID: Addition] = [:]
    for (line, record) in try zip(permissionsLines(of: branch), permissionsHistory(of: branch)) {
      let users = record.entries.compactMap(\.user)
      added = added.filter { users.contains($0.key) }
      added[record.author.user]?.hasSigned = true
      for user in users where added[user] == nil {
        added[user] = Addition(
          at: record.created > 0 ? record.created : nil, by: record.author.user, device: record.author.device,
          line: line)
      }
    }
    return added
  }

  private func noteEndedInvitations(to root: Node, _ members: inout [UserID: Member]) throws {
    guard let cloudID = root.cloudID else { return }
    let waiting = members.values.filter { $0.hasJoined == false && !$0.hasDeclined && !$0.isLeaving }.map(\.user)
    if waiting.isEmpty { return }
    let added = try additions(to: root.branch)
    for user in waiting {
      guard let addition = added[user], let end = try end(of: addition.device, of: addition.by) else { continue }
      members[user]?.isInvitationEnded = try lastInvitation(to: cloudID).map { $0 <= end } ?? true
    }
  }

  /// When a device ended, in milliseconds since 1970 by the clock of whoever ended it; nil while it goes on.
  private func end(of device: DeviceID, of user: UserID) throws -> Int64? {
    guard let keyring = try keyring(user), let position = keyring.devices[device]?.ended else { return nil }
    return try KeyringEntryBody(decoding: keyring.entries[Int(position) - 1].body).created
  }

  private func hasJoined(_ user: UserID, since added: Addition, _ node: Node) throws -> Bool? {
    let me = try account()?.user
    guard user != me, user != added.by, !added.hasSigned, let cloudID = node.cloudID,
      try !hasSaidJoined(user, cloudID), try !hasUsedCode(user, for: cloudID),
      try lastLine(by: user, in: node.branch) ?? 0 < added.line
    else { return true }
    // Their answer comes to whoever invited them.
    return added.by == me ? false : nil
  }

  /// Whether something that somebody signed on the list at a root, since they were last let in, tells that they took it.
  func hasShown(_ user: UserID, at root: Node) throws -> Bool {
    guard let added = try additions(to: root.branch)[user] else { return false }
    return try added.hasSigned || lastLine(by: user, in: root.branch) ?? 0 >= added.line
  }

  private func member(
    _ user: UserID, _ letters: Letters, isOwner: Bool, pending: Bool, isLeaving: Bool = false
  ) throws -> Member {
    let regard = try regard(for: user)
    return Member(
      user: user, name: try displayName(of: user), role: Role(letters, isOwner: isOwner), pending: pending,
      isLeaving: isLeaving, isVerified: regard.isVerified, isOther: regard.isOther)
  }
}
