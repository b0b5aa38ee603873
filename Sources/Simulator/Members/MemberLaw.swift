import Signing

/// The laws of worlds with a hostile member, each with mistakes that it has to find.
package enum MemberLaw: String, CaseIterable, Sendable {
  case foreignValue
  case deed
  case picture
  case nameKey
  case listName
  case listShown
  case defaultList
  case sameLists
  case sameTree
  case staysTodo
  case syncEnds
  case comesToRest
  case noTrouble
  case setAside
  case lost
  case idIsName
  case ownID
  case nextFollows
  case nesting

  /// What it says where it does not hold.
  private var complaints: [String] {
    switch self {
    case .foreignValue: ["holds a value of somebody who may not write there"]
    case .deed: ["for what their client never wrote", "whose client never wrote"]
    case .picture: ["for a picture that their client never gave"]
    case .nameKey: ["changed the name key of", "a root's name key is changed"]
    case .listName: ["means another list"]
    case .listShown: ["is not shown any more"]
    case .defaultList: ["what is added goes to another list", "would add to a list that others read"]
    case .sameLists: ["have different lists"]
    case .sameTree: ["have different trees"]
    case .staysTodo: ["which is something else now"]
    case .syncEnds: ["was told something strange", "cannot sync in a healthy world"]
    case .comesToRest: ["it does not settle", "a change waits for ever"]
    case .noTrouble: ["a member stops a branch", "an honest branch is in trouble"]
    case .setAside: ["an honest record is in quarantine"]
    case .lost: ["lost on "]
    case .idIsName: ["calls a todo "]
    case .ownID: ["calls two todos "]
    case .nextFollows: ["follows it"]
    case .nesting: ["where its first record does not say"]
    }
  }

  /// The mistakes that it has to find by itself.
  private var planted: [Defect] {
    switch self {
    case .foreignValue: [.foreignJoined]
    case .deed: [.carrierForgotten, .signerShown, .disownForgotten]
    case .picture: [.pictureBelieved]
    case .nameKey: [.nameKeyRedrawn]
    case .listName: [.namesForgotten]
    case .listShown: [.deletedListHidden]
    case .defaultList: [.defaultByTitle]
    case .sameLists: [.namesForgotten, .unreadableHides]
    case .sameTree: [.formForgotten]
    case .staysTodo: [.kindForgotten]
    case .syncEnds: [.faultEndsSync, .horizonForgotten]
    case .comesToRest: [.commentPutBack]
    case .noTrouble: [.strangerEndsSync]
    case .setAside: [.nameKeyRedrawn]
    case .lost: [.graveReachesAll]
    case .idIsName: [.idKept]
    case .ownID: [.twinForgotten]
    case .nextFollows: [.occurrenceBelieved]
    case .nesting: [.baitBelieved]
    }
  }

  package var defects: [String] { planted.map(\.rawValue) }

  /// Whether a complaint is this law's.
  func hasMade(_ complaint: String) -> Bool { complaints.contains { complaint.contains($0) } }

  /// The laws whose complaint it is.
  package static func laws(of complaint: String) -> [String] {
    allCases.filter { $0.hasMade(complaint) }.map(\.rawValue)
  }
}
