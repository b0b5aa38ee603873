/// An answer whose body comes bit by bit and does not end by itself.
public struct CloudStream: Sendable {
  public let status: Int
  /// Lower-case names.
  public let headers: [String: String]
  public let chunks: any AsyncSequence<[UInt8], any Error> & Sendable

  public init(status: Int, headers: [String: String], chunks: any AsyncSequence<[UInt8], any Error> & Sendable) {
    self.status = status
    self.headers = headers
    self.chunks = chunks
  }
}

/// Opens streams: over HTTP in CloudClient, within the process in tests.
public protocol CloudStreaming: Sendable {
  /// Throws `CloudFailure.unreachable` where no answer came, or where the stream was cut off.
  func stream(_ request: CloudRequest) async throws -> CloudStream
}

/// What the server says while a stream is open. It ends when the server closes the stream, and throws when it is cut off.
public struct CloudEvents: AsyncSequence, Sendable {
  private let chunks: any AsyncSequence<[UInt8], any Error> & Sendable

  package init(chunks: any AsyncSequence<[UInt8], any Error> & Sendable) { self.chunks = chunks }

  public func makeAsyncIterator() -> Iterator { Iterator(chunks: Self.iterator(of: chunks)) }

  private static func iterator<Chunks: AsyncSequence<[UInt8], any Error>>(
    of chunks: Chunks
  ) -> any AsyncIteratorProtocol<[UInt8], any Error> { chunks.makeAsyncIterator() }

  /// The events that came together, in the order in which they came; an empty array for a sign of life.
  public struct Iterator: AsyncIteratorProtocol {
    private var chunks: any AsyncIteratorProtocol<[UInt8], any Error>
    private var parser = EventParser()

    init(chunks: any AsyncIteratorProtocol<[UInt8], any Error>) { self.chunks = chunks }

    public mutating func next() async throws -> [BranchEvent]? {
      guard let bytes = try await chunks.next() else { return nil }
      return try parser.take(bytes)
    }
  }
}

extension CloudConnection {
  /// Opens the event stream (spec §6.5).
  public func events(over streaming: some CloudStreaming) async throws -> CloudEvents {
    CloudEvents(chunks: try await open(.events, over: streaming, expecting: 200).chunks)
  }

  /// Opens an answer that is not held in memory as a whole. A clock that the server finds wrong is corrected once.
  func open(
    _ route: Route, headers: [String: String] = [:], over streaming: some CloudStreaming, expecting status: Int
  ) async throws -> CloudStream {
    let stream = try await open(streaming, request(route, headers: headers, now: clock.now()))
    if stream.status == status { return stream }
    let refusal = refusal(in: try await Self.body(of: stream))
    guard refusal == .clockSkew, let date = stream.headers["date"], let theirs = HTTPDate.milliseconds(date) else {
      throw refusal.map { .refused($0) } ?? CloudFailure.nonsense
    }
    let again = try await open(streaming, request(route, headers: headers, now: theirs))
    guard again.status == status else { throw CloudFailure.refused(.clockSkew) }
    return again
  }

  private func open(_ streaming: some CloudStreaming, _ request: CloudRequest) async throws -> CloudStream {
    let stream = try await streaming.stream(request)
    try checkSender(stream.status, stream.headers)
    return stream
  }

  /// A problem is short; whatever else this is, no more of it is read.
  private static func body(of stream: CloudStream) async throws -> CloudResponse {
    var body: [UInt8] = []
    for try await chunk in stream.chunks {
      body += chunk
      guard body.count <= Limits.headBytes else { throw CloudFailure.nonsense }
    }
    return CloudResponse(status: stream.status, headers: stream.headers, body: body)
  }
}
