import CloudAPI
public import Signing
import SwiftProtobuf
public import Treesystem

/// What this user thinks of another, on all of their devices.
public struct Regard: Hashable, Sendable {
  /// Whether the two have compared their numbers.
  public var isVerified = false
  /// Whether the two have compared their numbers, and they were not the same.
  public var isOther = false
  /// Whether nothing of theirs is let in.
  public var isBlocked = false

  /// Of a stranger, unless said otherwise.
  public init(isVerified: Bool = false, isOther: Bool = false, isBlocked: Bool = false) {
    self.isVerified = isVerified
    self.isOther = isOther
    self.isBlocked = isBlocked
  }
}

extension CloudTransaction {
  /// What this user thinks of another; a stranger is neither verified nor blocked.
  public func regard(for user: UserID) throws -> Regard {
    let isVerified = try judgement("verified", of: user)?.holds
    return Regard(
      isVerified: isVerified == true, isOther: isVerified == false,
      isBlocked: try judgement("blocked", of: user)?.holds == true)
  }

  /// Nil where nothing was said.
  private func judgement(_ kind: String, of user: UserID) throws -> SealedJudgement? {
    switch try preference(kind, user.bytes) {
    case .verified(let judgement)?, .blocked(let judgement)?, .admitted(let judgement)?: judgement
    default: nil
    }
  }

  /// Remembers that the numbers were compared, and are the same, or are not. Whoever was verified is meant by their handle from now on.
  public func setVerified(_ user: UserID, _ isVerified: Bool = true) throws {
    let known = try judgement("verified", of: user)
    // That they have the handle too is news to the other devices.
    if known?.holds != isVerified || known?.byCode == true {
      try setPreference(.verified(judgement(of: user, isVerified)))
    }
    if isVerified { try takeForHandle(user) }
  }

  /// Remembers that somebody has a code, or made one. It was not said who they are: a handle under which another was met stays theirs.
  func setVerifiedByCode(_ user: UserID) throws {
    if try judgement("verified", of: user)?.holds == true { return }
    var judgement = judgement(of: user, true)
    judgement.byCode = true
    try setPreference(.verified(judgement))
  }

  /// Lets nothing of somebody in any more: their open invitations and what of theirs was not read go, and so will what they send.
  public func setBlocked(_ user: UserID, _ isBlocked: Bool = true) throws {
    guard user != (try requireAccount().user) else { throw ShareError.withOneself }
    if try regard(for: user).isBlocked != isBlocked { try setPreference(.blocked(judgement(of: user, isBlocked))) }
    guard isBlocked else { return }
    for invite in try invites() where invite.sender == user { try declineInvite(invite.number) }
    // What answers a code of theirs is let in no more either: typed again later, it is sent again.
    for claim in try openClaims() where claim.inviterID == user { try dismiss(claim) }
    try deleteUnread(from: user)
  }

  /// Whether this user has let somebody in who was a stranger.
  func isAdmitted(_ user: UserID) throws -> Bool { try judgement("admitted", of: user)?.holds == true }

  /// Lets a stranger in.
  func setAdmitted(_ user: UserID) throws { try setPreference(.admitted(judgement(of: user, true))) }

  private func judgement(of user: UserID, _ holds: Bool) -> SealedJudgement {
    .with {
      $0.user = data(user.bytes)
      $0.holds = holds
    }
  }
}
