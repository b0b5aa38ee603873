import AsyncHTTPClient
public import CloudAPI
import Foundation
import NIOCore
import NIOHTTP1

/// Carries requests to a server over HTTP/1.1. It follows no redirects and unpacks nothing: a todo server sends neither.
public final class HTTPTransport: CloudTransport {
  /// Where requests go.
  public let server: ServerAddress

  /// Of an answer: four leaves of a file are longer than a page of 1 MiB and its lines.
  private static let answerBytes = max(Limits.rangeBytes, 4 * 1024 * 1024)

  /// One for the process, as long as it lives: connections are shared, and nobody has to remember to close it. An event stream is never
  /// silent for so long, nor a file that comes; other answers have a deadline of their own.
  private static let client = makeClient(silence: .seconds(45))

  /// For parts of files. What lies in the system's buffers counts as sent, so that a slow network is silent long before all has gone: only
  /// the deadline ends that.
  private static let patientClient = makeClient(silence: nil)

  private static func makeClient(silence: TimeAmount?) -> HTTPClient {
    var configuration = HTTPClient.Configuration(
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(5), read: silence, write: .seconds(30)),
      // Shorter than the server keeps an idle connection, so that a request does not meet a closing one.
      connectionPool: .init(idleTimeout: .seconds(15)))
    configuration.httpVersion = .http1Only
    // A refused connection is an answer: people should not wait for the deadline when nothing listens there.
    configuration.connectionPool.retryConnectionEstablishment = false
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }

  /// Connects when the first request is sent.
  public init(server: ServerAddress) { self.server = server }

  /// The same for a text that names a server.
  public convenience init(server text: String) throws(ServerAddress.Failure) {
    self.init(server: try ServerAddress(text))
  }

  public func send(_ request: CloudRequest) async throws -> CloudResponse {
    let (client, deadline) = Self.patience(with: request)
    return try await Self.naming { try await answer(to: outgoing(request), client, within: deadline) }
  }

  /// The deadline is as long as the server lets a request take; a part of a file is large.
  private static func patience(with request: CloudRequest) -> (HTTPClient, deadline: TimeAmount) {
    if case .filePart? = Route(method: request.method, path: request.path) { return (patientClient, .minutes(10)) }
    return (client, .seconds(30))
  }

  private func outgoing(_ request: CloudRequest) -> HTTPClientRequest {
    let query = request.query.isEmpty ? "" : "?\(request.query)"
    var outgoing = HTTPClientRequest(url: "\(server)\(request.path)\(query)")
    outgoing.method = HTTPMethod(rawValue: request.method)
    for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
    outgoing.headers.add(name: "host", value: request.authority)
    if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
    return outgoing
  }

  private static func naming<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw CloudFailure.unreachable
    }
  }

  private static func headers(of response: HTTPClientResponse) -> [String: String] {
    var headers: [String: String] = [:]
    for (name, value) in response.headers { headers[name.lowercased()] = value }
    return headers
  }

  /// The deadline is the whole exchange's, the answer's body included.
  private func answer(
    to request: HTTPClientRequest, _ client: HTTPClient, within deadline: TimeAmount
  ) async throws -> CloudResponse {
    try await withThrowingTaskGroup(of: CloudResponse.self) { group in
      group.addTask {
        let response = try await client.execute(request, timeout: deadline)
        let body = try await response.body.collect(upTo: Self.answerBytes)
        return CloudResponse(
          status: Int(response.status.code), headers: Self.headers(of: response), body: Array(body.readableBytesView))
      }
      group.addTask {
        try await Task.sleep(for: .nanoseconds(deadline.nanoseconds))
        throw CloudFailure.unreachable
      }
      defer { group.cancelAll() }
      guard let response = try await group.next() else { throw CloudFailure.unreachable }
      return response
    }
  }
}

extension HTTPTransport: CloudStreaming {
  /// The deadline is the head's. The body goes on until either side ends it, or is silent for too long.
  public func stream(_ request: CloudRequest) async throws -> CloudStream {
    try await Self.naming {
      let response = try await Self.client.execute(outgoing(request), timeout: .seconds(30))
      return CloudStream(
        status: Int(response.status.code), headers: Self.headers(of: response),
        chunks: Chunks(body: response.body))
    }
  }

  /// A stream that was cut off is a server that cannot be reached.
  private struct Chunks: AsyncSequence, Sendable {
    let body: HTTPClientResponse.Body

    struct Iterator: AsyncIteratorProtocol {
      var body: HTTPClientResponse.Body.AsyncIterator

      mutating func next() async throws -> [UInt8]? {
        do {
          return try await body.next().map { Array($0.readableBytesView) }
        } catch is CancellationError {
          throw CancellationError()
        } catch {
          throw CloudFailure.unreachable
        }
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: body.makeAsyncIterator()) }
  }
}
