import CloudAPI
import Lies
import Sharing
import SwiftProtobuf
import Synchronization
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Taking people off a list.
struct UnshareTests {
  private func unshare(_ device: Device, _ handle: String) throws {
    try device.database.write { transaction in
      let list = try transaction.lists()[0]
      guard let member = try transaction.members(of: list.node).first(where: { $0.name == handle }) else {
        throw ShareError.unknownUser(handle)
      }
      try transaction.unshare(list.node, with: member.user)
    }
  }

  private func members(_ device: Device) throws -> [Member] {
    try device.database.read { try $0.members(of: $0.lists()[0].node) }
  }

  /// A record about who is on a list is signed on top of the one before, so the next one waits for its answer.
  @Test func oneRecordAboutMembersIsSentAtATime() async throws {
    let (alice, bob, world) = try await sharedList(seed: "one at a time")
    let carol = try await world.person("carol")
    try unshare(alice, "bob")
    try await alice.share("Groceries", with: "carol")
    alice.transport.clearTraffic()
    try await alice.sync()
    let sent = alice.transport.traffic.with { $0 }.map { permits($0.request).count }
    #expect(sent.filter { $0 > 0 } == [1, 1])
    #expect(try alice.unsent() == 0)
    try await settle(bob, carol)
    #expect(try carol.invites().count == 1)
  }

  /// The first one was refused without ground, and is tried again: what was sent after it and not answered comes first, as it was.
  @Test func whatWasSentGoesAgainBeforeWhatWasQueuedEarlier() async throws {
    let (alice, bob, world) = try await sharedList(seed: "sent first")
    let carol = try await world.person("carol")
    try unshare(alice, "bob")
    try await alice.share("Groceries", with: "carol")
    let seen = Mutex<[WirePermit]>([])
    alice.transport.setStandIn { request in
      let sent = permits(request)
      guard !sent.isEmpty else { return nil }
      seen.withLock { $0 += sent }
      guard seen.withLock({ $0.count }) == 1 else { return nil }
      return RefusalLie.refuse(request, .letterMissing).map {
        CloudResponse(status: 200, headers: ["todo-protocol": String(protocolVersion)]).carrying($0)
      }
    }
    alice.transport.setFate { permits($0).isEmpty || seen.withLock { $0.isEmpty } ? .delivered : .lost }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    let unanswered = alice.transport.traffic.with { $0 }.flatMap { permits($0.request) }.last
    alice.transport.setFate { _ in .delivered }
    alice.transport.clearTraffic()
    try await alice.sync()
    let again = alice.transport.traffic.with { $0 }.flatMap { permits($0.request) }
    #expect(again.first == unanswered && again.count == 2)
    try await settle(alice, bob, carol)
    #expect(try !members(alice).map(\.name).contains("bob") && carol.invites().count == 1)
  }

  @Test func whoeverIsTakenOffSeesNothingNew() async throws {
    let (alice, bob, world) = try await sharedList(seed: "unshare")
    _ = world
    try unshare(alice, "bob")
    #expect(try members(alice).map(\.isLeaving) == [false, true])
    try await alice.sync()
    #expect(try members(alice).map(\.name) == ["alice"])
    try alice.add("Groceries", "Champagne")
    try await alice.sync()
    let report = try await bob.sync()
    #expect(Array(report.troubles.values) == [.branchDenied])
    // It is said once; what remains is known without that.
    #expect(try await bob.sync().troubles.isEmpty)
    #expect(try bob.database.read { try $0.troubles().map(\.reason) } == [.branchDenied])
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  @Test func whoeverReadsOnIsStillAMemberUntilTheServerKnows() async throws {
    let (alice, bob, world) = try await sharedList(seed: "unshare-offline")
    _ = world
    try unshare(alice, "bob")
    try alice.add("Groceries", "Champagne")
    #expect(try members(alice).map(\.name) == ["alice", "bob"])
    // The removal goes first: what was written after it is for those who stay.
    try await alice.sync()
    // Only that the invitation is withdrawn.
    #expect(try await bob.sync().received == 1)
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  @Test func anInvitationThatWasNotSentIsWithdrawn() async throws {
    let world = try World(seed: "unshare-withdraw")
    let alice = try await world.person("alice")
    let bob = try await world.person("bob")
    try alice.add("Groceries", "Milk")
    try await alice.sync()
    try await alice.share("Groceries", with: "bob")
    try unshare(alice, "bob")
    #expect(try members(alice).map(\.name) == ["alice"])
    try await alice.sync()
    try await bob.sync()
    #expect(try bob.invites().isEmpty)
    #expect(try alice.unsent() == 0)
  }

  /// The list goes before it, and what invites to it, was sent.
  @Test func removingAListThatWasNeverSentWithdrawsItsInvitation() async throws {
    let world = try World(seed: "unshare-never-sent")
    let alice = try await world.person("alice")
    let bob = try await world.person("bob")
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    try alice.database.write { try $0.removeList(try $0.lists()[0]) }
    #expect(try alice.unsent() == 0)
    try await alice.sync()
    try await bob.sync()
    #expect(try bob.invites().isEmpty)
    #expect(try bob.quarantine().isEmpty)
  }

  /// Bob reads it, so that the list goes from alice's tree alone, and carol's letters with it.
  @Test func removingAListWithdrawsAnInvitationThatWaits() async throws {
    let (alice, _, world) = try await sharedList(seed: "unshare-removed")
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try alice.letGo("Groceries")
    try await alice.sync()
    try await carol.sync()
    #expect(try carol.invites().isEmpty)
    #expect(try carol.quarantine().isEmpty)
    #expect(try alice.unsent() == 0)
  }

  /// The server has the permission change, and its author does not know.
  @Test func removingAListWithdrawsAnInvitationWhosePermissionChangeIsUnderWay() async throws {
    let world = try World(seed: "unshare-under-way")
    let alice = try await world.person("alice", batchOperations: 1)
    let bob = try await world.person("bob")
    try alice.add("Groceries", "Milk")
    try await alice.sync()
    try await alice.share("Groceries", with: "bob")
    _ = alice.transport.setFate(.replyLost, ofRequest: 1) { $0.path == Route.batch.path }
    #expect(try await alice.isStopped())
    try alice.letGo("Groceries")
    try await alice.sync()
    try await bob.sync()
    #expect(try bob.invites().isEmpty)
    #expect(try bob.quarantine().isEmpty)
    #expect(try alice.unsent() == 0)
  }

  @Test func whoeverWasTakenOffCanBeInvitedAgain() async throws {
    let (alice, bob, world) = try await sharedList(seed: "unshare-again")
    _ = world
    try unshare(alice, "bob")
    try await alice.sync()
    try alice.add("Groceries", "Champagne")
    try await bob.sync()
    try await alice.share("Groceries", with: "bob")
    try await alice.sync()
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Champagne", "Milk"])
    #expect(try bob.database.read { try $0.troubles().isEmpty })
  }

  /// The server gives its content to those who are on the list only.
  @Test func whatIsGivenUpAfterARemovalIsTakenBackHere() async throws {
    let (alice, bob, world) = try await sharedList(seed: "unshare-discard")
    _ = world
    try bob.add("Groceries", "Eggs")
    try await bob.sync()
    try await alice.sync()
    try unshare(alice, "bob")
    try await alice.sync()
    try bob.edit("Milk", to: "Oat milk")
    try bob.edit("Oat milk", to: "Rice milk")
    try bob.tick("Eggs")
    try bob.add("Groceries", "Champagne")
    try await bob.sync()
    try bob.database.write { transaction in
      for operation in try transaction.operations() { try transaction.discardOperation(operation.sequence) }
    }
    #expect(try bob.titles("Groceries") == ["Eggs", "Milk"])
    #expect(try bob.unsent() == 0)
  }
}

/// What a request changes about who is on a branch.
@Sendable private func permits(_ request: CloudRequest) -> [WirePermit] {
  guard request.path == Route.batch.path else { return [] }
  return (try? decode(WireBatch.self, request.body))?.operations.compactMap {
    if case .permit(let permit) = $0.change { permit } else { nil }
  } ?? []
}
