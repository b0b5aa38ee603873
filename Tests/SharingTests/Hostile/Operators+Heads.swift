import CloudAPI
import Signing
import SwiftProtobuf
import TestSupport

/// What the server says of how far a branch is.
extension Operator {
  static let heads: [Operator] = [
    Operator("head withheld", nil, [.head: .harmless(.before)]) { scene, _ in
      try await scene.write(.header)
      let branch = data(scene.branch.bytes)
      scene.server.change(.heads, WireHeads.self) { $0.branches.removeAll { $0.branch == branch } }
    },
    head("head that never comes", nil, .harmless(.honest)) { $0.line += 1_000 },
    head("branch denied", nil, .stops(.letterMissing)) { $0.denied = true },
    Operator("cursor moved back", .headBack, [.head: .stops(.fork)]) { scene, _ in
      let branch = scene.branch
      scene.server.lie { request, response in Lie(branch: branch).head(response, to: request) { $0.line -= 1 } }
    },
    Operator("another hash at the cursor", .headFork, [.head: .stops(.fork)]) { scene, _ in
      let branch = scene.branch
      scene.server.lie { request, response in
        Lie(branch: branch).head(response, to: request) { $0.logHash = data([UInt8](repeating: 7, count: 32)) }
      }
    },
    Operator("fork claimed", nil, [.head: .stops(.fork)]) { scene, _ in
      try await scene.write(.header)
      scene.server.lie { request, response in
        guard request.path == Route.pull.path else { return response }
        return HostileServer.answer(WireProblem.with { $0.reason = Refusal.fork.rawValue }, status: 409)
      }
    },
    Operator("head of a branch that nobody asked for", .askedBranch, [.head: .ends(.nonsense)]) { scene, _ in
      try await scene.write(.header)
      let other = data(CloudID.random(SystemEntropy()).bytes)
      scene.server.change(.heads, WireHeads.self) { heads in
        guard var head = heads.branches.last else { return }
        head.branch = other
        heads.branches.append(head)
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
    Operator("keyring head moved back", nil, [.keyring: .harmless(.honest)]) { scene, _ in
      try await scene.write(.header)
      scene.server.change(.heads, WireHeads.self) { heads in
        for index in heads.keyrings.indices { heads.keyrings[index].position = 1 }
      }
    },
  ]

  private static func head(
    _ name: String, _ defence: Defence?, _ end: Expectation,
    _ change: @escaping @Sendable (inout WireBranchHead) -> Void
  ) -> Operator {
    Operator(name, defence, [.head: end]) { scene, _ in
      try await scene.write(.header)
      let branch = scene.branch
      scene.server.lie { request, response in Lie(branch: branch).head(response, to: request, change) }
    }
  }
}
