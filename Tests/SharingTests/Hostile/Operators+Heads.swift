import CloudAPI
import Lies
import Signing
import SwiftProtobuf
import TestSupport

/// What the server says of how far a branch is.
extension Operator {
  static let heads: [Operator] =
    [
      Operator("head withheld", nil, [.head: .harmless(.before)]) { scene, _ in
        try await scene.write(.header)
        let branch = data(scene.branch.bytes)
        scene.server.change(.heads, WireHeads.self) { $0.branches.removeAll { $0.branch == branch } }
      },
      head(.farAhead, after: .header), head(.denied, after: .header), head(.movedBack), head(.anotherHash),
      Operator("fork claimed", nil, [.head: .stops(.fork)]) { scene, _ in
        try await scene.write(.header)
        scene.server.lie { request, response in
          guard request.path == Route.pull.path else { return response }
          return .refusing(.fork, status: 409)
        }
      },
      // Mallory has signed both, and the server gives one of them to each reader.
      Operator("two histories for two people", .headFork, [.log: .harmless(.honest, .forks)]) { scene, _ in
        let hand = try Hand(scene.mallory, on: scene.branch)
        let (one, other) = (try hand.sign(hand.todo()), try hand.sign(hand.todo()))
        try await scene.require(one)
        try scene.retell { retelling in
          retelling.told = [
            Told(
              kind: .header, node: other.node, record: other.record, contents: other.contents, hash: other.record.hash)
          ]
        }
      },
      Operator("somebody introduced whom nobody asked for", .askedUser, [.keyring: .harmless(.honest)]) { scene, _ in
        try await scene.write(.header)
        let eve = data(try scene.device("eve").user().bytes)
        scene.server.change(.heads, WireHeads.self) { heads in
          heads.keyrings.append(
            .with {
              $0.user = eve
              $0.position = 99
            })
        }
      },
    ]
    + HeadsLie.all.map { lie in
      Operator(lie.name, lie.defence, [lie.record: lie.end]) { scene, _ in
        try await scene.write(.header)
        scene.server.change(.heads, WireHeads.self) { lie.change(&$0, SystemEntropy()) }
      }
    }

  /// - Parameter record: what was written before the server says that.
  private static func head(_ lie: HeadLie, after record: RecordKind? = nil) -> Operator {
    Operator(lie.name, lie.defence, [.head: lie.end]) { scene, _ in
      if let record { try await scene.write(record) }
      let branch = scene.branch
      scene.server.lie { request, response in Lie(branch: branch).head(response, to: request) { lie.change(&$0) } }
    }
  }
}
