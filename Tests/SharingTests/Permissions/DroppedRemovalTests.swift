import CloudAPI
import CloudServer
import Lies
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// A server that says of a removal what is not so, that it took it or why it did not: what is written afterwards stays here until
/// the removal is in the log.
@Suite struct DroppedRemovalTests {
  @Test func aRemovalThatWasDroppedGoesAgainAndNothingBeforeIt() async throws {
    let (alice, bob, _) = try await sharedList(seed: "dropped-removal")
    try remove("bob", alice)
    alice.transport.setStandIn { request in RefusalLie.drop(request).map { .told($0) } }
    #expect(try await alice.sync().unsent > 0)
    try alice.add("Groceries", "Champagne")
    for _ in 0..<2 { try await alice.sync() }
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk"])
    alice.transport.setStandIn { _ in nil }
    try await alice.sync()
    #expect(try alice.unsent() == 0)
    try await bob.sync()
    #expect(try bob.titles("Groceries") == ["Milk"])
    #expect(try alice.members("Groceries").sorted() == ["alice"])
  }

  /// The server's word that it may not be read bears out no other of its words.
  @Test func aListThatIsDeniedIsNotDeletedForThat() async throws {
    let (alice, bob, world) = try await sharedList(seed: "denied-removal")
    try await alice.share("Groceries", with: "bob", role: .admin)
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol")
    try await alice.sync()
    try await carol.sync()
    try carol.accept()
    for device in [carol, bob] { try await device.sync() }
    try remove("carol", bob)
    bob.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await bob.sync() }
    bob.transport.setFate { _ in .delivered }
    let branch = try bob.branch("Groceries")
    bob.transport.setTamper { request, response in
      guard request.path == Route.heads.path, var heads = try? decode(WireHeads.self, response.body) else {
        return response
      }
      for index in heads.branches.indices where Array(heads.branches[index].branch) == branch.bytes {
        heads.branches[index].denied = true
      }
      return .told(heads)
    }
    bob.transport.setStandIn { request in RefusalLie.refuse(request, .branchClosed).map { .told($0) } }
    try await bob.sync()
    bob.transport.setTamper { $1 }
    bob.transport.setStandIn { _ in nil }
    try bob.add("Groceries", "Champagne")
    for _ in 0..<2 { try await bob.sync() }
    #expect(try bob.unsent() == 0)
    try await carol.sync()
    #expect(try carol.titles("Groceries") == ["Milk"])
    #expect(try bob.members("Groceries").sorted() == ["alice", "bob"])
  }

  private func remove(_ name: String, _ device: Device) throws {
    try device.database.write { transaction in
      let list = try transaction.lists()[0].node
      let member = try #require(try transaction.members(of: list).first { $0.name == name })
      try transaction.unshare(list, with: member.user)
    }
  }
}

extension Device {
  fileprivate func members(_ list: String) throws -> [String] {
    try database.read { transaction in
      guard let found = try transaction.lists().first(where: { $0.name == list }) else { return [] }
      return try transaction.members(of: found.node).map(\.name)
    }
  }
}
