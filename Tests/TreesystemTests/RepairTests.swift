import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sharing
import Signing
import SwiftProtobuf
import Testing
import TreeSupport

@testable import Treesystem

/// What was refused, lost or damaged here, and how it is made good.
@Suite struct RepairTests {
  /// One operation that the server refuses keeps no other of its batch from arriving.
  @Test func oneRefusedInTheMiddleLeavesTheRestDone() async throws {
    let trio = try await Trio("a", "b", "c")
    for path in ["a", "b", "c"] { try trio.bob.write("bob", on: path) }
    let middle = try trio.bob.database.read { try trio.bob.find("b", $0).cloudID }
    trio.bob.transport.setTamper { request, response in
      guard request.path == Route.batch.path, let batch = try? decode(WireBatch.self, request.body),
        var outcomes = try? decode(WireOutcomes.self, response.body)
      else { return response }
      for (index, operation) in batch.operations.enumerated() {
        guard let header = try? HeaderBody(decoding: Array(operation.put.header.body)), header.cloudID == middle else {
          continue
        }
        outcomes.outcomes[index].refused = .with { $0.reason = Refusal.contentMissing.rawValue }
      }
      return CloudResponse(status: 200, headers: response.headers, body: encode(outcomes))
    }
    let report = try await trio.bob.sync()
    #expect(report.sent == 2 && report.refused == 1 && report.unsent == 1)
    trio.bob.transport.setTamper { _, response in response }
    try trio.bob.database.write { try $0.retryRefused() }
    try await trio.settle()
    try trio.expectOneTree(["a: bob first", "b: bob first", "c: bob first"])
  }

  /// A writer who was removed keeps what they wrote, sees it refused, and sends it once they are let in again.
  @Test func aRemovedWriterKeepsWhatTheyWrote() async throws {
    let trio = try await Trio("a", "b")
    try trio.bob.write("offline", on: "a")
    try trio.bob.make("new", "offline")
    let bob = try trio.bob.database.read { try $0.requireAccount().user }
    try trio.alice.database.write { transaction in
      try transaction.recursiveRemoveShareItem(forUserID: bob, nodeID: trio.alice.root(transaction).id)
    }
    try await trio.alice.sync()
    let report = try await trio.bob.sync()
    #expect(report.refused == 2 && report.unsent == 2)
    #expect(report.troubles == [trio.branch: .branchDenied])
    #expect(try trio.bob.database.read { try $0.operations().map(\.reason) } == [.branchDenied, .branchDenied])
    #expect(try trio.bob.tree() == ["a: first offline", "b: first", "new: offline"])
    try trio.alice.database.write { transaction in
      try transaction.recursiveAddShareItem(
        ShareItem(role: .editor), forUserID: bob, nodeID: trio.alice.root(transaction).id)
    }
    try await trio.settle()
    try trio.expectOneTree(["a: first offline", "b: first", "new: offline"])
  }

  /// A change that is given up gives way to what the server has, and a node that was never there goes.
  @Test func aDiscardedChangeIsAsIfItHadNotBeen() async throws {
    let trio = try await Trio("a", "b")
    try trio.bob.write("regretted", on: "a")
    try trio.bob.make("new", "regretted")
    try trio.bob.make("new/below", "regretted")
    try trio.bob.database.write { transaction in
      for operation in try transaction.operations().prefix(2) { try transaction.discardOperation(operation.sequence) }
    }
    #expect(try trio.bob.unsent() == 0)
    try await trio.settle()
    try trio.expectOneTree(["a: first", "b: first"])
    #expect(try trio.bob.database.read { try $0.nodesNeedingDownload().isEmpty })
  }

  /// What the app lost comes back with a second reading, and what waits to be sent stays.
  @Test func aRepullBringsBackWhatIsMissing() async throws {
    let trio = try await Trio("a", "a/b", "c")
    try trio.bob.write("unsent", on: "c")
    let branch = try trio.bob.database.read { try trio.bob.root($0).branch }
    try trio.bob.database.write { transaction in
      try transaction.setTag(nil, forNodeID: trio.bob.find("a", transaction).id, withIdentifier: "words")
      let lost = try trio.bob.find("a/b", transaction)
      try transaction.db.cachedStatement(sql: "DELETE FROM node_states WHERE branch = ? AND cloud_id = ?")
        .execute(arguments: [branch, lost.cloudID])
      try transaction.db.cachedStatement(sql: "DELETE FROM nodes WHERE id = ?")
        .execute(arguments: [lost.id])
    }
    #expect(try trio.bob.tree() == ["a: ", "c: first unsent"])
    try await trio.bob.session.repull(branch)
    #expect(try trio.bob.tree() == ["a/b: first", "a: first", "c: first unsent"])
    #expect(try trio.bob.unsent() == 1)
    try await trio.settle()
    try trio.expectOneTree(["a/b: first", "a: first", "c: first unsent"])
  }

  /// What a server kept back is news when it comes after all: it is merged with what was changed here meanwhile.
  @Test func aRepullMergesWhatWasWithheldWithWhatWaits() async throws {
    let trio = try await Trio("a")
    try await trio.withholdAliceFromBob()
    try trio.bob.write("unsent", on: "a")
    #expect(try trio.bob.tree() == ["a: first unsent"])
    try await trio.bob.session.repull(trio.bob.database.read { try trio.bob.root($0).branch })
    #expect(try trio.bob.database.read { try $0.quarantined().isEmpty })
    #expect(try trio.bob.tree() == ["a: alice first unsent"])
    #expect(try trio.bob.unsent() == 1)
    try await trio.settle()
    try trio.expectOneTree(["a: alice first unsent"])
  }

  /// What a version of one's own replaced is nothing to report any more; what nobody showed here, this app cannot keep.
  @Test func whatWasWithheldLeavesQuarantineWhenItIsReplaced() async throws {
    let trio = try await Trio("a")
    try await trio.withholdAliceFromBob()
    try trio.bob.write("over", on: "a")
    try await trio.bob.sync()
    #expect(try trio.bob.database.read { try $0.quarantined().isEmpty })
    try await trio.settle()
    try trio.expectOneTree(["a: alice first over"])
  }

  /// While a removal waits, nothing of its branch goes before it, sealed or not; and the bytes that were under way are sent
  /// again unchanged.
  @Test func nothingOvertakesARemoval() async throws {
    let trio = try await Trio("a", "b")
    try trio.alice.write("sealed", on: "a")
    trio.alice.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await trio.alice.sync() }
    trio.alice.transport.setFate { _ in .delivered }
    let bytes = try #require(trio.alice.transport.sentOperations.last)
    let bob = try trio.bob.database.read { try $0.requireAccount().user }
    try trio.alice.database.write { transaction in
      try transaction.recursiveRemoveShareItem(forUserID: bob, nodeID: trio.alice.root(transaction).id)
    }
    try trio.alice.write("later", on: "b")
    trio.alice.transport.clearTraffic()
    try await trio.alice.sync()
    let sent = trio.alice.transport.sentOperations
    guard case .permit = sent.first?.change else {
      Issue.record("something overtook the removal")
      return
    }
    #expect(sent.contains(bytes))
    #expect(try trio.alice.unsent() == 0)
    try await trio.bob.sync()
    #expect(try trio.bob.tree() == ["a: first", "b: first"])
    try await trio.laptop.sync()
    #expect(try trio.laptop.tree() == ["a: first sealed", "b: first later"])
    let epochs = try trio.laptop.database.read { transaction in
      try ["a", "b"].map { path in
        let node = try trio.laptop.find(path, transaction)
        return try transaction.state(of: #require(node.cloudID), in: node.branch)?.header?.epoch
      }
    }
    #expect(epochs == [2, 2])
  }

  @Test func aServerThatIsNotThereIsLeftAloneLongerAndLonger() async throws {
    let trio = try await Trio("a")
    trio.bob.transport.setCloud(nil)
    var waits: [Int64] = []
    for _ in 0..<14 {
      await #expect(throws: CloudFailure.unreachable) { try await trio.bob.sync() }
      var wait: Int64 = 0
      let next = try #require(try trio.bob.database.read { try $0.nextContact() })
      #expect(next > trio.world.clock.now())
      while try !trio.bob.database.read({ try $0.mayContactServer() }) {
        trio.world.clock.advance(250)
        wait += 250
      }
      #expect(next <= trio.world.clock.now())
      #expect(try trio.bob.database.read { try $0.nextContact() } == nil)
      waits.append(wait)
    }
    #expect(waits[0] >= 500 && waits[0] <= 1_250)
    #expect(waits.allSatisfy { $0 <= 15 * 60_000 + 250 })
    #expect(waits[13] >= 7 * 60_000)
    #expect(waits[5] > waits[1])
    trio.bob.transport.setCloud(trio.world.cloud)
    try await trio.bob.sync()
    #expect(try trio.bob.database.read { try $0.mayContactServer() })
  }

  /// A removal that could go through yet holds what comes after it; one for which the letter is missing does not.
  @Test(arguments: [Refusal.keyMismatch, .letterMissing])
  func aRefusedRemovalIsNotOvertakenWhileItMayGoThrough(_ reason: Refusal) async throws {
    let trio = try await Trio("a")
    let bob = try trio.bob.database.read { try $0.requireAccount().user }
    try trio.alice.database.write { transaction in
      try transaction.recursiveRemoveShareItem(forUserID: bob, nodeID: trio.alice.root(transaction).id)
      try transaction.db.cachedStatement(sql: "UPDATE operations SET state = 'refused', reason = ?")
        .execute(arguments: [reason.rawValue])
    }
    try trio.alice.write("later", on: "a")
    try await trio.alice.sync()
    #expect(try trio.alice.unsent() == (reason == .keyMismatch ? 2 : 1))
  }

  /// The end of a branch that goes by itself with a later sync is still one: what was written meanwhile would go with it.
  @Test(arguments: [(Refusal.refusalUnfounded, true), (.branchDenied, true), (.letterMissing, false)])
  func aRefusedEndIsOneWhileItIsTried(_ reason: Refusal, _ isClosing: Bool) async throws {
    let trio = try await Trio("a")
    try trio.alice.database.write { transaction in
      let branch = try trio.alice.root(transaction).branch
      try transaction.queueClosing(of: branch)
      #expect(try transaction.isClosing(branch))
      try transaction.db.cachedStatement(sql: "UPDATE operations SET state = 'refused', reason = ?")
        .execute(arguments: [reason.rawValue])
      #expect(try transaction.isClosing(branch) == isClosing)
    }
  }

  /// What waits for a branch that was read as ended is kept, and never sealed: somebody may have its key who was to lose it.
  @Test func nothingIsSentToWhatHasEnded() async throws {
    let trio = try await Trio("a")
    try trio.alice.database.write { _ = try $0.queueClosing(of: trio.alice.root($0).branch) }
    try await trio.alice.sync()
    try trio.bob.write("late", on: "a")
    trio.bob.transport.clearTraffic()
    try await trio.bob.sync()
    #expect(trio.bob.transport.sentOperations.isEmpty)
    #expect(try trio.bob.database.read { try $0.operations().map(\.reason) } == [.branchClosed])
    #expect(try trio.bob.tree() == ["a: first late"])
  }

  /// What is here of it is less than the server has, until that has come.
  @Test func aNodeWhoseContentIsMissingIsNotOverwritten() async throws {
    let trio = try await Trio("a")
    try trio.alice.database.write { transaction in
      let node = try trio.alice.find("a", transaction)
      try Notes().set([], node, transaction)
      try transaction.markNodeAsNeedsDownload(node.id, components: .data)
      try transaction.queueDataUpload(forNodeID: node.id)
    }
    trio.alice.transport.setTamper { request, response in
      guard request.path.hasPrefix("/v1/contents") else { return response }
      return CloudResponse(status: response.status, headers: response.headers, body: [0])
    }
    try await trio.alice.sync()
    #expect(try trio.alice.unsent() == 1)
    trio.alice.transport.setTamper { _, response in response }
    try await trio.settle()
    try trio.expectOneTree(["a: first"])
  }
}

extension Trio {
  /// Bob reads that something was written, and not what.
  fileprivate func withholdAliceFromBob() async throws {
    try alice.write("alice", on: "a")
    try await alice.sync()
    bob.transport.setTamper { request, response in
      guard request.path == Route.pull.path, var page = try? decode(WirePage.self, response.body) else {
        return response
      }
      page.rows = []
      return CloudResponse(status: 200, headers: response.headers, body: encode(page))
    }
    try await bob.sync()
    bob.transport.setTamper { _, response in response }
    #expect(try bob.database.read { try $0.quarantined().map(\.reason) } == [.rowMissing])
  }
}
