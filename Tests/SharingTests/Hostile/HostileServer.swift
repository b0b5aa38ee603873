import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import TestSupport

/// Stands between a victim and the real server, and tells lies once it has begun.
final class HostileServer: Sendable {
  typealias Lie = @Sendable (CloudRequest, CloudResponse) -> CloudResponse

  private let lies = Locked<[Lie]>([])
  private let silences = Locked<[@Sendable (CloudRequest) -> CloudResponse?]>([])
  /// How many answers were changed, or forged records handed out.
  let fired = Locked(0)

  /// Changes answers.
  func lie(_ lie: @escaping Lie) { lies.with { $0.append(lie) } }

  /// Answers in the place of the real server, which never sees the request.
  func standIn(_ answer: @escaping @Sendable (CloudRequest) -> CloudResponse?) {
    silences.with { $0.append(answer) }
  }

  /// Changes the answers of one route that carry a message.
  func change<Answer: SwiftProtobuf.Message>(
    _ route: Route, _ type: Answer.Type, _ change: @escaping @Sendable (inout Answer) -> Void
  ) {
    lie { request, response in
      guard request.path == route.path, response.status == 200, var answer = try? decode(Answer.self, response.body)
      else { return response }
      change(&answer)
      var response = response
      response.body = encode(answer)
      return response
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
    transport.setStandIn { request in
      guard let answer = silences.lazy.compactMap({ $0(request) }).first else { return nil }
      fired.with { $0 += 1 }
      return answer
    }
  }

  func turnHonest(on transport: InProcessTransport) {
    transport.setTamper { _, response in response }
    transport.setStandIn { _ in nil }
  }

  /// An answer as the server gives it.
  static func answer(_ message: some SwiftProtobuf.Message, status: Int = 200) -> CloudResponse {
    CloudResponse(
      status: status, headers: ["todo-protocol": "1", "date": HTTPDate.text(1_790_000_000_000)], body: encode(message))
  }
}
