/// Why a code lets nobody in any more (spec §8.3).
public enum DeadCode: String, CaseIterable, Sendable {
  /// It was not used in time.
  case expired
  /// Whoever made it took it back.
  case withdrawn
  /// It has let somebody in.
  case used
  /// Three claims had a proof that did not fit.
  case guessed
  /// Whoever made it cannot share the list any more.
  case notShared = "not-shared"
  /// No answer came while it was good: the device that made it did not sync, or whoever made it lets this user in nowhere. Nobody says which.
  case unanswered
  /// Every device that could have made it has ended.
  case deviceEnded = "device-ended"
  /// Whoever made it has deleted their account: nobody says so, their keyring does.
  case accountDeleted = "account-deleted"
  /// For a reason that only a newer program knows.
  case notSaid = "not-said"

  init(_ wire: SealedCodeRefusal.Reason) {
    switch wire {
    case .expired: self = .expired
    case .withdrawn: self = .withdrawn
    case .used: self = .used
    case .guessed: self = .guessed
    case .notShared: self = .notShared
    case .notSaid, .UNRECOGNIZED: self = .notSaid
    }
  }

  var wire: SealedCodeRefusal.Reason {
    switch self {
    case .expired: .expired
    case .withdrawn: .withdrawn
    case .used: .used
    case .guessed: .guessed
    case .notShared: .notShared
    // Nobody is left to say that the device has ended, of an account its keyring says it, and silence is nobody's word.
    case .unanswered, .deviceEnded, .accountDeleted, .notSaid: .notSaid
    }
  }
}
