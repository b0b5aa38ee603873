import CloudAPI
import Treesystem

/// How much of what came was not taken over; `todo status` shows what, and why.
struct Distrust: Equatable {
  /// Changes that were not believed.
  var quarantined = 0
  /// Lists that cannot be read any further. To have been taken off one is no illness.
  var unreadable = 0
  /// Contradictions in what the server showed that are not over, and that nobody has put aside.
  var findings = 0

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

extension CloudTransaction {
  /// What was not taken over until now.
  func distrust() throws -> Distrust {
    // An invitation that led to nothing is told beside it: anybody can send one.
    let offered = Set(try unreadLists().filter { $0.sender != nil }.map(\.branch))
    return Distrust(
      quarantined: try quarantined().count,
      unreadable: try troubles().count { $0.reason != .branchDenied && !offered.contains($0.branch) },
      findings: try findings().count { $0.ended == nil })
  }
}
