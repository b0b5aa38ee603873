import CloudAPI
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import Testing
import TreeSupport

@testable import Treesystem

/// What is read in an order that nobody planned.
@Suite struct ReadingOrderTests {
  /// Bob asks how far the branches are; then alice moves what he has written on; then he reads the branch that it left.
  @Test func whereANodeWentIsReadAgainBeforeAnythingIsDecided() async throws {
    let rooms = try await Rooms()
    try rooms.write(rooms.bob, "bob", on: "list/a/b")
    try rooms.make(rooms.alice, "list/x", "box")
    try await rooms.alice.sync()
    let between = Between(rooms.bob.transport, after: Route.heads.path) {
      try rooms.move(rooms.alice, "list/a", to: "other")
      try await rooms.alice.sync()
    }
    let session = CloudSession(database: rooms.bob.database, transport: between, authority: "test", app: Notes())
    _ = try await session.sync()
    let end = ["list/x: box", "other/a: apple", "other/a/b: bob bread", "other/a/b/c: cheese"]
    #expect(try rooms.tree(rooms.bob) == end.sorted())
    try await rooms.settle()
    try rooms.expectOneTree(end)
  }

  /// A server that kept old rows shows them in a second reading that the network ends before the new ones come.
  @Test func anOldRowIsNotTakenForANewOne() async throws {
    let trio = try await Trio("a", "b", "c", "d")
    let old = try rows(trio)
    try trio.alice.write("second", on: "a")
    try await trio.settle()
    let bob = try Device(
      path: trio.bob.path, transport: InProcessTransport(trio.world.cloud), clock: trio.world.clock,
      entropy: SeededEntropy("again"), app: Notes(), pageLines: 6)
    bob.transport.setTamper { request, response in
      guard request.path == Route.pull.path, var page = try? decode(WirePage.self, response.body),
        let lines = try? Line.decode(Array(page.lines))
      else { return response }
      let known = Set(page.rows.map(\.line))
      page.rows += old.filter { row in !known.contains(row.line) && lines.contains { $0.number == row.line } }
      return CloudResponse(status: 200, headers: response.headers, body: encode(page))
    }
    let count = bob.transport.setFate(.lost, ofRequest: 2) { $0.path == Route.pull.path }
    let branch = try bob.database.read { try bob.root($0).branch }
    await #expect(throws: CloudFailure.unreachable) { try await bob.session.repull(branch) }
    #expect(count.with { $0 } == 2)
    try trio.bob.write("bob", on: "a")
    try await trio.settle()
    try trio.expectOneTree(["a: bob first second", "b: first", "c: first", "d: first"])
  }

  /// The rows of the shared branch that came to bob.
  private func rows(_ trio: Trio) throws -> [WireRow] {
    try trio.bob.transport.traffic.with { $0 }.filter { $0.request.path == Route.pull.path }.flatMap { exchange in
      guard let response = exchange.response else { return [WireRow]() }
      let page = try decode(WirePage.self, response.body)
      return Array(page.branch) == trio.branch.bytes ? page.rows : []
    }
  }
}

/// Lets something happen once, between an answer and what becomes of it.
private struct Between: CloudTransport, CloudStreaming {
  private let inner: InProcessTransport
  private let path: String
  private let isDone = Locked(false)
  private let body: @Sendable () async throws -> Void

  init(_ inner: InProcessTransport, after path: String, _ body: @escaping @Sendable () async throws -> Void) {
    self.inner = inner
    self.path = path
    self.body = body
  }

  func send(_ request: CloudRequest) async throws -> CloudResponse {
    let response = try await inner.send(request)
    guard request.path == path else { return response }
    let wasDone = isDone.with { isDone in
      defer { isDone = true }
      return isDone
    }
    if !wasDone { try await body() }
    return response
  }

  func stream(_ request: CloudRequest) async throws -> CloudStream { try await inner.stream(request) }
}
