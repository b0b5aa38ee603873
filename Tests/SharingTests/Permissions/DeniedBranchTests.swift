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

/// A server that says in the place of a page that somebody may not read a branch: that is its word alone, and nothing of the branch is sent
/// while it stands.
@Suite struct DeniedBranchTests {
  private func deny(_ branch: CloudID, to device: Device) {
    device.transport.setTamper { request, response in
      guard request.path == Route.pull.path, let asked = try? decode(WirePullRequest.self, request.body),
        Array(asked.branch) == branch.bytes
      else { return response }
      return .refusing(.letterMissing, status: 403)
    }
  }

  private func isOnServer(_ title: String, of device: Device, in world: World) throws -> Bool {
    let node = try device.todo(title).node
    let place = try device.database.read { transaction in
      let node = try transaction.node(node)
      return (node?.cloudID, try node.flatMap { try transaction.cloudID(of: $0.branch) })
    }
    guard let cloudID = place.0, let branch = place.1 else { return false }
    return try world.storage.read { try $0.node(cloudID, in: branch) } != nil
  }

  /// What somebody may not read any more is not read again, and whoever reads their inbox again finds the same word of it there.
  @Test func whatIsDeniedIsNotReadAgain() async throws {
    let (alice, bob, _) = try await sharedList(seed: "denied-again")
    let (owner, friend) = (try alice.user(), try bob.user())
    let branch = try bob.database.read { try $0.lists()[0].branch }
    try alice.database.write { transaction in _ = try transaction.unshare(transaction.lists()[0].node, with: friend) }
    try await settle(alice, bob)
    #expect(try bob.database.read { try $0.removal(from: branch)?.by } == owner)
    try bob.database.write { transaction in
      let spoil = """
        INSERT INTO quarantine (branch, line, cloud_id, reason, since, row)
        SELECT branch, number, cloud_id, 'signature-bad', 1, x'' FROM lines WHERE branch = ? AND kind = 1 LIMIT 1
        """
      try transaction.db.cachedStatement(sql: spoil).execute(arguments: [branch])
    }
    #expect(try bob.database.read { try $0.branchesToReadAgain() }.isEmpty)
    try await bob.session.repull(bob.database.read { try $0.trunk(.inbox).branch })
    try await bob.sync()
    let inbox = try bob.database.read { try $0.trunk(.inbox).branch }
    #expect(try bob.database.read { try $0.quarantined() }.allSatisfy { $0.branch != inbox })
    #expect(try bob.database.read { try $0.removal(from: branch)?.by } == owner)
  }

  /// Carol, an admin, takes bob off; her removal is refused as well.
  @Test func nothingOvertakesAnAdminsRemoval() async throws {
    let (alice, bob, world) = try await sharedList(seed: "denied-admin")
    let carol = try await world.person("carol")
    try await alice.share("Groceries", with: "carol", role: .admin)
    try await settle(alice, carol)
    try carol.accept()
    try await settle(carol, alice, bob)
    let friend = try bob.user()
    try carol.database.write { transaction in
      _ = try transaction.unshare(transaction.lists()[0].node, with: friend)
    }
    try carol.add("Groceries", "Surprise for bob")
    try alice.add("Groceries", "Bread")
    try await alice.sync()
    deny(try carol.branch("Groceries"), to: carol)
    carol.transport.setStandIn { request in RefusalLie.refuse(request, .letterMissing).map { .told($0) } }
    for _ in 0..<3 { try await carol.sync() }
    #expect(try !isOnServer("Surprise for bob", of: carol, in: world))
    carol.transport.setStandIn { _ in nil }
    for _ in 0..<2 { try await carol.sync() }
    #expect(
      try !isOnServer("Surprise for bob", of: carol, in: world), "the server takes batches, and hides the list yet")
    carol.transport.setTamper { $1 }
    for _ in 0..<2 { try await carol.sync() }
    #expect(try carol.unsent() == 0)
    try await settle(bob, alice)
    #expect(try bob.titles("Groceries") == ["Milk"] || bob.titles("Groceries") == ["Bread", "Milk"])
    #expect(try alice.titles("Groceries") == ["Bread", "Milk", "Surprise for bob"])
  }

  /// A device of bob's, who is an editor, was stolen.
  @Test func nothingGoesOutBeforeTheNewKey() async throws {
    let (alice, bob, world) = try await sharedList(seed: "denied-renewal")
    let tablet = try await bob.second("tablet", "bob", in: world)
    try await settle(bob, tablet, alice)
    let stolen = try tablet.database.read { try $0.requireAccount().device }
    try await bob.session.endDevice(stolen, withAdded: false)
    try alice.add("Groceries", "Bread")
    try await alice.sync()
    let before = try epoch(of: "Groceries", alice, in: world)
    try bob.add("Groceries", "New door code")
    deny(try bob.branch("Groceries"), to: bob)
    for _ in 0..<3 { try await bob.sync() }
    #expect(try !isOnServer("New door code", of: bob, in: world))
    bob.transport.setTamper { $1 }
    for _ in 0..<2 { try await bob.sync() }
    #expect(try isOnServer("New door code", of: bob, in: world))
    #expect(try epoch(of: "Groceries", alice, in: world) >= before)
    #expect(try bob.unsent() == 0)
  }

  /// What heads say of a branch, by what they say now; each answer may name it more often than once.
  private func answer(_ branch: CloudID, to device: Device, denied: [Bool]) {
    device.transport.setTamper { request, response in
      guard request.path == Route.heads.path, var heads = try? decode(WireHeads.self, response.body),
        let head = heads.branches.first(where: { Array($0.branch) == branch.bytes })
      else { return response }
      heads.branches.removeAll { $0 == head }
      heads.branches += denied.map { isDenied in
        var head = head
        head.denied = isDenied
        return head
      }
      var response = response
      response.body = encode(heads)
      return response
    }
  }

  /// A denial, and then an answer that gives the list and takes it away: the removal goes first whatever was said.
  @Test(arguments: [[false, true], [true, false], [false, false]])
  func aRemovalOutlivesADenial(_ second: [Bool]) async throws {
    let (alice, bob, world) = try await sharedList(seed: "denied-head")
    let friend = try bob.user()
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    let branch = try alice.branch("Groceries")
    answer(branch, to: alice, denied: [true])
    try await alice.sync()
    answer(branch, to: alice, denied: second)
    await #expect(throws: CloudFailure.nonsense) { try await alice.sync() }
    try alice.add("Groceries", "After the removal")
    alice.transport.setTamper { $1 }
    try await alice.sync()
    #expect(try alice.unsent() == 0)
    #expect(try isOnServer("After the removal", of: alice, in: world))
    #expect(
      try world.storage.read { try $0.permissions(of: branch) }.map { try PermissionsBody(decoding: $0.body) }?.epoch
        == 2)
    try await settle(bob)
    #expect(try bob.titles("Groceries") == ["Milk"])
  }

  /// There may be a removal in a page that is not given, whatever the server calls that.
  @Test(arguments: [Refusal.notFound, .letterMissing, .internal, .diskFull])
  func nothingIsWrittenOnWhatCannotBeRead(_ word: Refusal) async throws {
    let (alice, bob, world) = try await sharedList(seed: "denied-page")
    try bob.add("Groceries", "Bread")
    try await bob.sync()
    let branch = try alice.branch("Groceries")
    alice.transport.setTamper { request, response in
      guard request.path == Route.pull.path, let asked = try? decode(WirePullRequest.self, request.body),
        Array(asked.branch) == branch.bytes
      else { return response }
      return .refusing(word, status: 403)
    }
    try alice.add("Groceries", "Surprise")
    for _ in 0..<2 { _ = try? await alice.sync() }
    #expect(try !isOnServer("Surprise", of: alice, in: world))
    alice.transport.setTamper { $1 }
    try await alice.sync()
    #expect(try isOnServer("Surprise", of: alice, in: world) && alice.unsent() == 0)
  }

  /// One word of the server's, and somebody would keep letters that were taken from them.
  @Test func aLowerRoleIsSaidAgain() async throws {
    let (alice, bob, _) = try await sharedList(seed: "denied-role")
    try await alice.share("Groceries", with: "bob", role: .viewer)
    alice.transport.setStandIn { request in RefusalLie.refuse(request, .letterMissing).map { .told($0) } }
    try await alice.sync()
    #expect(try alice.database.read { try $0.operations().contains { $0.reason == .refusalUnfounded } })
    alice.transport.setStandIn { _ in nil }
    try await settle(alice, bob)
    #expect(try alice.unsent() == 0)
    #expect(try bob.database.read { try !$0.mayWrite($0.lists()[0].node) })
  }

  private func epoch(of list: String, _ device: Device, in world: World) throws -> UInt64 {
    let branch = try device.branch(list)
    let record = try #require(try world.storage.read { try $0.permissions(of: branch) })
    return try PermissionsBody(decoding: record.body).epoch
  }

  /// What somebody sends lies in a trunk of theirs, which a device that was stolen could read.
  @Test func nobodyIsDeniedATrunkOfTheirOwn() async throws {
    let (alice, _, world) = try await sharedList(seed: "denied-trunk")
    let phone = try await alice.second("phone", "alice", in: world)
    let tablet = try await alice.second("tablet", "alice", in: world)
    let carol = try await world.person("carol")
    for device in [alice, phone, tablet, alice] { try await device.sync() }
    let outbox = Trunk.outbox.cloudID(of: try alice.user())
    // Something is there that alice's device has not read.
    try await phone.share("Groceries", with: "carol")
    try await phone.sync()
    let lines = try #require(try world.storage.read { try $0.head(of: outbox) }).line
    deny(outbox, to: alice)
    let stolen = try tablet.database.read { try $0.requireAccount().device }
    try await alice.session.endDevice(stolen, withAdded: false)
    try alice.add("Private", "Letter")
    try await alice.share("Private", with: "carol")
    for _ in 0..<3 { #expect(try await alice.sync().troubles == [outbox: .refusalUnfounded]) }
    #expect(try world.storage.read { try $0.head(of: outbox) }?.line == lines)
    alice.transport.setTamper { $1 }
    #expect(try await alice.sync().troubles.isEmpty)
    #expect(try alice.unsent() == 0)
    let record = try #require(try world.storage.read { try $0.permissions(of: outbox) })
    #expect(try PermissionsBody(decoding: record.body).epoch == 2)
    try await carol.sync()
    #expect(try carol.invites().map(\.title).sorted() == ["Groceries", "Private"])
  }

  /// In older profiles one reason stood for this and for a record that fits no letter.
  @Test func whatWasDeniedBeforeIsHeldBackAsWell() throws {
    let queue = try DatabaseQueue()
    let migrator = Schema.migrator(app: [])
    try migrator.migrate(queue, upTo: "treesystem-18")
    try queue.write { db in
      try db.execute(sql: "UPDATE branches SET trouble = 'letter-missing', trouble_since = 7 WHERE trunk = 'prefs'")
      try db.execute(sql: "UPDATE branches SET trouble = 'fork', trouble_since = 8 WHERE trunk = 'home'")
    }
    try migrator.migrate(queue)
    let troubles = try queue.read { db in
      try Row.fetchAll(db, sql: "SELECT trouble, trouble_since FROM branches WHERE trouble IS NOT NULL ORDER BY 2")
        .map { [$0[0] as String, "\($0[1] as Int64)"] }
    }
    #expect(troubles == [[Refusal.branchDenied.rawValue, "7"], [Refusal.fork.rawValue, "8"]])
  }
}
