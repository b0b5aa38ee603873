import CloudAPI
public import Signing
import SwiftProtobuf
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
    Regard(isVerified: try holds("verified", of: user), isBlocked: try holds("blocked", of: user))
  }

  private func holds(_ kind: String, of user: UserID) throws -> Bool {
    switch try preference(kind, user.bytes) {
    case .verified(let judgement)?, .blocked(let judgement)?: judgement.holds
    default: false
    }
  }

  /// Remembers that the numbers were compared, and are the same.
  public func setVerified(_ user: UserID, _ isVerified: Bool = true) throws {
    if try regard(for: user).isVerified != isVerified {
      try setPreference(.verified(judgement(of: user, isVerified)))
    }
    if isVerified { try takeForHandle(user) }
  }

  /// Lets nothing of somebody in any more: their open invitations go, and so will what they send.
  public func setBlocked(_ user: UserID, _ isBlocked: Bool = true) throws {
    guard user != (try requireAccount().user) else { throw ShareError.withOneself }
    if try regard(for: user).isBlocked != isBlocked { try setPreference(.blocked(judgement(of: user, isBlocked))) }
    if isBlocked { for invite in try invites() where invite.sender == user { try declineInvite(invite.number) } }
  }

  private func judgement(of user: UserID, _ holds: Bool) -> SealedJudgement {
    .with {
      $0.user = data(user.bytes)
      $0.holds = holds
    }
  }
}
