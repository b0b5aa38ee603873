import CloudAPI
import Foundation
import Lies
import Sharing
import Signing
import SwiftProtobuf
import TestSupport

@testable import Treesystem

/// What the server answers to alice, who gives back what it lost.
extension Operator {
  static let restorations: [Operator] = [
    restored("taken back into another log", .restoredHead, .ends(.nonsense)) { $1.logHash = data(Hash32.zeros.bytes) },
    restored("taken back and not kept", .restoredHead, .ends(.nonsense)) { $1.line -= 1 },
    restored("contents lost that were never there", nil, .harmless(.honest)) { _, answer in
      answer.bare = [data(SystemEntropy().bytes(16)), data([1])]
    },
    // They are sealed anew.
    restored("every content lost", nil, .harmless(.honest)) { $1.bare = $0 },
  ]

  /// - Parameter bend: gets the nodes of the list besides.
  private static func restored(
    _ name: String, _ defence: Defence?, _ end: Ending,
    _ bend: @escaping @Sendable ([Data], inout WireRestored) -> Void
  ) -> Operator {
    Operator(name, defence, [.restoration: end]) { scene, _ in
      scene.victimName = "alice"
      scene.act = { device in
        for repair in try await device.session.repairServer() {
          if case .refused(let reason) = repair.outcome { throw reason }
        }
        return try await device.sync()
      }
      let hand = try Hand(scene.mallory, on: scene.branch)
      let nodes = try ["Milk", "Eggs"].map { data(try hand.present($0).0.cloudID.bytes) }
      scene.server.change(.restore, WireRestored.self) { bend(nodes, &$0) }
    }
  }
}
