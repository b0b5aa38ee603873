import CloudAPI
import Synchronization

/// A way to a server that notices how long the server has owed an answer: one that takes connections and says nothing is no
/// error for half a minute, and people wonder sooner.
final class AnswerClock: CloudTransport, CloudStreaming {
  private struct State {
    var next = 0
    /// From when on an answer is owed, for each request and stream.
    var due: [Int: ContinuousClock.Instant] = [:]
    var answers = 0
  }

  /// An open stream says something every 20 seconds (spec §6.5).
  private static let streamPause = Duration.seconds(25)

  private let transport: any CloudTransport & CloudStreaming
  private let state = Mutex(State())

  init(_ transport: any CloudTransport & CloudStreaming) { self.transport = transport }

  /// For how long the server has owed an answer; zero where it owes none.
  var silence: Duration {
    let oldest = state.withLock { $0.due.values.min() }
    return oldest.map { max(.zero, ContinuousClock.now - $0) } ?? .zero
  }

  /// How often the server has said something.
  var answers: Int { state.withLock { $0.answers } }

  func send(_ request: CloudRequest) async throws -> CloudResponse {
    try await timed(from: .now) { try await transport.send(request) }
  }

  func stream(_ request: CloudRequest) async throws -> CloudStream {
    let stream = try await timed(from: .now) { try await transport.stream(request) }
    return CloudStream(
      status: stream.status, headers: stream.headers, chunks: Self.chunks(stream.chunks, timedBy: self))
  }

  /// Keeps the time until `body` has an answer.
  fileprivate func timed<Answer>(
    from due: ContinuousClock.Instant, _ body: () async throws -> Answer
  ) async throws -> Answer {
    let number = state.withLock { state in
      state.next += 1
      state.due[state.next] = due
      return state.next
    }
    defer { state.withLock { $0.due[number] = nil } }
    let answer = try await body()
    state.withLock { $0.answers += 1 }
    return answer
  }

  private static func chunks<Base: AsyncSequence<[UInt8], any Error> & Sendable>(
    _ base: Base, timedBy clock: AnswerClock
  ) -> any AsyncSequence<[UInt8], any Error> & Sendable { Chunks(base: base, clock: clock) }

  private struct Chunks<Base: AsyncSequence<[UInt8], any Error> & Sendable>: AsyncSequence, Sendable {
    let base: Base
    let clock: AnswerClock

    struct Iterator: AsyncIteratorProtocol {
      var base: Base.AsyncIterator
      let clock: AnswerClock

      mutating func next() async throws -> [UInt8]? {
        try await clock.timed(from: .now + AnswerClock.streamPause) { try await base.next() }
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), clock: clock) }
  }
}
