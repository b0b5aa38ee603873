package import CloudAPI
import Foundation
package import Signing
import SwiftProtobuf

/// What a server says of how far a branch is.
package struct HeadLie: Sendable {
  package let name: String
  package let defence: Defence?
  package let end: Ending
  private let bend: @Sendable (inout WireBranchHead) -> Void

  private init(
    _ name: String, _ defence: Defence?, _ end: Ending, _ bend: @escaping @Sendable (inout WireBranchHead) -> Void
  ) {
    self.name = name
    self.defence = defence
    self.end = end
    self.bend = bend
  }

  package func change(_ head: inout WireBranchHead) { bend(&head) }

  package static let all = [farAhead, denied, movedBack, anotherHash]

  package static let farAhead = HeadLie("head that never comes", nil, .harmless(.honest)) { $0.line += 1_000 }
  package static let denied = HeadLie("branch denied", nil, .stops(.branchDenied)) { $0.denied = true }
  package static let movedBack = HeadLie("cursor moved back", .headBack, .stops(.fork)) { head in
    if head.line > 0 { head.line -= 1 }
  }
  package static let anotherHash = HeadLie("another hash at the cursor", .headFork, .stops(.fork)) {
    $0.logHash = data([UInt8](repeating: 7, count: 32))
  }
}

/// What the keyring heads beside them say.
package struct HeadsLie: Sendable {
  package let name: String
  package let defence: Defence?
  package let end: Ending
  package let record: RecordKind
  private let bend: @Sendable (inout WireHeads, any Entropy) -> Void

  private init(
    _ name: String, _ defence: Defence?, _ end: Ending, on record: RecordKind,
    _ bend: @escaping @Sendable (inout WireHeads, any Entropy) -> Void
  ) {
    self.name = name
    self.defence = defence
    self.end = end
    self.record = record
    self.bend = bend
  }

  package func change(_ heads: inout WireHeads, _ entropy: any Entropy) { bend(&heads, entropy) }

  package static let all: [HeadsLie] = [
    HeadsLie("head of a branch that nobody asked for", .askedBranch, .ends(.nonsense), on: .head) { heads, entropy in
      guard var head = heads.branches.last else { return }
      head.branch = data(entropy.bytes(16))
      heads.branches.append(head)
    },
    HeadsLie("keyring head moved back", nil, .harmless(.honest), on: .keyring) { heads, _ in
      for index in heads.keyrings.indices { heads.keyrings[index].position = 1 }
    },
  ]
}
