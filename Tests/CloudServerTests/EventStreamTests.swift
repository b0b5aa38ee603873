import CloudAPI
import CloudClient
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// Event streams over the real server, in this process.
struct EventStreamTests {
  @Test func eventsTravelAndTheLimitsOfOtherAnswersDoNotCutThemOff() async throws {
    var limits = HTTPLimits()
    limits.answerSeconds = 8
    limits.headSeconds = 30
    limits.heartbeatSeconds = 1
    try await serve(limits) { world, alice, port in
      var list = try BranchHand.list(world, alice)
      let connection = try connection(world, alice, port)
      var events = try await connection.events(over: transport(port)).makeAsyncIterator()
      var heard: [BranchEvent] = []
      let asked = WireHeadsRequest.with { $0.branches = [data(list.branch.bytes)] }
      _ = try await connection.call(.heads, asked, answer: WireHeads.self)
      #expect(word(try list.send(list.put(list.header(parent: list.branch, alice), alice), alice)) == "accepted")
      while !heard.contains(BranchEvent(branch: list.branch, line: 3)) {
        heard += try #require(try await events.next())
      }
      // Ten signs of life: longer than the limit of an ordinary answer.
      var silent = 0
      while silent < 10 { if try #require(try await events.next()).isEmpty { silent += 1 } }
      #expect(word(try list.send(list.put(list.header(parent: list.branch, alice), alice), alice)) == "accepted")
      heard = []
      while heard.isEmpty { heard = try #require(try await events.next()) }
      #expect(heard == [BranchEvent(branch: list.branch, line: 4)])
    }
  }

  @Test func aPlaceIsFreeAgainWhenTheListenerHasGone() async throws {
    try await serve(HTTPLimits()) { world, alice, port in
      let (connection, transport) = (try connection(world, alice, port), try transport(port))
      let task = Task { for try await _ in try await connection.events(over: transport) {} }
      while world.cloud.hub.isIdle { try await Task.sleep(for: .milliseconds(5)) }
      task.cancel()
      while !world.cloud.hub.isIdle { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  @Test func aStreamEndsAtItsLimit() async throws {
    var limits = HTTPLimits()
    limits.heartbeatSeconds = 1
    limits.streamSeconds = 1
    try await serve(limits) { world, alice, port in
      for try await _ in try await connection(world, alice, port).events(over: transport(port)) {}
      while !world.cloud.hub.isIdle { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  @Test func whoTakesNothingIsCutOff() async throws {
    var limits = HTTPLimits()
    limits.stallSeconds = 1
    try await serve(limits) { world, alice, port in
      var iterator: CloudEvents.Iterator?
      iterator = try await connection(world, alice, port).events(over: transport(port)).makeAsyncIterator()
      _ = try await iterator?.next()
      // More than the network between takes for one who does not read.
      let branches = (0..<5000).map { _ in CloudID.random(entropy) }
      world.cloud.hub.note(branches, askedBy: alice.user)
      var line: UInt64 = 0
      #expect(!world.cloud.hub.isIdle)
      // Ends when the server has let go of them.
      let start = ContinuousClock.now
      while !world.cloud.hub.isIdle, ContinuousClock.now - start < .seconds(20) {
        line += 1
        world.cloud.hub.announce(
          branches.map {
            BranchMove(event: BranchEvent(branch: $0, line: line), readers: [alice.user], changesReaders: false)
          })
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(world.cloud.hub.isIdle)
      // Whose stream nobody holds any more has gone by themselves.
      withExtendedLifetime(iterator) {}
    }
  }

  private func serve(
    _ limits: HTTPLimits, _ body: (World, Person, Int) async throws -> Void
  ) async throws {
    let world = try World()
    let alice = try world.member("alice")
    let server = CloudHTTPServer(cloud: world.cloud, host: "127.0.0.1", port: 0, limits: limits, quiet: true)
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    let running = Task { try await server.run { found.yield($0) } }
    let port = try #require(await ports.first { _ in true })
    defer { running.cancel() }
    try await body(world, alice, port)
    running.cancel()
    _ = await running.result
  }

  private func transport(_ port: Int) throws -> HTTPTransport { try HTTPTransport(server: "http://127.0.0.1:\(port)") }

  private func connection(_ world: World, _ person: Person, _ port: Int) throws -> CloudConnection {
    let transport = try transport(port)
    return CloudConnection(
      transport: transport, authority: transport.server.authority,
      signer: .init(caller: person.signer, key: person.device), clock: world.clock, entropy: entropy)
  }
}

/// The form of the stream (spec §6.5).
struct EventFormTests {
  @Test func aStreamIsReadHoweverItIsCut() async throws {
    let events = (1...3).map { BranchEvent(branch: .random(entropy), line: $0 * 1_000_000_007) }
    let text = ":\n\n" + events.map(\.encoded).joined() + "retry: 5\ndata: something new 5\nid: 1\n\n:\n"
    for size in [1, 7, 1000] {
      let bytes = Array(text.utf8)
      let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
      #expect(try await read(chunks) == events)
    }
  }

  @Test func aLineWithoutEndIsNotKept() async throws {
    await #expect(throws: CloudFailure.nonsense) { try await read([[UInt8](repeating: 120, count: 300)]) }
  }

  private func read(_ chunks: [[UInt8]]) async throws -> [BranchEvent] {
    let stream = AsyncThrowingStream<[UInt8], any Error> { writer in
      for chunk in chunks { writer.yield(chunk) }
      writer.finish()
    }
    var all: [BranchEvent] = []
    for try await events in CloudEvents(chunks: stream) { all += events }
    return all
  }
}
