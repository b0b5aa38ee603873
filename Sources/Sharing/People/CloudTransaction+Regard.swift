import CloudAPI
public import Signing
public import Treesystem

/// What this user thinks of another, on all of their devices.
public struct Regard: Hashable, Sendable {
  /// Whether the two have compared their numbers.
  public var isVerified = false
  /// Whether nothing of theirs is let in.
  public var isBlocked = false

  public init(isVerified: Bool = false, isBlocked: Bool = false) {
    self.isVerified = isVerified
    self.isBlocked = isBlocked
  }
}

extension CloudTransaction {
  public func regard(for user: UserID) throws -> Regard {
    guard case .regard(let known)? = try preference("regard", user.bytes) else { return Regard() }
    return Regard(isVerified: known.verified, isBlocked: known.blocked)
  }

  /// Remembers that the numbers were compared, and are the same.
  public func setVerified(_ user: UserID, _ isVerified: Bool = true) throws {
    var regard = try regard(for: user)
    regard.isVerified = isVerified
    try set(regard, for: user)
    if isVerified { try takeForHandle(user) }
  }

  /// Lets nothing of somebody in any more: their open invitations go, and so will what they send.
  public func setBlocked(_ user: UserID, _ isBlocked: Bool = true) throws {
    guard user != (try requireAccount().user) else { throw ShareError.withOneself }
    var regard = try regard(for: user)
    regard.isBlocked = isBlocked
    try set(regard, for: user)
    if isBlocked { for invite in try invites() where invite.sender == user { try declineInvite(invite.number) } }
  }

  private func set(_ regard: Regard, for user: UserID) throws {
    guard try regard != self.regard(for: user) else { return }
    var preference = SealedRegard()
    preference.user = data(user.bytes)
    preference.verified = regard.isVerified
    preference.blocked = regard.isBlocked
    try setPreference(.regard(preference))
  }
}
