import CloudAPI
import CloudServer
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// A server that refuses what takes somebody's key away: nothing of the list is sent before it, whatever reason is given.
@Suite struct RefusedRemovalTests {
  static let reasons: [Refusal] = [.letterMissing, .branchClosed, .limitExceeded, .malformed]

  @Test(arguments: reasons) func aRemovalThatIsRefusedHoldsBackWhatIsWrittenAfterIt(_ reason: Refusal) async throws {
    let (alice, bob, world) = try await sharedList(seed: "refused-removal")
    let branch = try alice.branch("Groceries")
    refusePermits(alice, reason)
    try alice.database.write { transaction in
      let list = try transaction.lists()[0].node
      let member = try #require(try transaction.members(of: list).first { $0.name == "bob" })
      try transaction.unshare(list, with: member.user)
    }
    try alice.add("Groceries", "Champagne")
    for _ in 0..<3 { try await alice.sync() }
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk"])
    #expect(try alice.unsent() > 0)
    #expect(try epoch(of: branch, in: world) == 1)
    // What is refused for any other reason is the user's to try again.
    guard [.letterMissing, .branchClosed].contains(reason) else { return }
    // Once the server is honest again it goes by itself.
    alice.transport.setStandIn { _ in nil }
    try await alice.sync()
    #expect(try epoch(of: branch, in: world) == 2)
    #expect(try alice.unsent() == 0)
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  /// The owner's renewal, after the device of an editor was ended.
  @Test(arguments: [Refusal.letterMissing, .branchClosed, .limitExceeded])
  func aRenewalThatIsRefusedHoldsBackWhatIsWrittenAfterIt(_ reason: Refusal) async throws {
    let (alice, bob, world) = try await sharedList(seed: "refused-renewal")
    let branch = try alice.branch("Groceries")
    let phone = try await bob.second("phone", "bob", in: world)
    let stolen = try phone.database.read { try $0.requireAccount().device }
    _ = try await bob.session.endDevice(stolen, withAdded: false)
    refusePermits(alice, reason)
    refusePermits(bob, reason)
    try await bob.sync()
    try await alice.sync()
    try alice.add("Groceries", "Champagne")
    for _ in 0..<2 { try await alice.sync() }
    #expect(try epoch(of: branch, in: world) == 1)
    #expect(try alice.unsent() > 0)
    let put = try alice.todo("Champagne").node
    let cloudID = try #require(try alice.database.read { try $0.node(put)?.cloudID })
    #expect(try world.storage.read { try $0.node(cloudID, in: branch) } == nil)
    alice.transport.setStandIn { _ in nil }
    try await alice.sync()
    #expect(try epoch(of: branch, in: world) == 2)
    #expect(try alice.unsent() == 0)
  }

  private func epoch(of branch: CloudID, in world: World) throws -> UInt64 {
    let record = try #require(try world.storage.read { try $0.permissions(of: branch) })
    return try PermissionsBody(decoding: record.body).epoch
  }

  /// The server's own outcome of a permit never comes into force: it does not see one.
  private func refusePermits(_ device: Device, _ reason: Refusal) {
    let inner = device.transport
    inner.setStandIn { request in
      guard request.path == Route.batch.path, let batch = try? decode(WireBatch.self, request.body),
        batch.operations.contains(where: { if case .permit = $0.change { true } else { false } })
      else { return nil }
      let outcomes = WireOutcomes.with {
        $0.outcomes = batch.operations.map { operation in
          WireOutcome.with {
            $0.operation = operation.operation
            if case .permit = operation.change {
              $0.refused.reason = reason.rawValue
            } else {
              $0.conflict.reason = Refusal.versionStale.rawValue
            }
          }
        }
      }
      return CloudResponse(status: 200, headers: ["todo-protocol": "1"], body: encode(outcomes))
    }
  }
}
