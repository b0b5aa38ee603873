public import CloudAPI
public import CloudServer
import Signing

/// Carries requests to a server in the same process, and fails where a test says so.
public final class InProcessTransport: CloudTransport {
  /// What happens to a request.
  public enum Fate: Sendable {
    case delivered
    /// The server never sees it.
    case lost
    /// The server acts, and its answer is lost.
    case replyLost
  }

  private let cloud: Locked<Cloud?>
  private let fate: Locked<@Sendable (CloudRequest) -> Fate>
  private let tamper: Locked<@Sendable (CloudRequest, CloudResponse) -> CloudResponse>
  private let standIn: Locked<@Sendable (CloudRequest) -> CloudResponse?>
  /// What event streams say; nil: what the server says, for as long as it has something to say.
  private let streams = Locked<(@Sendable ([UInt8]) -> [[UInt8]])?>(nil)
  /// Every request that was sent, and its answer, in order.
  public let traffic = Locked<[(request: CloudRequest, response: CloudResponse?)]>([])

  public init(_ cloud: Cloud?) {
    self.cloud = Locked(cloud)
    fate = Locked { _ in .delivered }
    tamper = Locked { _, response in response }
    standIn = Locked { _ in nil }
  }

  /// Nil: the server is down.
  public func setCloud(_ cloud: Cloud?) { self.cloud.with { $0 = cloud } }
  public func setFate(_ fate: @escaping @Sendable (CloudRequest) -> Fate) { self.fate.with { $0 = fate } }
  /// Lets a test stand between client and server and change the answers.
  public func setTamper(_ tamper: @escaping @Sendable (CloudRequest, CloudResponse) -> CloudResponse) {
    self.tamper.with { $0 = tamper }
  }
  /// Lets a test answer in the server's place, which then does not see the request.
  public func setStandIn(_ standIn: @escaping @Sendable (CloudRequest) -> CloudResponse?) {
    self.standIn.with { $0 = standIn }
  }

  /// Lets a test write something else into event streams than where the branches are, which the server says first. They end then.
  public func setStreams(_ streams: @escaping @Sendable ([UInt8]) -> [[UInt8]]) { self.streams.with { $0 = streams } }

  private func lot(of request: CloudRequest) -> Fate { fate.with { $0 }(request) }

  public func send(_ request: CloudRequest) async throws -> CloudResponse {
    let fate = lot(of: request)
    guard fate != .lost, let cloud = cloud.with({ $0 }) else {
      traffic.with { $0.append((request, nil)) }
      throw CloudFailure.unreachable
    }
    let response = tamper.with { $0 }(request, standIn.with { $0 }(request) ?? cloud.handle(request))
    traffic.with { $0.append((request, response)) }
    guard fate == .delivered else { throw CloudFailure.unreachable }
    return response
  }
}

extension InProcessTransport: CloudStreaming {
  public func stream(_ request: CloudRequest) async throws -> CloudStream {
    guard Route(method: request.method, path: request.path) == .events else {
      return Self.stream(try await send(request))
    }
    guard lot(of: request) != .lost, let cloud = cloud.with({ $0 }) else { throw CloudFailure.unreachable }
    switch cloud.listen(request) {
    case .refused(let response): return Self.stream(response)
    case .admitted(let response, let subscription):
      let told = tamper.with { $0 }(request, response)
      let chunks = Self.chunks(of: subscription, in: cloud, as: streams.with { $0 })
      return CloudStream(status: told.status, headers: told.headers, chunks: chunks)
    }
  }

  /// An answer that is here already, bit by bit.
  private static func stream(_ response: CloudResponse) -> CloudStream {
    let (chunks, writer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    for start in stride(from: 0, to: response.body.count, by: 100_000) {
      writer.yield(Array(response.body[start..<min(start + 100_000, response.body.count)]))
    }
    writer.finish()
    return CloudStream(status: response.status, headers: response.headers, chunks: chunks)
  }

  private static func chunks(
    of subscription: BranchSubscription, in cloud: Cloud, as told: (@Sendable ([UInt8]) -> [[UInt8]])?
  ) -> AsyncThrowingStream<[UInt8], any Error> {
    let (chunks, writer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    var last: CloudID?
    while case let heads = cloud.heads(for: subscription, after: last), let end = heads.last {
      last = end.branch
      let honest = Array(heads.map(\.encoded).joined().utf8)
      for chunk in told?(honest) ?? [honest] { writer.yield(chunk) }
    }
    if told != nil {
      cloud.endListening(subscription)
      writer.finish()
      return chunks
    }
    subscription.onReady {
      let events = subscription.take()
      if !events.isEmpty { writer.yield(Array(events.map(\.encoded).joined().utf8)) }
      if subscription.isOver { writer.finish() }
    }
    // A subscription that ends calls back: only outside of the stream's own lock.
    writer.onTermination = { reason in
      if case .cancelled = reason { cloud.endListening(subscription) }
    }
    return chunks
  }
}

extension InProcessTransport {
  /// The operations of every batch that was sent, in order, whether or not it arrived.
  package var sentOperations: [WireOperation] {
    traffic.with { $0 }.filter { $0.request.path == Route.batch.path }
      .flatMap { (try? decode(WireBatch.self, $0.request.body).operations) ?? [] }
  }

  /// Forgets the traffic so far.
  public func clearTraffic() { traffic.with { $0 = [] } }

  /// Lets one request, the `number`th from now that `isMeant` picks, meet a fate; all others are delivered.
  /// Returns whether it came to that.
  public func setFate(
    _ fate: Fate, ofRequest number: Int, where isMeant: @escaping @Sendable (CloudRequest) -> Bool = { _ in true }
  ) -> Locked<Int> {
    let count = Locked(0)
    setFate { request in
      guard isMeant(request) else { return .delivered }
      return count.with { count in
        count += 1
        return count == number ? fate : .delivered
      }
    }
    return count
  }
}
