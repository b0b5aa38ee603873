import CloudAPI
import Foundation
import GRDB
import Lies
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// What a server can do without anybody's keys: leave out, change, swap and go back.
@Suite struct LyingServerTests {
  /// Whoever writes meanwhile goes on writing.
  @Test(arguments: PageLie.all)
  func aChangedPageIsNotBelieved(_ lie: PageLie) async throws {
    let stage = try await Stage()
    try await stage.writeFourLines()
    let branch = stage.branch
    stage.alice.transport.setTamper { request, response in
      // Nor does it give out by itself what the page got wrong.
      if case .content? = Route(method: request.method, path: request.path) {
        return CloudResponse(status: 200, headers: response.headers, body: [0])
      }
      return Lie(branch: branch).page(response, to: request) { _ = lie.change(&$0, at: lie.place) }
    }
    try stage.alice.add("Groceries", "Salt")
    let report = try await stage.alice.sync()
    let stops = lie.end.complaint?.stops
    if let reason = stops {
      #expect(report.troubles == [branch: reason])
      #expect(try stage.alice.quarantine().isEmpty)
    } else {
      #expect(report.troubles.isEmpty)
      #expect(
        try stage.alice.quarantine().map { Complaint.setsAside($0.reason) } == [lie.end.complaint].compactMap { $0 })
      #expect(try !stage.alice.titles("Groceries").contains("Bread"))
    }
    #expect(try stage.alice.titles("Groceries").contains("Salt"))
    stage.alice.transport.setTamper { _, response in response }
    try await stage.mallory.sync()
    // What was read past comes with the node's next version; what stopped the branch comes by itself.
    if stops == nil { try stage.mallory.tick("Bread") }
    try await settle(stage.mallory, stage.alice)
    let bread = stops != nil ? "Bread" : "✓ Bread"
    #expect(try stage.alice.titles("Groceries") == [bread, "Eggs", "Salt", "oat milk"].sorted())
    #expect(try stage.mallory.titles("Groceries") == [bread, "Eggs", "Salt", "oat milk"].sorted())
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try stage.alice.unsent() == 0)
  }

  @Test func theServerRefusesAFirstRecordThatItsOwnerDidNotSign() async throws {
    let stage = try await Stage()
    let alice = try Hand(stage.alice, on: stage.branch).user
    let fresh = CloudID.random(SystemEntropy())
    let draft = try Hand(stage.mallory, on: stage.branch).permit { body in
      body.branch = fresh
      body.owner = alice
      body.version = 1
      body.previous = .zeros
      body.author.read = LogHead(startOf: fresh)
    }
    #expect(try await stage.send(draft) == "refused first-record-wrong")
  }

  /// Where the server says that it put a change is told by the chain, and no answer ends the program.
  @Test(arguments: [0, 1 << 63, UInt64.max])
  func aLineThatNoLogHasIsNonsense(_ line: UInt64) async throws {
    let (alice, bob, world) = try await sharedList(seed: "lines")
    _ = world
    alice.transport.setTamper { request, response in Self.answers(request, response, line) }
    try alice.add("Groceries", "Bread")
    await #expect(throws: CloudFailure.nonsense) { try await alice.sync() }
    alice.transport.setTamper { _, response in response }
    try await settle(alice, bob)
    #expect(try bob.titles("Groceries") == ["Bread", "Milk"])
    #expect(try alice.unsent() == 0)
  }

  @Test func aLineThatIsFarAwayIsCorrectedByTheChain() async throws {
    let (alice, bob, world) = try await sharedList(seed: "far")
    _ = world
    alice.transport.setTamper { request, response in Self.answers(request, response, 1_000_000) }
    try alice.add("Groceries", "Bread")
    try await alice.sync()
    alice.transport.setTamper { _, response in response }
    try await settle(alice, bob)
    let wrong = try alice.database.read { transaction in
      try Int.fetchOne(transaction.db, sql: "SELECT count(*) FROM node_states WHERE line > 1000")
    }
    #expect(wrong == 0)
    #expect(try alice.titles("Groceries") == ["Bread", "Milk"])
  }

  private static func answers(_ request: CloudRequest, _ response: CloudResponse, _ line: UInt64) -> CloudResponse {
    guard request.path == Route.batch.path, var answer = try? decode(WireOutcomes.self, response.body) else {
      return response
    }
    for index in answer.outcomes.indices { answer.outcomes[index].accepted.line = line }
    return CloudResponse(status: 200, headers: response.headers, body: encode(answer))
  }
}
