import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What the server answers to somebody who sends a change: alice adds Salt.
extension Operator {
  static let answers: [Operator] = [
    answer("outcome for another operation", .outcomeOperation, .ends(.nonsense)) {
      $0.operation = data([UInt8](repeating: 7, count: 16))
    },
    answer("line that no log has", .outcomeLine, .ends(.nonsense)) { $0.accepted.line = 0 },
    answer("line far away", nil, .harmless(.honest)) { $0.accepted.line = 1_000_000 },
    answer("no outcome", nil, .ends(.nonsense)) { $0.result = nil },
    answer("refused for no reason", nil, keeps, mend: retry) { $0.refused.reason = Refusal.letterMissing.rawValue },
    answer("conflict without end", nil, .harmless(.honest)) { $0.conflict.reason = Refusal.versionStale.rawValue },
    answer("dependency failed without end", nil, .harmless(.honest)) { outcome in
      outcome.dependencyFailed.operation = outcome.operation
    },
    Operator("one outcome too many", .outcomeCount, [.answer: .ends(.nonsense)]) { scene, _ in
      try scene.write(as: "alice")
      scene.server.change(.batch, WireOutcomes.self) { $0.outcomes += $0.outcomes.suffix(1) }
    },
    Operator("acknowledged but not stored", .headBack, [.answer: .harmless(.honest, .forks)]) { scene, _ in
      try scene.write(as: "alice")
      let (storage, branch) = (scene.world.storage, scene.branch)
      scene.server.standIn { request in
        guard request.path == Route.batch.path, let batch = try? decode(WireBatch.self, request.body),
          var head = try? storage.read({ try $0.head(of: branch) })
        else { return nil }
        var outcomes = WireOutcomes()
        for operation in batch.operations {
          guard let record = try? SignedRecord(operation.put.header), let body = try? HeaderBody(decoding: record.body)
          else { return nil }
          head = head.appending(
            Line(number: head.line + 1, kind: .header, cloudID: body.cloudID, hash: record.hash))
          outcomes.outcomes.append(
            .with {
              $0.operation = operation.operation
              $0.accepted.line = head.line
              $0.accepted.logHash = data(head.hash.bytes)
            })
        }
        return HostileServer.answer(outcomes)
      }
    },
    // Mallory's Bread has that line, which the server keeps from alice for now.
    Operator("acknowledged at somebody else's line", .outcomeHash, [.answer: .harmless(.between)]) { scene, _ in
      try scene.write(as: "alice")
      guard let head = try scene.world.storage.read({ try $0.head(of: scene.branch) }) else { return }
      try await scene.write(.header)
      let branch = scene.branch
      scene.server.lie { request, response in
        Lie(branch: branch).head(response, to: request) {
          $0.line = head.line
          $0.logHash = data(head.hash.bytes)
        }
      }
      scene.server.change(.batch, WireOutcomes.self) { $0.outcomes[0].accepted.line = head.line + 1 }
    },
    Operator("answer in another tongue", nil, [.answer: .ends(.nonsense)]) { scene, _ in
      try scene.write(as: "alice")
      scene.server.lie { request, response in
        var response = response
        if request.path == Route.batch.path { response.body = [0xFF, 0xFF] }
        return response
      }
    },
    Operator("server of a version to come", .protocolVersion, [.answer: .ends(.serverNewer)]) { scene, _ in
      try scene.write(as: "alice")
      scene.server.lie { _, response in
        var response = response
        response.headers["todo-protocol"] = "2"
        return response
      }
    },
    Operator("server that is down", nil, [.answer: .ends(.refused(.internal))]) { scene, _ in
      try scene.write(as: "alice")
      scene.server.lie { _, _ in
        HostileServer.answer(WireProblem.with { $0.reason = Refusal.internal.rawValue }, status: 500)
      }
    },
    Operator("date a year off", nil, [.answer: .ends(.refused(.clockSkew))]) { scene, _ in
      try scene.write(as: "alice")
      let now = scene.world.clock.now()
      scene.server.lie { _, _ in
        var answer = HostileServer.answer(
          WireProblem.with { $0.reason = Refusal.clockSkew.rawValue }, status: 401)
        answer.headers["date"] = HTTPDate.text(now + 365 * 24 * 3600 * 1000)
        return answer
      }
      // The server's clock is for requests only.
      scene.check = { scene in
        try scene.alice.add("Groceries", "Pepper")
        #expect(try abs(scene.alice.todo("Pepper").createdAt - now) < 24 * 3600 * 1000)
        let pepper = try scene.alice.todo("Pepper")
        _ = try scene.alice.database.write { try $0.removeTodo(pepper) }
      }
    },
  ]

  private static let keeps = Expectation(
    complaint: .keepsChange(.letterMissing), during: .honest, after: .recovers)

  private static let retry: @Sendable (Scene) async throws -> Void = { scene in
    try scene.alice.database.write { try $0.retryRefused() }
    try await scene.alice.sync()
  }

  private static func answer(
    _ name: String, _ defence: Defence?, _ end: Expectation, mend: (@Sendable (Scene) async throws -> Void)? = nil,
    _ change: @escaping @Sendable (inout WireOutcome) -> Void
  ) -> Operator {
    Operator(name, defence, [.answer: end]) { scene, _ in
      try scene.write(as: "alice")
      scene.mend = mend
      scene.server.change(.batch, WireOutcomes.self) { outcomes in
        for index in outcomes.outcomes.indices { change(&outcomes.outcomes[index]) }
      }
    }
  }
}

extension Scene {
  /// The victim has a change to send.
  func write(as name: String) throws {
    victimName = name
    try device(name).add("Groceries", "Salt")
  }
}
