import CloudAPI
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix
import SwiftProtobuf

/// Turns HTTP requests into ours and back. Storage blocks, so the work is done on other threads than the network's.
struct CloudResponder: HTTPResponder {
  /// Of a request: its connection too, because a stream ends with it.
  struct Context: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
      coreContext = CoreRequestContextStorage(source: source)
      channel = source.channel
    }
  }

  let cloud: Cloud
  let threads: NIOThreadPool
  /// On these threads.
  let turns: Turns
  let limits: HTTPLimits
  let logger: Logger

  init(cloud: Cloud, threads: NIOThreadPool, limits: HTTPLimits, logger: Logger) {
    (self.cloud, self.threads, self.limits, self.logger) = (cloud, threads, limits, logger)
    turns = Turns { job in threads.submit { _ in job() } }
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    let start = ContinuousClock.now
    switch Route(method: request.method.rawValue, path: request.head.pathWithoutQuery) {
    case .filePart: return try await receive(request, start)
    case .content: return try await open(request, start)
    default: break
    }
    let response: CloudResponse
    let ours: CloudRequest?
    var limit = Limits.bodyBytes
    // What is short is taken as it is: judging its head costs as much.
    if request.headers[.contentLength].flatMap({ Int($0) }).map({ $0 > ServerLimits.shortBodyBytes })
      ?? (request.headers[.transferEncoding] != nil)
    {
      let head = Self.request(request)
      switch try await threads.runIfActive({ cloud.judgeHead(head) }) {
      case .taken(let most): limit = most
      case .refused(let response):
        // Taken and not kept: whoever is still sending would not hear the answer.
        for try await _ in request.body {}
        log(head, response, ContinuousClock.now - start)
        return Self.response(response)
      }
    }
    if let body = try? await request.body.collect(upTo: limit) {
      let peer = context.channel.remoteAddress
      let request = Self.request(request, Array(body.readableBytesView), from: peer, limits.proxies)
      ours = request
      if Route(method: request.method, path: request.path) == .events {
        return try await listen(request, context.channel, start)
      }
      response = try await answer(request)
    } else {
      ours = nil
      response = cloud.response(to: .tooLong)
    }
    log(ours, response, ContinuousClock.now - start)
    return Self.response(response)
  }

  private func answer(_ request: CloudRequest) async throws -> CloudResponse {
    // Whoever asks whether the server lives is told so, whatever waits.
    if Route(method: request.method, path: request.path) == .health { return cloud.handle(request) }
    return try await inTurn(of: request) { cloud.handle(request) } ?? cloud.response(to: Problem(.tooMany))
  }

  /// Works for whoever sent a request when it is their turn; nil, and nothing was done, where too much of theirs waits already.
  func inTurn<T: Sendable>(of request: CloudRequest, _ work: @escaping @Sendable () -> T) async throws -> T? {
    try await inTurn({ cloud.party(of: request) }, work)
  }

  /// The same for a party that may be known already.
  func inTurn<T: Sendable>(
    _ party: @escaping @Sendable () -> Party, _ work: @escaping @Sendable () -> T
  ) async throws -> T? {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T?, any Error>) in
      threads.submit { state in
        guard case .active = state else { return continuation.resume(throwing: CancellationError()) }
        if !turns.take({ continuation.resume(returning: work()) }, of: party()) { continuation.resume(returning: nil) }
      }
    }
  }

  static func response(_ response: CloudResponse) -> Response {
    Response(
      status: .init(code: response.status), headers: response.fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
  }

  /// A stream is logged when it ends, with the time that it was open.
  private func listen(
    _ request: CloudRequest, _ channel: any Channel, _ start: ContinuousClock.Instant
  ) async throws -> Response {
    switch try await inTurn(of: request, { cloud.listen(request) }) ?? .refused(cloud.response(to: Problem(.tooMany))) {
    case .refused(let response):
      log(request, response, ContinuousClock.now - start)
      return Self.response(response)
    case .admitted(let response, let subscription):
      // Whatever becomes of the answer: with the connection its place is free again.
      channel.closeFuture.whenComplete { _ in cloud.endListening(subscription) }
      let body = EventBody(responder: self, subscription: subscription, channel: channel)
      var fields = response.fields
      fields[.contentLength] = nil
      return Response(
        status: .ok, headers: fields,
        body: ResponseBody { writer in
          defer {
            cloud.endListening(subscription)
            log(request, response, ContinuousClock.now - start)
          }
          var any: any ResponseBodyWriter = writer
          try await body.write(to: &any)
          try await writer.finish(nil)
        })
    }
  }

  static func request(
    _ request: Request, _ body: [UInt8] = [], from peer: SocketAddress? = nil, _ proxies: [AddressRange] = []
  ) -> CloudRequest {
    var headers: [String: String] = [:]
    for name in ["todo-protocol", "content-digest", "signature-input", "signature", "range"] {
      headers[name] = request.headers[name]
    }
    var ours = CloudRequest(
      method: request.method.rawValue, authority: request.head.authority?.lowercased() ?? "",
      path: request.head.pathWithoutQuery, headers: headers, body: body)
    ours.query = request.head.query
    let field = { (name: String) in HTTPField.Name(name).flatMap { request.headers[$0] } }
    ours.origin = Origin.of(peer: peer?.ipAddress, forwarded: field("x-forwarded-for"), proxies: proxies)
    ours.isLocal = Origin.isLocal(peer: peer?.ipAddress, authority: ours.authority, field: field)
    return ours
  }

  /// Method, route, status and time, and nothing that a person typed or that names anyone.
  func log(_ request: CloudRequest?, _ response: CloudResponse, _ time: Duration) {
    let route = request.flatMap { Route(method: $0.method, path: $0.path) }
    let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    let line = "\(route?.method ?? "-") \(route?.name ?? "unknown") \(response.status) \(milliseconds) ms"
    // An account that is full is its user's trouble; they could fill the log with it.
    let isFull =
      response.status == 507
      && (try? WireProblem(serializedBytes: response.body))?.reason == Refusal.quotaExceeded.rawValue
    let isOurs = response.status >= 500 && !isFull
    logger.log(level: isOurs ? .error : .info, "\(line)")
  }
}

extension Route {
  /// The route without what stands in its path.
  var name: String {
    switch self {
    case .health: "health"
    case .accounts: "accounts"
    case .handle: "handles"
    case .keyrings: "keyrings"
    case .keyringAppend: "keyrings/append"
    case .logins: "logins"
    case .loginPoll: "logins/poll"
    case .openLogins: "logins/open"
    case .loginAnswer: "logins/answer"
    case .heads: "heads"
    case .pull: "pull"
    case .newest: "newest"
    case .permissions: "permissions"
    case .restore: "restore"
    case .batch: "batch"
    case .events: "events"
    case .content: "contents"
    case .leaves: "contents/leaves"
    case .upload, .abandonedUpload: "files"
    case .filePart: "files/part"
    }
  }
}
