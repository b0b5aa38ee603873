import CloudAPI
import HTTPTypes
import NIOCore
import NIOHTTPTypes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Watches one connection, beneath everything that awaits: cuts off requests that are slow, long or overlap.
///
/// Hummingbird has no deadline of its own that a trickle of bytes does not renew. This sees each part as it
/// comes and goes, and a clock; once a limit is broken it answers, if nothing answered yet, and closes.
final class ConnectionWatch: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  private let limits: HTTPLimits
  private let places: ConnectionPlaces
  private var hasPlace = false
  /// By what its place is counted.
  private var origin: String?
  /// The answer to a request that is cut off.
  private let answer: @Sendable (Problem) -> CloudResponse
  private var ticks: RepeatedTask?
  private var isReading = false
  private var isAnswering = false
  private var hasAnswered = false
  private var isCutOff = false
  /// What is sent does not end by itself.
  private var isStreaming = false
  /// Of a stream, how many writes the network has not taken.
  private var untaken = 0
  private var since = NIODeadline.now()
  private var received: Int64 = 0
  /// Of an answer, how many bytes the network has taken.
  private var taken: Int64 = 0
  private var longestBody = Limits.bodyBytes
  private var longestRequest: Int64

  init(limits: HTTPLimits, places: ConnectionPlaces, answer: @escaping @Sendable (Problem) -> CloudResponse) {
    self.limits = limits
    self.places = places
    longestRequest = limits.requestSeconds
    self.answer = answer
  }

  func handlerAdded(context: ChannelHandlerContext) {
    since = .now()
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(250), delay: .milliseconds(250)) { _ in
      let (watch, context) = bound.value
      watch.tick(context)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelActive(context: ChannelHandlerContext) {
    let peer = context.channel.remoteAddress?.ipAddress
    origin = Origin.ofConnection(
      peer: peer, countingLoopback: limits.countsLoopback, proxies: limits.proxies)
    hasPlace = places.take(for: origin)
    context.fireChannelActive()
    if hasPlace { return }
    isCutOff = true
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  private func end() {
    ticks?.cancel()
    if hasPlace { places.free(origin) }
    hasPlace = false
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isCutOff else { return }
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head, context)
    case .body(let buffer): receive(Int64(buffer.readableBytes), context)
    case .end: endReading()
    }
    if !isCutOff { context.fireChannelRead(data) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isCutOff else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(var head):
      hasAnswered = true
      isStreaming = head.headerFields[.contentType] == "text/event-stream"
      if isStreaming { endWhenPeerIsGone(context) }
      // What the HTTP library answers by itself, to bytes that are no HTTP, is an answer of ours too.
      for (name, value) in answer(.init(.malformed)).headers where name != "content-type" {
        if head.headerFields[name] == nil { head.headerFields[name] = value }
      }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body(let buffer):
      context.write(data, promise: watched(promise, buffer.readableBytes, context))
    case .end:
      context.write(data, promise: promise)
      endAnswer(context)
    }
  }

  /// A server that is to stop waits for what it answers; a stream would keep it for ever.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent, isStreaming { endStream(context) }
    context.fireUserInboundEventTriggered(event)
  }

  private func endStream(_ context: ChannelHandlerContext) {
    guard !isCutOff else { return }
    isCutOff = true
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }

  /// Signs of life are so short that the kernel takes them for a peer that has long gone; it is told to give up earlier than it does.
  private func endWhenPeerIsGone(_ context: ChannelHandlerContext) {
    let option = ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_USER_TIMEOUT))
    _ = context.channel.setOption(option, value: Int(limits.stallSeconds * 1000))
  }

  /// Counts a write until the network has taken it.
  private func watched(
    _ promise: EventLoopPromise<Void>?, _ bytes: Int, _ context: ChannelHandlerContext
  ) -> EventLoopPromise<Void> {
    let promise = promise ?? context.eventLoop.makePromise()
    if isStreaming, untaken == 0 { since = .now() }
    untaken += 1
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    promise.futureResult.whenComplete { _ in bound.value.wasTaken(bytes) }
    return promise
  }

  private func wasTaken(_ bytes: Int) {
    untaken -= 1
    taken += Int64(bytes)
    if isStreaming { since = .now() }
  }

  private func begin(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
    // Nobody who speaks our protocol sends a request before the answer to the one before.
    guard !isReading, !isAnswering else { return cutOff(.init(.malformed), context) }
    (isReading, isAnswering, hasAnswered, received, since) = (true, true, false, 0, .now())
    (isStreaming, untaken, taken) = (false, 0, 0)
    (longestBody, longestRequest) = (Limits.bodyBytes, limits.requestSeconds)
    if case .filePart? = Route(method: head.method.rawValue, path: head.pathWithoutQuery) {
      (longestBody, longestRequest) = (Limits.partBytes, limits.partSeconds)
    }
    let bytes = head.headerFields.reduce(head.path?.utf8.count ?? 0) {
      $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4
    }
    let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
    if bytes > Limits.headBytes || length > longestBody { cutOff(.tooLong, context) }
  }

  private func receive(_ bytes: Int64, _ context: ChannelHandlerContext) {
    received += bytes
    if received > Int64(longestBody) { cutOff(.tooLong, context) }
  }

  private func endReading() {
    isReading = false
    since = .now()
  }

  private func endAnswer(_ context: ChannelHandlerContext) {
    isAnswering = false
    isStreaming = false
    since = .now()
    guard isReading else { return }
    // It was answered before it was whole. What is still to come is not waited for.
    isCutOff = true
    context.flush()
    context.close(promise: nil)
  }

  private func tick(_ context: ChannelHandlerContext) {
    guard !isCutOff, context.channel.isActive else { return }
    let elapsed = (NIODeadline.now() - since).nanoseconds
    let seconds = elapsed / 1_000_000_000
    if isReading {
      let due = max(0, elapsed / 1_000_000 - limits.graceSeconds * 1000) * limits.bytesPerSecond / 1000
      if seconds >= longestRequest || received < due { cutOff(.init(.tooSlow), context) }
    } else if isStreaming {
      guard untaken > 0, seconds >= limits.stallSeconds else { return }
      isCutOff = true
      context.close(promise: nil)
    } else if seconds >= (isAnswering ? limits.answerSeconds + taken / limits.bytesPerSecond : places.headSeconds) {
      isCutOff = true
      context.close(promise: nil)
    }
  }

  private func cutOff(_ problem: Problem, _ context: ChannelHandlerContext) {
    guard !isCutOff else { return }
    isCutOff = true
    if !hasAnswered {
      let response = answer(problem)
      var head = HTTPResponse(status: .init(code: response.status), headerFields: response.fields)
      head.headerFields[.connection] = "close"
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(ByteBuffer(bytes: response.body))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
    context.close(promise: nil)
  }
}

extension HTTPRequest {
  /// What a route is told by.
  var pathWithoutQuery: String { String((path ?? "").prefix { $0 != "?" }) }

  /// What is asked beside the path.
  var query: String { String((path ?? "").drop { $0 != "?" }.dropFirst()) }
}

extension HTTPFields {
  /// A field of ours; a name that is none is left out.
  subscript(name: String) -> String? {
    get { HTTPField.Name(name).flatMap { self[$0] } }
    set { if let field = HTTPField.Name(name) { self[field] = newValue } }
  }
}

extension CloudResponse {
  /// Its headers and length as HTTP has them.
  var fields: HTTPFields {
    var fields = HTTPFields()
    for (name, value) in headers { fields[name] = value }
    fields[.contentLength] = String(body.count)
    return fields
  }
}
