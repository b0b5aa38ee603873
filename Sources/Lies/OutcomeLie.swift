package import CloudAPI
import Foundation
package import Signing
import SwiftProtobuf

/// What the server answers to somebody who sends a change.
package struct OutcomeLie: Sendable {
  package let name: String
  package let defence: Defence?
  package let end: Ending
  private let bend: @Sendable (inout WireOutcome) -> Void

  private init(
    _ name: String, _ defence: Defence?, _ end: Ending, _ bend: @escaping @Sendable (inout WireOutcome) -> Void
  ) {
    self.name = name
    self.defence = defence
    self.end = end
    self.bend = bend
  }

  package func change(_ outcome: inout WireOutcome) { bend(&outcome) }

  package static let all: [OutcomeLie] = [
    OutcomeLie("outcome for another operation", .outcomeOperation, .ends(.nonsense)) {
      $0.operation = data([UInt8](repeating: 7, count: 16))
    },
    OutcomeLie("line that no log has", .outcomeLine, .ends(.nonsense)) { $0.accepted.line = 0 },
    OutcomeLie("line far away", nil, .harmless(.honest)) { $0.accepted.line = 1_000_000 },
    OutcomeLie("no outcome", nil, .ends(.nonsense)) { $0.result = nil },
    OutcomeLie(
      "refused for no reason", nil,
      Ending(complaint: .keepsChange(.letterMissing), during: .honest, after: .recovers)
    ) { $0.refused.reason = Refusal.letterMissing.rawValue },
    OutcomeLie("conflict without end", nil, .harmless(.honest)) { $0.conflict.reason = Refusal.versionStale.rawValue },
    OutcomeLie("dependency failed without end", nil, .harmless(.honest)) { outcome in
      outcome.dependencyFailed.operation = outcome.operation
    },
  ]

  /// Changes an answer to a whole batch.
  package static func addOne(to outcomes: inout WireOutcomes) { outcomes.outcomes += outcomes.outcomes.suffix(1) }
}

/// What can be wrong with an answer whatever was asked.
package struct AnswerLie: Sendable {
  package let name: String
  package let defence: Defence?
  package let end: Ending
  private let bend: @Sendable (inout CloudResponse, Int64) -> Void

  private init(
    _ name: String, _ defence: Defence?, _ end: Ending,
    _ bend: @escaping @Sendable (inout CloudResponse, Int64) -> Void
  ) {
    self.name = name
    self.defence = defence
    self.end = end
    self.bend = bend
  }

  /// `now` is the true time in milliseconds since 1970.
  package func change(_ response: inout CloudResponse, now: Int64) { bend(&response, now) }

  package static let all = [tongue, version, down, date]

  package static let tongue = AnswerLie("answer in another tongue", nil, .ends(.nonsense)) { response, _ in
    response.body = [0xFF, 0xFF]
  }
  package static let version = AnswerLie("server of a version to come", .protocolVersion, .ends(.serverNewer)) {
    response, _ in
    response.headers["todo-protocol"] = "2"
  }
  package static let down = AnswerLie("server that is down", nil, .ends(.refused(.internal))) { response, now in
    response = .refusing(.internal, status: 500, at: now)
  }
  package static let date = AnswerLie("date a year off", nil, .ends(.refused(.clockSkew))) { response, now in
    response = .refusing(.clockSkew, status: 401, at: now)
    response.headers["date"] = HTTPDate.text(now + 365 * 24 * 3600 * 1000)
  }
}
