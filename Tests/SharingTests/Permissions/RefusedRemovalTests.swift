import CloudAPI
import CloudServer
import GRDB
import Lies
import Sharing
import Signing
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

  /// Whoever leaves sends first what they wrote: where that was refused, the leave says what it waits for.
  @Test func aLeaveBehindARefusedChangeNamesIt() async throws {
    let (_, bob, world) = try await sharedList(seed: "leave-behind-refused")
    _ = world
    try bob.add("Groceries", "Tea")
    try bob.database.write { try $0.leave($0.lists()[0].node) }
    let (refused, obstacles) = try bob.database.write { transaction in
      let branch = try transaction.lists()[0].branch
      let puts = "kind = 'put' AND branch = \(branch.rawValue)"
      try transaction.db.execute(
        sql: "UPDATE operations SET state = 'refused', reason = 'quota-exceeded' WHERE \(puts)")
      let operations = try transaction.operations()
      let refused = try #require(operations.first { $0.state == .refused }).sequence
      return (refused, try operations.map { try transaction.obstacle(to: $0)?.refusedNumber })
    }
    // The word to this user's other devices, and its copy, wait with it.
    #expect(obstacles == [nil, refused, refused, refused])
  }

  private func epoch(of branch: CloudID, in world: World) throws -> UInt64 {
    let record = try #require(try world.storage.read { try $0.permissions(of: branch) })
    return try PermissionsBody(decoding: record.body).epoch
  }

  private func refusePermits(_ device: Device, _ reason: Refusal) {
    device.transport.setStandIn { request in RefusalLie.refuse(request, reason).map { .told($0) } }
  }
}

extension Obstacle {
  fileprivate var refusedNumber: Int64? { if case .refused(let number) = self { number } else { nil } }
}
