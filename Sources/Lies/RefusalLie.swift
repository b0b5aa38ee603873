package import CloudAPI
package import Signing
import SwiftProtobuf

/// A refusal that nothing bears out, of what takes somebody's key away or ends a list: whoever believes it goes on writing for them.
package struct RefusalLie: Sendable {
  package enum Target: String, Sendable {
    case removal, renewal, closing
  }

  package let name: String
  package let target: Target
  package let reason: Refusal

  private init(_ target: Target, _ reason: Refusal, _ words: String) {
    name = "\(target.rawValue) refused: \(words)"
    self.target = target
    self.reason = reason
  }

  package let defence = Defence.refusalGround

  package var end: Ending { Ending(complaint: .keepsChange(.refusalUnfounded), during: .between, after: .recovers) }

  /// What the server answers in the place of doing anything; nil where there are no permissions in what was sent.
  package func answer(to request: CloudRequest) -> WireOutcomes? { Self.refuse(request, reason) }

  /// What was sent along with the permissions is to be sent again.
  package static func refuse(_ request: CloudRequest, _ reason: Refusal) -> WireOutcomes? {
    guard request.path == Route.batch.path, let batch = try? decode(WireBatch.self, request.body),
      batch.operations.contains(where: \.isPermit)
    else { return nil }
    return .with {
      $0.outcomes = batch.operations.map { operation in
        .with {
          $0.operation = operation.operation
          if operation.isPermit {
            $0.refused.reason = reason.rawValue
          } else {
            $0.dependencyFailed.operation = operation.operation
          }
        }
      }
    }
  }

  /// Acknowledges permissions at a line that has something else, and drops them; nil where there are none in what was sent.
  package static func drop(_ request: CloudRequest) -> WireOutcomes? {
    guard var outcomes = refuse(request, .letterMissing) else { return nil }
    for index in outcomes.outcomes.indices {
      guard case .refused? = outcomes.outcomes[index].result else { continue }
      outcomes.outcomes[index].accepted.line = 1
      outcomes.outcomes[index].accepted.logHash = data([UInt8](repeating: 7, count: Hash32.length))
    }
    return outcomes
  }

  package static let all = [
    RefusalLie(.removal, .letterMissing, "no letter for it"),
    RefusalLie(.removal, .branchClosed, "the list is closed"),
    RefusalLie(.renewal, .letterMissing, "no letter for it"),
    RefusalLie(.renewal, .branchClosed, "the list is closed"),
    RefusalLie(.renewal, .limitExceeded, "too many of them"),
    RefusalLie(.closing, .letterMissing, "no letter for it"),
    RefusalLie(.closing, .branchClosed, "the list is closed"),
  ]
}

extension WireOperation {
  fileprivate var isPermit: Bool { if case .permit = change { true } else { false } }
}
