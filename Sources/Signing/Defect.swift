import Synchronization

/// Mistakes that the simulator plants to show that it would find them. No shipped program plants one.
package enum Defect: String, CaseIterable, Sendable {
  case cursorBeforeApply
  case dependencyIgnored
  case joinPrefersRemote
  case retryNotIdempotent
  case sentBytesEdited
  case tombstoneLost
  case stampWithoutMax
  case stampClamped
  case lockDropped
  case lostReplyIsFailure
  case coalescingAcrossDependency
  case quarantineAdvances
  case putOvertakesRemoval
  case unseenChildrenDeleted
  case renewalForgotten
  case foreignJoined
  case nameKeyRedrawn
  case carrierForgotten
  case defaultByTitle
  case kindForgotten
  case strangerEndsSync
  case signerShown
  case disownForgotten
  case namesForgotten
  case deletedListHidden
  case formForgotten
  case faultEndsSync
  case commentPutBack
  case idKept
  case twinForgotten
  case occurrenceBelieved
  case horizonForgotten
  case pictureBelieved
  case unreadableHides
  case baitBelieved
  case graveReachesAll

  private static let nothing = -1
  private static let planted = Atomic(nothing)

  /// Those that show only where a member changes their own database.
  package static let besideHostileMembers: Set<Defect> = [
    .foreignJoined, .nameKeyRedrawn, .carrierForgotten, .defaultByTitle, .kindForgotten, .strangerEndsSync,
    .signerShown, .disownForgotten, .namesForgotten, .deletedListHidden, .formForgotten, .faultEndsSync,
    .commentPutBack, .idKept, .twinForgotten, .occurrenceBelieved,
    .horizonForgotten, .pictureBelieved, .unreadableHides, .baitBelieved,
    .graveReachesAll,
  ]

  /// Whether this mistake is to be made.
  package var isPlanted: Bool {
    let planted = Self.planted.load(ordering: .relaxed)
    return planted != Self.nothing && Self.allCases[planted] == self
  }

  /// Plants one; nil takes it out.
  package static func plant(_ defect: Defect?) {
    planted.store(defect.flatMap { allCases.firstIndex(of: $0) } ?? nothing, ordering: .relaxed)
  }
}
