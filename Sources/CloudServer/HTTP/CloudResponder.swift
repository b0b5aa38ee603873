import CloudAPI
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOPosix

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
  let limits: HTTPLimits
  let logger: Logger

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
      response = try await threads.runIfActive { cloud.handle(request) }
    } else {
      ours = nil
      response = cloud.response(to: .tooLong)
    }
    log(ours, response, ContinuousClock.now - start)
    return Self.response(response)
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
    switch try await threads.runIfActive({ cloud.listen(request) }) {
    case .refused(let response):
      log(request, response, ContinuousClock.now - start)
      return Self.response(response)
    case .admitted(let response, let subscription):
      // Whatever becomes of the answer: with the connection its place is free again.
      channel.closeFuture.whenComplete { _ in cloud.endListening(subscription) }
      let body = EventBody(
        cloud: cloud, subscription: subscription, threads: threads, channel: channel, limits: limits)
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
    logger.log(level: response.status >= 500 ? .error : .info, "\(line)")
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
