import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What comes down comes leaf by leaf: however slow the way is, and wherever it ends, what came is kept.
@Suite struct StreamTests {
  let home: Household
  let gate: Gate
  let file: NodeFile
  let node: NodeID
  var bob: Device { home.bob }

  init() async throws {
    home = try await Household()
    gate = Gate(home.bob.transport)
    (file, node) = try await home.shared(3_000_000)
  }

  private func session() -> CloudSession {
    CloudSession(database: bob.database, transport: gate, authority: "test", app: TodoDelegate())
  }

  @Test func everyLeafThatCameIsKept() async throws {
    let leaf = Int(FileChunk.sealedLeafSize)
    for (round, kept) in [(1, 0), (2, leaf), (3, 2 * leaf)] {
      // Cut off in the midst of the next leaf.
      gate.cut.with { $0 = leaf + leaf / 2 * (round == 1 ? -1 : 1) }
      await #expect(throws: CloudFailure.unreachable) { try await session().fetchFile(.data, of: node) }
      #expect(try bob.size(.cache) == Int64(kept))
    }
    gate.cut.with { $0 = nil }
    try await session().fetchFile([.metadata, .thumbnail, .data], of: node)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(3_000_000)))
  }

  @Test func nothingOfAFileHasToComeWithinTheTimeOfAnAnswer() async throws {
    try await session().fetchFile([.metadata, .thumbnail, .data], of: node)
    #expect(gate.answers.with { $0 }.filter { $0.hasPrefix("/v1/contents/") && !$0.hasSuffix("/leaves") } == [])
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(3_000_000)))
  }

  @Test func whoAsksAfterSomebodyCancelledIsNotCancelled() async throws {
    let session = session()
    gate.isClosed.with { $0 = true }
    let first = Task { [node] in try await session.fetchFile(.data, of: node) }
    try await gate.reached(1)
    first.cancel()
    try await Task.sleep(for: .milliseconds(200))
    let second = Task { [node] in try await session.fetchFile(.data, of: node) }
    try await gate.reached(2)
    gate.isClosed.with { $0 = false }
    try await second.value
    await #expect(throws: (any Error).self) { try await first.value }
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(3_000_000)))
  }

  @Test func aTransferAndSomebodyWhoAsksFetchItOnce() async throws {
    let session = session()
    try bob.database.write { try $0.markFileAsNeedsDownload(node, components: .data) }
    gate.isClosed.with { $0 = true }
    let transfer = Task { try await session.transferFiles() }
    try await gate.reached(1)
    let asked = Task { [node] in try await session.fetchFile(.data, of: node) }
    try await Task.sleep(for: .milliseconds(200))
    gate.isClosed.with { $0 = false }
    #expect(try await transfer.value.fetched == 1)
    try await asked.value
    #expect(gate.streams.with { $0 } == 1)
  }

  @Test func aTodoThatGoesWhileItsImageComesEndsTheFetch() async throws {
    let big = try home.alice.attach(9_000_000)
    for device in [home.alice, bob] { try await device.syncAll() }
    let image = try #require(try bob.image())
    #expect(image.file == big)
    let todo = try bob.todo()
    gate.isClosed.with { $0 = true }
    let session = session()
    let fetch = Task { try await session.fetchFile(.data, of: image.node) }
    try await gate.reached(1)
    try bob.database.write { try $0.delete(todo.node) }
    try bob.database.diskStore.tidy()
    gate.isClosed.with { $0 = false }
    await #expect(throws: TreeError.noSuchNode) { try await fetch.value }
    #expect(gate.streams.with { $0 } == 1)
    try bob.database.diskStore.tidy()
    #expect((try? FileManager.default.contentsOfDirectory(atPath: bob.path + ".files")) ?? [] == [])
  }
}

/// A way to the server on which streams wait, or are cut off.
final class Gate: CloudTransport, CloudStreaming {
  private let inner: InProcessTransport
  /// After how many bytes of a stream nothing comes any more.
  let cut = Locked<Int?>(nil)
  let isClosed = Locked(false)
  let streams = Locked(0)
  /// The paths that were asked for as whole answers.
  let answers = Locked<[String]>([])

  init(_ inner: InProcessTransport) { self.inner = inner }

  func send(_ request: CloudRequest) async throws -> CloudResponse {
    answers.with { $0.append(request.path) }
    return try await inner.send(request)
  }

  func stream(_ request: CloudRequest) async throws -> CloudStream {
    streams.with { $0 += 1 }
    // Whoever waits here is not to be hurried by being cancelled.
    while isClosed.with({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
    let response = try await inner.send(request)
    let (chunks, writer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    let limit = cut.with { $0 }
    let body = response.body.prefix(limit ?? .max)
    for start in stride(from: 0, to: body.count, by: 70_000) {
      writer.yield(Array(body[start..<min(start + 70_000, body.count)]))
    }
    writer.finish(throwing: limit == nil ? nil : CloudFailure.unreachable)
    return CloudStream(status: response.status, headers: response.headers, chunks: chunks)
  }

  /// Waits until so many streams were opened.
  func reached(_ number: Int) async throws {
    for _ in 0..<2000 {
      if streams.with({ $0 }) >= number { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw CloudFailure.unreachable
  }
}
