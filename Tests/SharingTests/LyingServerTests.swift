import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// What a server can do without anybody's keys: leave out, change, swap and go back.
@Suite struct LyingServerTests {
  /// One way of changing the pages of a branch; `stops` if the branch is read no further.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: Refusal
    let stops: Bool
    let change: @Sendable (inout WirePage) -> Void

    init(
      _ testDescription: String, _ reason: Refusal, stops: Bool = true,
      _ change: @escaping @Sendable (inout WirePage) -> Void
    ) {
      self.testDescription = testDescription
      self.reason = reason
      self.stops = stops
      self.change = change
    }
  }

  /// The page that is changed has four lines: permissions, Milk as "soy milk" (its row was superseded), Milk as
  /// "oat milk", and "Bread".
  static let changes: [Change] = [
    Change("a gap in the lines", .chainBroken) { page in
      let number = page.entries[2].number
      page.entries.remove(at: 2)
      page.rows.removeAll { $0.line == number }
    },
    Change("lines in another order", .chainBroken) { page in
      page.entries.swapAt(0, 1)
    },
    Change("a change in a line that has a row", .rowMismatch) { page in
      let line = page.entries[2]
      page.entries[2] = Line(number: line.number, kind: line.kind, cloudID: line.cloudID, hash: .zeros)
    },
    Change("a change in a line whose row was superseded", .chainBroken) { page in
      let line = page.entries[1]
      page.entries[1] = Line(number: line.number, kind: line.kind, cloudID: line.cloudID, hash: .zeros)
    },
    Change("another node in a line", .chainBroken) { page in
      let line = page.entries[3]
      page.entries[3] = Line(
        number: line.number, kind: line.kind, cloudID: page.entries[2].cloudID, hash: line.hash)
    },
    Change("two rows swapped", .rowMismatch) { page in
      let record = page.rows[1].record
      page.rows[1].record = page.rows[2].record
      page.rows[2].record = record
    },
    Change("a row without a line", .rowMismatch) { $0.rows[1].line = 999 },
    Change("no lines at all", .chainBroken) { page in
      page.lines = Data()
      page.rows = []
    },
    Change("lines that are cut off", .malformed) { $0.lines.removeLast() },
    Change("another head", .chainBroken) { $0.headHash = data([UInt8](repeating: 7, count: 32)) },
    Change("a head that is further than the lines", .chainBroken) { $0.headLine += 1 },
    Change("a head before the lines", .fork) { $0.headLine = 1 },
    Change("a permissions record withheld", .rowMissing) { $0.rows.removeFirst() },
    Change("a row withheld", .rowMissing, stops: false) { $0.rows.removeLast() },
    Change("a content changed", .contentMismatch, stops: false) { $0.rows[2].contents[1].ciphertext[50] ^= 1 },
    Change("a content withheld", .contentMissing, stops: false) { $0.rows[2].contents.removeLast() },
    Change("the contents of another node", .contentMissing, stops: false) { page in
      page.rows[2].contents = page.rows[1].contents
    },
  ]

  @Test(arguments: changes)
  func aChangedPageIsNotBelieved(_ change: Change) async throws {
    let stage = try await Stage()
    try await write(on: stage)
    let branch = stage.branch
    stage.alice.transport.setTamper { request, response in
      // Nor does it give out by itself what the page got wrong.
      if case .content? = Route(method: request.method, path: request.path) {
        return CloudResponse(status: 200, headers: response.headers, body: [0])
      }
      return Lie(branch: branch).page(response, to: request, change.change)
    }
    try stage.alice.add("Groceries", "Salt")
    let report = try await stage.alice.sync()
    if change.stops {
      #expect(report.troubles == [branch: change.reason])
      #expect(try stage.alice.quarantine().isEmpty)
    } else {
      #expect(report.troubles.isEmpty)
      #expect(try stage.alice.quarantine().map(\.reason) == [change.reason])
      #expect(try !stage.alice.titles("Groceries").contains("Bread"))
    }
    #expect(try stage.alice.titles("Groceries").contains("Salt"))
    stage.alice.transport.setTamper { _, response in response }
    try await stage.mallory.sync()
    // What was read past comes with the node's next version; what stopped the branch comes by itself.
    if !change.stops { try stage.mallory.tick("Bread") }
    try await settle(stage.mallory, stage.alice)
    let bread = change.stops ? "Bread" : "✓ Bread"
    #expect(try stage.alice.titles("Groceries") == [bread, "Eggs", "Salt", "oat milk"].sorted())
    #expect(try stage.mallory.titles("Groceries") == [bread, "Eggs", "Salt", "oat milk"].sorted())
    #expect(try await stage.alice.sync().troubles.isEmpty)
    #expect(try stage.alice.unsent() == 0)
  }

  /// Four lines that alice has not read.
  private func write(on stage: Stage) async throws {
    let mallory = try Hand(stage.mallory, on: stage.branch)
    try #require(try await stage.send(mallory.permit { _ in }) == "accepted")
    try await stage.mallory.sync()
    try stage.mallory.edit("Milk", to: "soy milk")
    try await stage.mallory.sync()
    try stage.mallory.edit("soy milk", to: "oat milk")
    try await stage.mallory.sync()
    try stage.mallory.add("Groceries", "Bread")
    try await stage.mallory.sync()
  }

  @Test(arguments: [0, 1])
  func aLogThatGoesBackOrIsAnotherIsAFork(_ how: Int) async throws {
    let stage = try await Stage()
    let branch = stage.branch
    stage.alice.transport.setTamper { request, response in
      Lie(branch: branch).head(response, to: request) { head in
        if how == 0 { head.line -= 1 } else { head.logHash = data([UInt8](repeating: 7, count: 32)) }
      }
    }
    let report = try await stage.alice.sync()
    #expect(report.troubles == [branch: .fork])
    #expect(try stage.alice.titles("Groceries") == ["Eggs", "Milk"])
    stage.alice.transport.setTamper { _, response in response }
    #expect(try await stage.alice.sync().troubles.isEmpty)
  }

  @Test func aSecondValueAtTheCursorIsAFork() async throws {
    let stage = try await Stage()
    try stage.mallory.add("Groceries", "Bread")
    try await stage.mallory.sync()
    stage.alice.transport.setTamper { request, response in
      guard request.path == Route.pull.path else { return response }
      var response = response
      response.status = 409
      response.body = encode(WireProblem.with { $0.reason = Refusal.fork.rawValue })
      return response
    }
    #expect(try await stage.alice.sync().troubles == [stage.branch: .fork])
    stage.alice.transport.setTamper { _, response in response }
    try await stage.alice.sync()
    #expect(try stage.alice.titles("Groceries") == ["Bread", "Eggs", "Milk"])
  }

  @Test func anotherFirstRecordForABranchIsRefusedByWhoWasInvited() async throws {
    let world = try World()
    let (alice, bob, eve) = (
      try await world.person("alice"), try await world.person("bob"), try await world.person("eve")
    )
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try await alice.sync()
    try await bob.sync()
    let branch = try alice.branch("Groceries")
    let first = try firstRecord(of: branch, by: eve, for: bob)
    let line = Line(number: 1, kind: .permissions, cloudID: branch, hash: first.hash)
    let head = LogHead(startOf: branch).appending(line)
    bob.transport.setTamper { request, response in
      let shorter = Lie(branch: branch).head(response, to: request) {
        $0.line = 1
        $0.logHash = data(head.hash.bytes)
      }
      return Lie(branch: branch).page(shorter, to: request) { page in
        page.entries = [line]
        page.rows = [
          .with {
            $0.line = 1
            $0.record = first.wire
          }
        ]
        page.headLine = 1
        page.headHash = data(head.hash.bytes)
      }
    }
    try bob.accept()
    let report = try await bob.sync()
    #expect(report.troubles == [branch: .firstRecordWrong])
    #expect(try bob.titles("Groceries").isEmpty)
    bob.transport.setTamper { _, response in response }
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk"])
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

  /// A first record by somebody else, under which the reader could read.
  private func firstRecord(of branch: CloudID, by eve: Device, for bob: Device) throws -> SignedRecord {
    let bob = try bob.database.read { try $0.identity().user }
    let (identity, position) = try eve.database.read { transaction in
      let identity = try transaction.identity()
      return (identity, try transaction.keyringPosition(identity.user))
    }
    let entries = [(identity.user, Letters([.read, .write, .share])), (bob, Letters([.read, .write]))]
    let body = PermissionsBody(
      branch: branch, owner: identity.user, version: 1, previous: .zeros, epoch: 1,
      commitment: .random(SystemEntropy()),
      entries: entries.map { user, letters in
        PermissionsEntry(
          user: user, letters: letters, keyringPosition: position, generation: 1,
          sealedKey: SystemEntropy().bytes(80))
      }.sorted { ($0.user?.bytes ?? []).lexicographicallyPrecedes($1.user?.bytes ?? []) },
      olderKeys: [],
      author: Author(
        user: identity.user, device: identity.device, keyringPosition: position, read: LogHead(startOf: branch)))
    return SignedRecord(signing: body, with: identity.signingKey)
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
