import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
import SwiftProtobuf
import Testing
import TreeSupport

@testable import Treesystem

/// What somebody gives up is as if it had not been, and what was refused by mistake is not given up.
@Suite struct GivenUpTests {
  /// The change of somebody else comes before what was there is fetched: it is not joined with what was given up.
  @Test func theNextChangeOfOthersTakesThePlaceOfWhatWasGivenUp() async throws {
    let trio = try await Trio("a")
    try trio.bob.write("regretted", on: "a")
    try discardAll(trio.bob)
    try trio.alice.write("alice", on: "a")
    try await trio.alice.sync()
    try await trio.settle()
    try trio.expectOneTree(["a: alice first"])
  }

  @Test func whatIsWrittenAfterGivingUpIsJoined() async throws {
    let trio = try await Trio("a")
    try trio.bob.write("regretted", on: "a")
    try discardAll(trio.bob)
    try trio.bob.write("bob", on: "a")
    try trio.alice.write("alice", on: "a")
    try await trio.alice.sync()
    try await trio.settle()
    #expect(try trio.bob.tree()[0].contains("alice bob first"))
    try trio.expectOneTree()
  }

  /// What was sent before stays, whether or not it has arrived.
  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func whatIsUnderWayIsNotGivenUp(_ fate: InProcessTransport.Fate) async throws {
    let trio = try await Trio("a")
    try trio.bob.write("sent", on: "a")
    trio.bob.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await trio.bob.sync() }
    try trio.bob.write("regretted", on: "a")
    try trio.bob.database.write { transaction in
      let pending = try #require(try transaction.operations().first { $0.state == .pending })
      try transaction.discardOperation(pending.sequence)
    }
    trio.bob.transport.setFate { _ in .delivered }
    try await trio.settle()
    try trio.expectOneTree(["a: first sent"])
  }

  /// It comes back from a deletion that others reached into, and is still to be what the server has.
  @Test func whatWasGivenUpAndThenRemovedComesBackWithoutIt() async throws {
    let trio = try await Trio("a", "a/b")
    try trio.bob.write("regretted", on: "a/b")
    try discardAll(trio.bob)
    try trio.bob.remove("a")
    try trio.alice.write("unseen", on: "a")
    try await trio.alice.sync()
    try await trio.settle()
    try trio.expectOneTree(["a/b: first", "a: first unseen"])
  }

  @Test func aMoveWithinTheBranchIsUndone() async throws {
    let trio = try await Trio("a", "a/c", "b")
    try trio.bob.database.write { try $0.move(trio.bob.find("a/c", $0).id, to: trio.bob.find("b", $0).id) }
    try discardAll(trio.bob)
    #expect(try trio.bob.tree() == ["a/c: first", "a: first", "b: first"])
    try await trio.settle()
    try trio.expectOneTree(["a/c: first", "a: first", "b: first"])
    // It has no will of its own left: where others hang it, it hangs.
    try trio.alice.database.write { try $0.move(trio.alice.find("a/c", $0).id, to: trio.alice.find("b", $0).id) }
    try await trio.settle()
    try trio.expectOneTree(["a: first", "b/c: first", "b: first"])
  }

  @Test(arguments: [QueuedOperation.Kind.permit, .put])
  func aBranchThatWasNeverMadeGoes(_ kind: QueuedOperation.Kind) async throws {
    let trio = try await Trio("a")
    try trio.alice.database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "regretted"))
      try transaction.createNode(named: "child", in: root.id)
      let operation = try #require(
        try transaction.operations().first { $0.kind == kind && ($0.node == root.id || kind == .permit) })
      try transaction.discardOperation(operation.sequence)
      #expect(try transaction.node(withPath: Treepath(.home, "regretted")) == nil)
      #expect(try transaction.node(root.id) == nil)
      #expect(try transaction.operations().isEmpty)
    }
    try await trio.settle()
    try trio.expectOneTree(["a: first"])
  }

  /// What was taken to a branch that was never made goes home, and is told of.
  @Test func whatWasTakenToABranchThatWasNeverMadeGoesHome() async throws {
    let trio = try await Trio("a", "a/c")
    try trio.bob.write("bob", on: "a/c")
    try trio.bob.database.write { transaction in
      let root = try transaction.createBranch(withPath: Treepath(.home, "regretted"))
      let child = try transaction.createNode(named: "child", in: root.id)
      try transaction.move(trio.bob.find("a", transaction).id, to: root.id)
      let moved = try transaction.children(of: root.id).map(\.id)
      let first = try #require(try transaction.operations().first { $0.kind == .permit })
      let others = try transaction.operations(waitingFor: first.sequence)
      #expect(Set(others.compactMap(\.node)).isSuperset(of: moved + [root.id, child.id]))
      #expect(moved.count == 2)
      try transaction.discardOperation(first.sequence)
      #expect(try transaction.node(root.id) == nil)
      #expect(try transaction.operations().isEmpty)
    }
    try await trio.settle()
    try trio.expectOneTree(["a/c: first", "a: first"])
  }

  /// A server that denies a branch, and does not any more.
  @Test func whatWasRefusedByMistakeIsTriedAgain() async throws {
    let trio = try await Trio("a")
    try trio.bob.write("bob", on: "a")
    let branch = trio.branch
    trio.bob.transport.setTamper { request, response in
      guard request.path == Route.heads.path, var heads = try? decode(WireHeads.self, response.body) else {
        return response
      }
      for index in heads.branches.indices where Array(heads.branches[index].branch) == branch.bytes {
        heads.branches[index].denied = true
      }
      return CloudResponse(status: 200, headers: response.headers, body: encode(heads))
    }
    let report = try await trio.bob.sync()
    #expect(report.refused == 1)
    #expect(report.troubles == [branch: .branchDenied])
    trio.bob.transport.setTamper { _, response in response }
    try await trio.settle()
    try trio.expectOneTree(["a: bob first"])
  }

  /// One that was drawn for a record that never came into force, for example.
  @Test func nothingIsSealedWithAKeyThatIsNotTheBranchs() async throws {
    let trio = try await Trio("a")
    let branch = try trio.bob.database.read { try trio.bob.root($0).branch }
    let key = try #require(try trio.bob.database.read { try $0.branchKey(of: branch, epoch: 1) })
    try trio.bob.database.write {
      try $0.setBranchKey(SecretBytes([UInt8](repeating: 7, count: 32)), of: branch, epoch: 1)
    }
    try trio.bob.write("bob", on: "a")
    let report = try await trio.bob.sync()
    #expect(report.sent == 0 && report.unsent == 1)
    try trio.bob.database.write { try $0.setBranchKey(key, of: branch, epoch: 1) }
    try await trio.settle()
    try trio.expectOneTree(["a: bob first"])
  }

  private func discardAll(_ device: Device) throws {
    try device.database.write { transaction in
      for operation in try transaction.operations() { try transaction.discardOperation(operation.sequence) }
    }
  }
}
