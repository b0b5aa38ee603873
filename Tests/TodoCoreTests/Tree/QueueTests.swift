import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What waits in the queue, and how it goes.
@Suite struct QueueTests {
  @Test func aCommitWaitsForTheDisk() throws {
    let device = try World().device("alice")
    #expect(try device.database.write { try Int.fetchOne($0.db, sql: "PRAGMA synchronous") } == 2)
    #expect(try device.database.read { try String.fetchOne($0.db, sql: "PRAGMA journal_mode") } == "wal")
  }

  @Test func twoSyncsOfOneProfileAtOnceBlameNobody() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    try alice.addList("Groceries", "milk")
    try await alice.sync()
    let other = try Device(
      path: alice.path, transport: InProcessTransport(world.cloud), clock: world.clock, entropy: SeededEntropy("other"))
    let (here, there) = (alice.session, other.session)
    for number in 1...10 {
      try alice.addList("List \(number)", "bread")
      async let first = here.sync()
      async let second = there.sync()
      let reports = try await [first, second]
      #expect(reports.allSatisfy { $0.troubles.isEmpty })
    }
    #expect(try alice.unsent() == 0)
    #expect(try alice.database.read { try $0.troubles() }.isEmpty)
  }

  @Test func aListOfOnesOwnThatIsRemovedIsGoneFromTheServerToo() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    let list = try alice.addList("Private", "secret")
    try await alice.sync()
    let branch = try #require(try alice.database.read { try $0.cloudID(of: list.branch) })
    try alice.database.write { try $0.removeList(list) }
    try await alice.sync()
    #expect(try alice.unsent() == 0)
    let contents = try world.storage.read { try $0.contents(of: branch, in: branch) }
    #expect(contents.isEmpty)
  }

  @Test func tenEditsBeforeASyncMakeOnePut() async throws {
    let alice = try await World().person("alice")
    try alice.addList("Groceries", "draft 0")
    try await alice.sync()
    alice.transport.clearTraffic()
    for number in 1...10 { try alice.rename("draft \(number - 1)", to: "draft \(number)") }
    #expect(try alice.unsent() == 1)
    try await alice.sync()
    #expect(alice.transport.sentOperations.count == 1)
    #expect(try alice.unsent() == 0)
  }

  @Test func anEditWhileSealedBytesAreUnderWayMakesASecondPut() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    try alice.addList("Groceries", "milk")
    try await alice.sync()
    try alice.rename("milk", to: "oat milk")
    alice.transport.setFate { $0.path == Route.batch.path ? .replyLost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    alice.transport.setFate { _ in .delivered }
    alice.transport.clearTraffic()
    for title in ["soy milk", "almond milk"] { try alice.rename(try first(alice), to: title) }
    #expect(try alice.unsent() == 2)
    try await alice.sync()
    let nodes = try alice.putNodes()
    #expect(nodes.count == 2, "the bytes that were under way once more, and one put for what came after")
    #expect(Set(nodes).count == 1)
    #expect(try alice.unsent() == 0)
    #expect(try alice.titles() == ["Groceries/almond milk"])
  }

  private func first(_ device: Device) throws -> String {
    let title = try #require(try device.titles().first)
    return String(title.dropFirst("Groceries/".count))
  }

  /// The program dies between sealing and sending, or while the answer is on its way.
  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func sealedOperationsAreSentAgainByteForByteAfterACrash(_ fate: InProcessTransport.Fate) async throws {
    let world = try World()
    var alice: Device? = try await world.person("alice")
    try alice?.addList("Groceries", "milk", "eggs")
    let body = try await killed(try #require(alice), fate)
    alice = nil
    // Twice in a row, and what is edited meanwhile goes later.
    for title in ["oat milk", "soy milk"] {
      let again = try world.device("alice")
      try again.rename(title == "oat milk" ? "milk" : "oat milk", to: title)
      #expect(try await killed(again, fate).starts(with: body), "what is ready by now may follow")
    }
    let last = try world.device("alice")
    try await last.sync()
    #expect(last.bodies(.batch).first?.starts(with: body) == true)
    #expect(try last.unsent() == 0)
    #expect(try last.titles() == ["Groceries/eggs", "Groceries/soy milk"])
    #expect(try last.database.read { try $0.quarantined() }.isEmpty)
  }

  /// Syncs until the first batch, which meets its fate; returns its body.
  private func killed(_ device: Device, _ fate: InProcessTransport.Fate) async throws -> [UInt8] {
    device.transport.clearTraffic()
    device.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await device.sync() }
    #expect(device.bodies(.batch).count == 1)
    return try #require(device.bodies(.batch).first)
  }

  /// Parents come before children and permissions before all, whatever order the queue has.
  @Test func aNewListIsSentPermissionsFirst() async throws {
    let alice = try await World().person("alice")
    alice.transport.clearTraffic()
    try alice.addList("Groceries", "milk", "eggs")
    try await alice.sync()
    let operations = alice.transport.sentOperations
    guard case .permit = operations.first?.change else {
      Issue.record("\(operations.count) operations, and the first is no permit")
      return
    }
    let branch = try #require(try alice.database.read { try $0.cloudID(of: $0.lists()[0].branch) })
    let nodes = try alice.putNodes()
    #expect(nodes.first == branch)
    #expect(nodes.count == 4, "root, pointer and two todos, each once")
    #expect(Set(nodes).count == 4)
  }

  /// A sync always ends, and says what it could not do.
  @Test func aServerThatRefusesToEndIsLeft() async throws {
    let alice = try await World().person("alice")
    try alice.addList("Groceries", "milk")
    alice.transport.setTamper { request, response in
      guard request.path == Route.batch.path, var outcomes = try? decode(WireOutcomes.self, response.body) else {
        return response
      }
      for index in outcomes.outcomes.indices {
        outcomes.outcomes[index].conflict = .with { $0.reason = Refusal.versionStale.rawValue }
      }
      return CloudResponse(status: 200, headers: response.headers, body: encode(outcomes))
    }
    let report = try await alice.sync()
    #expect(report.unsent > 0)
    #expect(try alice.titles() == ["Groceries/milk"])
    alice.transport.setTamper { _, response in response }
    try await alice.sync()
    #expect(try alice.unsent() == 0)
    #expect(try alice.titles() == ["Groceries/milk"])
    #expect(try alice.database.read { try $0.quarantined() }.isEmpty)
  }

  @Test(arguments: [Route.heads, .pull, .batch])
  func nonsenseEndsASyncAndLosesNothing(_ route: Route) async throws {
    let world = try World()
    let alice = try await world.person("alice")
    try alice.addList("Groceries", "milk")
    if route == .pull {
      let root = try #require(try alice.database.read { try $0.root() })
      let laptop = try world.device("laptop")
      try await laptop.session.logIn(root: root, handle: "alice", server: "test")
      try laptop.addList("Work", "mail")
      try await laptop.sync()
    }
    alice.transport.setTamper { request, response in
      guard request.path == route.path else { return response }
      return CloudResponse(status: 200, headers: response.headers, body: [0xFF, 0xFF, 0xFF])
    }
    await #expect(throws: CloudFailure.nonsense) { try await alice.sync() }
    alice.transport.setTamper { _, response in response }
    try await alice.sync()
    #expect(try alice.unsent() == 0)
    #expect(try alice.titles().contains("Groceries/milk"))
  }
}
