import CloudAPI
import Signing
import Treesystem

/// How much of what came was not taken over; `todo status` shows what, and why.
struct Distrust: Equatable {
  /// Changes that were not believed.
  var quarantined = 0
  /// Lists that cannot be read any further. To have been taken off one is no illness.
  var unreadable = 0
  /// Contradictions in what the server showed that are not over, and that nobody has put aside.
  var findings = 0

  /// How many of these are somebody's writing on a list, and were there before: a sync tells of each once. Whoever may write on a list can
  /// leave there for good what nobody believes.
  var told = 0

  /// Whether all of it was told before.
  var isTold: Bool { quarantined + unreadable + findings == told }

  var isEmpty: Bool { quarantined == 0 && unreadable == 0 && findings == 0 }

  /// `2 changes not believed, 1 list not read any further, 1 contradiction in what the server showed`
  var words: String {
    let parts = [
      quarantined == 0 ? nil : "\(counted(quarantined, "change")) not believed",
      unreadable == 0 ? nil : "\(counted(unreadable, "list")) not read any further",
      findings == 0 ? nil : "\(counted(findings, "contradiction")) in what the server showed",
    ]
    return parts.compactMap { $0 }.joined(separator: ", ")
  }
}

/// What is not believed because of what somebody wrote on a list.
struct Unbelieved {
  /// By their branches and lines.
  var rows: Set<[Int64]> = []
  /// Branches to which somebody put a pointer on a list that is not theirs to hang on.
  var nested: Set<CloudID> = []
}

extension CloudTransaction {
  /// What was not taken over until now.
  /// - Parameter told: what was there before the sync that tells of it.
  func distrust(told: Unbelieved = Unbelieved()) throws -> Distrust {
    // An invitation that led to nothing is told beside it: anybody can send one.
    let offered = Set(try unreadLists().filter { $0.sender != nil }.map(\.branch))
    let held = try quarantined()
    let unreadable = try troubles().filter { $0.reason != .branchDenied && !offered.contains($0.branch) }
    // Whoever leaves junk must not take something else out of sight: each is told of by itself.
    let oldRows = held.count { $0.isAuthors && told.rows.contains($0.place) }
    let oldBranches = try unreadable.count { trouble in
      try trouble.reason == .firstRecordWrong && cloudID(of: trouble.branch).map(told.nested.contains) ?? false
    }
    return Distrust(
      quarantined: held.count, unreadable: unreadable.count, findings: try findings().count { $0.ended == nil },
      told: oldRows + oldBranches)
  }

  /// What is not believed now because of what somebody wrote.
  func unbelievedOfMembers() throws -> Unbelieved {
    Unbelieved(rows: Set(try quarantined().filter(\.isAuthors).map(\.place)), nested: try misplacedBranches())
  }
}

extension Quarantined {
  fileprivate var place: [Int64] { [branch.rawValue, Int64(clamping: line)] }
}
