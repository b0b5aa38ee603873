import CloudAPI
import CloudServer
import Foundation
import Lies
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What the server answers to somebody who sends a change: alice adds Salt.
extension Operator {
  static let answers: [Operator] =
    OutcomeLie.all.map(outcome) + [version, tongue, down, wrongDate] + [
      Operator("one outcome too many", .outcomeCount, [.answer: .ends(.nonsense)]) { scene, _ in
        try scene.write(as: "alice")
        scene.server.change(.batch, WireOutcomes.self) { OutcomeLie.addOne(to: &$0) }
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
            guard let record = try? SignedRecord(operation.put.header),
              let body = try? HeaderBody(decoding: record.body)
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
          return .told(outcomes)
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
    ]

  private static let tongue = always(.tongue) { request in request.path == Route.batch.path }
  private static let version = always(.version) { _ in true }
  private static let down = always(.down) { _ in true }
  private static let wrongDate = always(.date) { _ in
    true
  } check: { scene in
    // The server's clock is for requests and for what expires only.
    let now = scene.world.clock.now()
    try scene.alice.add("Groceries", "Pepper")
    #expect(try abs(scene.alice.todo("Pepper").createdAt - now) < 24 * 3600 * 1000)
    let pepper = try scene.alice.todo("Pepper")
    _ = try scene.alice.database.write { try $0.removeTodo(pepper) }
  }

  /// Every answer that is meant is another.
  private static func always(
    _ lie: AnswerLie, _ isMeant: @escaping @Sendable (CloudRequest) -> Bool,
    check: (@Sendable (Scene) async throws -> Void)? = nil
  ) -> Operator {
    Operator(lie.name, lie.defence, [.answer: lie.end]) { scene, _ in
      try scene.write(as: "alice")
      scene.check = check
      let now = scene.world.clock.now()
      scene.server.lie { request, response in
        var response = response
        if isMeant(request) { lie.change(&response, now: now) }
        return response
      }
    }
  }

  private static let retry: @Sendable (Scene) async throws -> Void = { scene in
    try scene.alice.database.write { try $0.retryRefused() }
    try await scene.alice.sync()
  }

  private static func outcome(_ lie: OutcomeLie) -> Operator {
    Operator(lie.name, lie.defence, [.answer: lie.end]) { scene, _ in
      try scene.write(as: "alice")
      if case .keepsChange? = lie.end.complaint { scene.mend = retry }
      scene.server.change(.batch, WireOutcomes.self) { outcomes in
        for index in outcomes.outcomes.indices { lie.change(&outcomes.outcomes[index]) }
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
