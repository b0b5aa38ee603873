public import Signing
package import SwiftProtobuf

/// Calls a server in its own words: encodes, signs, sends, and checks the form of the answer. It believes no record.
public final class CloudConnection: Sendable {
  /// Who signs, with which key; nil for requests whose records sign themselves.
  public struct Signer: Sendable {
    public let caller: Caller
    public let key: SigningKey

    public init(caller: Caller, key: SigningKey) {
      self.caller = caller
      self.key = key
    }
  }

  private let transport: any CloudTransport
  private let authority: String
  private let signer: Signer?
  let clock: any WallClock
  private let entropy: any Entropy

  public init(
    transport: any CloudTransport, authority: String, signer: Signer?, clock: any WallClock, entropy: any Entropy
  ) {
    self.transport = transport
    self.authority = authority
    self.signer = signer
    self.clock = clock
    self.entropy = entropy
  }

  /// Sends a message and decodes the answer.
  package func call<Answer: SwiftProtobuf.Message>(
    _ route: Route, _ message: (any SwiftProtobuf.Message)? = nil, answer: Answer.Type
  ) async throws -> Answer {
    let body = try await call(route, message)
    guard let answer = try? Answer(serializedBytes: body) else { throw CloudFailure.nonsense }
    return answer
  }

  /// Sends a message whose answer is bytes, or nothing. A clock that the server finds wrong is corrected once.
  @discardableResult
  package func call(_ route: Route, _ message: (any SwiftProtobuf.Message)? = nil) async throws -> [UInt8] {
    let body = message.map { encode($0) } ?? []
    return try await call(route, body, headers: body.isEmpty ? [:] : ["content-type": "application/protobuf"])
  }

  /// Sends bytes, and something asked beside the path.
  @discardableResult
  func call(
    _ route: Route, query: String = "", _ body: [UInt8], headers: [String: String] = [:]
  ) async throws -> [UInt8] {
    let response = try await send(request(route, query: query, body, headers: headers, now: clock.now()))
    if response.status == 401, refusal(in: response) == .clockSkew, let date = response.headers["date"],
      let theirs = HTTPDate.milliseconds(date)
    {
      return try checked(try await send(request(route, query: query, body, headers: headers, now: theirs)))
    }
    return try checked(response)
  }

  private func send(_ request: CloudRequest) async throws -> CloudResponse {
    let response = try await transport.send(request)
    try checkSender(response.status, response.headers)
    return response
  }

  /// A request, signed for this time.
  func request(
    _ route: Route, query: String = "", _ body: [UInt8] = [], headers: [String: String] = [:], now: Int64
  ) -> CloudRequest {
    var request = CloudRequest(
      method: route.method, authority: authority, path: route.path, headers: headers, body: body)
    request.query = query
    request.headers["todo-protocol"] = String(protocolVersion)
    if let signer {
      RequestSignature.sign(&request, as: signer.caller, with: signer.key, now: now, entropy)
    }
    return request
  }

  /// Throws where this protocol's server is not who answered.
  func checkSender(_ status: Int, _ headers: [String: String]) throws(CloudFailure) {
    guard let version = headers["todo-protocol"].flatMap({ Int($0) }) else {
      // A proxy says so of a server that is away just now (RFC 9110 §15.6).
      if status == 413 { throw .tooLarge }
      throw [502, 503, 504].contains(status) ? .unreachable : .nonsense
    }
    guard version <= protocolVersion || Defence.protocolVersion.isDown else { throw .serverNewer }
  }

  private func checked(_ response: CloudResponse) throws -> [UInt8] {
    if [200, 201, 204, 206].contains(response.status) { return response.body }
    guard let refusal = refusal(in: response) else { throw CloudFailure.nonsense }
    throw refusal == .clientTooOld ? CloudFailure.serverNewer : CloudFailure.refused(refusal)
  }

  func refusal(in response: CloudResponse) -> Refusal? {
    guard let problem = try? WireProblem(serializedBytes: response.body) else { return nil }
    return Refusal(told: problem.reason)
  }
}
