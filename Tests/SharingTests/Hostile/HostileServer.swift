import CloudAPI
import Foundation
import Lies
import Signing
import SwiftProtobuf
import TestSupport

/// Stands between a victim and the real server, and tells lies once it has begun.
final class HostileServer: Sendable {
  typealias Lie = @Sendable (CloudRequest, CloudResponse) -> CloudResponse

  private let lies = Locked<[Lie]>([])
  private let silences = Locked<[@Sendable (CloudRequest) -> CloudResponse?]>([])
  private let hearsay = Locked<EventLie?>(nil)
  /// How many answers were changed, or forged records handed out.
  let fired = Locked(0)

  /// Changes answers.
  func lie(_ lie: @escaping Lie) { lies.with { $0.append(lie) } }

  /// Answers in the place of the real server, which never sees the request.
  func standIn(_ answer: @escaping @Sendable (CloudRequest) -> CloudResponse?) {
    silences.with { $0.append(answer) }
  }

  /// Writes something else into event streams.
  func write(_ lie: EventLie) { hearsay.with { $0 = lie } }

  /// Changes the answers of one route that carry a message.
  func change<Answer: SwiftProtobuf.Message>(
    _ route: Route, _ type: Answer.Type, _ change: @escaping @Sendable (inout Answer) -> Void
  ) {
    lie { request, response in
      guard request.path == route.path, response.status == 200, var answer = try? decode(Answer.self, response.body)
      else { return response }
      change(&answer)
      return response.carrying(answer)
    }
  }

  /// Counts answers that carry these bytes: a record that the server should not have.
  func watch(for bytes: [UInt8]) {
    let wanted = Data(bytes)
    let fired = fired
    lie { _, response in
      if Data(response.body).range(of: wanted) != nil { fired.with { $0 += 1 } }
      return response
    }
  }

  func begin(on transport: InProcessTransport) {
    let (lies, silences, fired) = (lies.with { $0 }, silences.with { $0 }, fired)
    transport.setTamper { request, response in
      let told = lies.reduce(response) { $1(request, $0) }
      if told.body != response.body || told.status != response.status || told.headers != response.headers {
        fired.with { $0 += 1 }
      }
      return told
    }
    transport.setStreams { [hearsay] honest in
      guard let lie = hearsay.with({ $0 }) else { return [honest] }
      fired.with { $0 += 1 }
      return lie.chunks(for: honest)
    }
    transport.setStandIn { request in
      guard let answer = silences.lazy.compactMap({ $0(request) }).first else { return nil }
      fired.with { $0 += 1 }
      return answer
    }
  }

  func turnHonest(on transport: InProcessTransport) {
    transport.setTamper { _, response in response }
    transport.setStandIn { _ in nil }
    transport.setStreams { [$0] }
  }
}
