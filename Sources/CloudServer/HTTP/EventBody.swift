import CloudAPI
import HummingbirdCore
import NIOCore
import Signing

/// Carries one subscription over HTTP (spec §6.5): what the listener may know at first, then what happens, and comments between.
struct EventBody: Sendable {
  let responder: CloudResponder
  let subscription: BranchSubscription
  let channel: any Channel

  private var limits: HTTPLimits { responder.limits }

  /// Writes until the listener goes, the subscription ends, or its time is over. A listener that does not read holds this up, and
  /// what happens meanwhile comes together, each branch once.
  func write(to writer: inout any ResponseBodyWriter) async throws {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    subscription.onReady { signal.yield() }
    let beats = beats { signal.yield() }
    defer { beats.cancel() }
    try await writeHeads(to: &writer)
    let end = ContinuousClock.now + .seconds(limits.streamSeconds)
    for await _ in signals {
      if subscription.isOver || ContinuousClock.now >= end { break }
      let events = subscription.take()
      try await writer.write(ByteBuffer(string: events.isEmpty ? BranchEvent.heartbeat : Self.text(events)))
    }
  }

  private func writeHeads(to writer: inout any ResponseBodyWriter) async throws {
    // So that even who may read nothing learns that the stream is open.
    try await writer.write(ByteBuffer(string: BranchEvent.heartbeat))
    var last: CloudID?
    while true {
      let (cloud, subscription) = (responder.cloud, subscription)
      let heads = try await responder.inTurn(
        { .account(subscription.caller.user) }, { [last] in cloud.heads(for: subscription, after: last) })
      // Whoever opens so many at once comes again.
      guard let heads else { return subscription.end() }
      guard let end = heads.last else { return }
      try await writer.write(ByteBuffer(string: Self.text(heads)))
      last = end.branch
    }
  }

  private static func text(_ events: [BranchEvent]) -> String { events.map(\.encoded).joined() }

  private func beats(_ beat: @escaping @Sendable () -> Void) -> RepeatedTask {
    let pause = TimeAmount.seconds(limits.heartbeatSeconds)
    return channel.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in beat() }
  }
}
