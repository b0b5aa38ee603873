import CloudAPI
import Lies
import Signing
import TestSupport
import Testing

/// Records that a member signed who cheats, and a server that takes what it should refuse.
extension Operator {
  static let forgeries: [Operator] =
    (Forgery.headers + Forgery.nodes + Forgery.seals).map { node($0, .header) }
    + Forgery.tombstones.map { node($0, .tombstone) }
    + Forgery.permissions.map { forgery in
      Operator(forgery.testDescription, permissions(forgery), [.permissions: .stops(forgery.client)]) { scene, _ in
        let draft = try await forgery.forge(scene.stage)
        try scene.retell { retelling in
          retelling.told.append(
            Told(kind: .permissions, node: draft.node, record: draft.record, hash: draft.record.hash))
        }
      }
    }

  private static func node(_ forgery: Forgery, _ record: RecordKind) -> Operator {
    // A member who cites what is not there has read another history: nothing more is believed until the user decides.
    let end =
      forgery.tellsOfAFork
      ? Ending.stops(.fork, .forks) : .setsAside(forgery.client, forgery.isPutAgain ? .mends : .reports)
    return Operator(forgery.testDescription, defence(forgery), [record: end]) { scene, _ in
      let draft = try await forgery.forge(scene.stage)
      try await scene.carol.sync()
      try await scene.plant(draft)
      // A todo of which nothing but its place can be read.
      if forgery.isPlaced { scene.foreseen = { $0 == "open Groceries/" } }
      if forgery.endsTheList || forgery.tellsOfAFork { return }
      scene.mend = { scene in
        try await scene.mallory.sync()
        try scene.mallory.add("Groceries", "Bread")
        try await scene.mallory.sync()
        try await scene.carol.sync()
        #expect(try scene.carol.titles("Groceries").contains("Bread"), "the list does not go on")
      }
    }
  }

  /// The check that a forged header or tombstone meets. A seal that does not open is no check of ours.
  private static func defence(_ forgery: Forgery) -> Defence? {
    switch forgery.client {
    case .signatureBad: .signature
    case .deviceUnknown: .activeDevice
    case .letterMissing: forgery.endsTheList ? .rootOwner : .letter
    case .versionStale: .nodeVersion
    case .permissionsSuperseded, .permissionsUnknown: .permissionsInForce
    case .epochWrong: .headerEpoch
    case .readWrong: .readLine
    case .keyringStale: forgery.testDescription.contains("so long") ? .keyringLength : .pinnedPosition
    case .nodeKeySwapped: .nodeKey
    case .parentWrong: .place
    case .contentUnknown: .contentOwner
    case .messageWrong: .message
    case .branchMismatch: .recordBranch
    case .keyMismatch: .nodeKeyCommitment
    case .nameTokenWrong: .nameToken
    case .unseenChildren: .unseenChildren
    default: nil
    }
  }

  private static func permissions(_ forgery: Forgery) -> Defence? {
    switch forgery.client {
    case .signatureBad: .signature
    case .deviceUnknown: .activeDevice
    case .letterMissing: .shareLetter
    case .permissionsSuperseded: forgery.testDescription.contains("next line") ? .nextLine : .recordVersion
    case .ownerChanged: .owner
    case .epochWrong: .branchEpoch
    case .pinWrong: .entryPin
    case .malformed: .ownerEntry
    default: nil
    }
  }
}
