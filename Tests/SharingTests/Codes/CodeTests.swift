import CloudAPI
import Foundation
import GRDB
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// Meeting with a code: it lets one person in, and proves both to each other.
@Suite struct CodeTests {
  private let world: World
  private let alice: Device

  init() async throws {
    world = try World(seed: "codes")
    alice = try await world.person("alice")
    try alice.add("Groceries", "Milk")
    try await alice.sync()
  }

  private func makeCode(_ role: Role = .editor) throws -> InviteCode {
    try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      return try transaction.makeCode(for: list.node, role: role, title: list.title, note: "")
    }
  }

  private func claim(_ code: InviteCode, _ device: Device, as alias: String? = nil) async throws {
    let inviter = try #require(try await device.session.lookUp(handle: code.handle))
    try device.database.write { try $0.claim(code, of: inviter.user, named: alias) }
  }

  private func memberCount() throws -> Int {
    try alice.database.read { try $0.members(of: $0.lists()[0].node).count }
  }

  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  @Test func itLetsOnePersonIn() async throws {
    let code = try #require(InviteCode(text: makeCode().text))
    let bob = try await world.person("bob")
    try await claim(code, bob, as: "Alice's")
    try await settle(bob, alice, bob)
    #expect(try bob.titles("Alice's") == ["Milk"])
    #expect(try bob.database.read { try $0.isAnswered(code) })
    #expect(try bob.database.read { try $0.regard(for: user(alice)).isVerified })
    #expect(try alice.database.read { try $0.regard(for: user(bob)).isVerified })
    let carol = try await world.person("carol")
    try await claim(code, carol)
    try await settle(carol, alice, bob)
    #expect(try carol.invites().isEmpty && carol.listNames().isEmpty)
    #expect(try memberCount() == 2)
  }

  @Test func ofTwoAtOnceOneGetsIn() async throws {
    let code = try makeCode()
    let (bob, carol) = (try await world.person("bob"), try await world.person("carol"))
    try await claim(code, bob)
    try await claim(code, carol)
    try await bob.sync()
    try await carol.sync()
    try await settle(alice, bob, carol)
    #expect(try memberCount() == 2)
    #expect(try [bob, carol].filter { try !$0.listNames().isEmpty }.count == 1)
  }

  /// Bob threw the answer away, because he had blocked alice meanwhile: typed again, the code lets him in, but not once he was taken off.
  @Test func whoMissedTheAnswerGetsItAgain() async throws {
    let code = try makeCode()
    let bob = try await world.person("bob")
    let inviter = try user(alice)
    try await claim(code, bob)
    try await bob.sync()
    try bob.database.write { try $0.setBlocked(inviter) }
    try await settle(alice, bob)
    #expect(try bob.listNames() == [] && memberCount() == 2)
    try bob.database.write { try $0.setBlocked(inviter, false) }
    try await claim(code, bob)
    try await settle(bob, alice, bob)
    #expect(try bob.listNames() == ["Groceries"])
    let friend = try user(bob)
    try alice.database.write { _ = try $0.unshare($0.lists()[0].node, with: friend) }
    try await settle(alice, bob)
    try bob.database.write { try $0.db.execute(sql: "DELETE FROM claims") }
    try await claim(code, bob)
    try await settle(bob, alice, bob)
    #expect(try memberCount() == 1)
    #expect(try bob.database.read { try $0.openClaims().map(\.dead) } == [.used])
  }

  @Test func itTakesNothingFromSomebodyWhoHasMore() async throws {
    let bob = try await world.person("bob")
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await settle(alice, bob)
    try bob.accept()
    let code = try makeCode(.viewer)
    try await claim(code, bob)
    try await settle(bob, alice)
    let roles = try alice.database.read { try $0.members(of: $0.lists()[0].node).map(\.role) }
    #expect(roles == [.owner, .admin])
  }

  /// Numbers that were not the same speak against whoever made the code, or has it.
  @Test func nobodyGetsInWhoseNumberIsAnotherOne() async throws {
    let code = try makeCode()
    let bob = try await world.person("bob")
    let owner = try user(alice)
    _ = try await bob.session.lookUp(handle: "alice")
    try bob.database.write { try $0.setVerified(owner, false) }
    await #expect(throws: ShareError.otherNumber("alice")) { try await claim(code, bob) }
    #expect(try bob.database.read { try $0.openClaims().isEmpty })
    // It is found out while the code waits: then what answers it waits as well.
    try bob.database.write { try $0.setVerified(owner) }
    try await claim(code, bob)
    try await bob.sync()
    try bob.database.write { try $0.setVerified(owner, false) }
    try await settle(alice, bob)
    #expect(try bob.listNames().isEmpty)
    #expect(try bob.invites().map(\.isSenderOther) == [true])
    #expect(try bob.database.read { try $0.regard(for: owner).isOther })
    // The other way round, the list is shared with nobody, and the code stays good for whom it was meant.
    let (carol, dave) = (try await world.person("carol"), try await world.person("dave"))
    let another = try makeCode()
    let other = try user(carol)
    _ = try await alice.session.lookUp(handle: "carol")
    try alice.database.write { try $0.setVerified(other, false) }
    try await claim(another, carol)
    try await settle(carol, alice, carol)
    #expect(try carol.invites().isEmpty && carol.listNames().isEmpty)
    #expect(try carol.database.read { try $0.openClaims().map(\.dead) } == [.notShared])
    #expect(try alice.database.read { try $0.regard(for: other).isOther })
    try await claim(another, dave)
    try await settle(dave, alice, dave)
    #expect(try dave.titles("Groceries") == ["Milk"])
  }

  /// A code says that whoever has it may come in, not that they are who was met under their handle.
  @Test func itTakesNoNameFromAnybody() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    let old = UserID(exactly: digest(.userID, [1], length: 20))
    for device in [alice, phone] {
      try device.database.write {
        try $0.db.execute(sql: "INSERT INTO people (user, handle, first_seen) VALUES (?, 'bob', 0)", arguments: [old])
      }
    }
    try alice.database.write { try $0.setVerified(old) }
    let bob = try await world.person("bob")
    let new = try user(bob)
    try await claim(makeCode(), bob)
    try await settle(bob, alice, bob, phone)
    #expect(try bob.titles("Groceries") == ["Milk"])
    for device in [alice, phone] {
      #expect(try device.database.read { try $0.person(handle: "bob")?.user } == old)
      #expect(try device.database.read { try $0.person(old)?.display } == "bob")
      #expect(try device.database.read { try $0.displayName(of: new) }.hasPrefix("bob~"))
      #expect(try device.database.read { try $0.regard(for: new).isVerified })
    }
    // Once the digits were compared it is the name of whoever has it now.
    try alice.database.write { try $0.setVerified(new) }
    try await settle(alice, phone)
    for device in [alice, phone] {
      #expect(try device.database.read { try $0.person(handle: "bob")?.user } == new)
    }
  }

  @Test func itExpires() async throws {
    let code = try makeCode()
    let bob = try await world.person("bob")
    try await claim(code, bob)
    world.clock.advance(7 * 24 * 3600 * 1000 + 1)
    try await settle(bob, alice, bob)
    #expect(try memberCount() == 1 && bob.listNames().isEmpty)
  }

  @Test func itIsWithdrawn() async throws {
    let code = try makeCode()
    let branch = try alice.branch("Groceries")
    #expect(try alice.database.read { try $0.openCodes(for: branch).map(\.role) } == [.editor])
    #expect(try alice.database.write { try $0.withdrawCodes(for: branch) } == 1)
    let bob = try await world.person("bob")
    try await claim(code, bob)
    try await settle(bob, alice, bob)
    #expect(try memberCount() == 1)
    #expect(try alice.database.read { try $0.openCodes(for: branch).isEmpty })
  }

  /// Whoever knows its id only, as the server does, proves nothing; after three tries nobody gets in with it.
  @Test func threeWrongProofsEndIt() async throws {
    let code = try makeCode()
    for name in ["m1", "m2", "m3"] {
      let mallory = try await world.person(name)
      try mallory.database.write { transaction in
        var message = SealedMessage()
        message.claim.code = data(code.id)
        message.claim.proof = data([UInt8](repeating: 1, count: 32))
        try transaction.sendMessage(message, toRecipients: [user(alice)], withDependencies: [])
      }
      try await settle(mallory, alice)
    }
    let bob = try await world.person("bob")
    try await claim(code, bob)
    try await settle(bob, alice, bob)
    #expect(try memberCount() == 1)
  }

  /// Only the device that made it can answer, and no other takes the claim away from it.
  @Test func anotherDeviceOfTheInvitersLeavesItAlone() async throws {
    let phone = try await alice.second("phone", "alice", in: world)
    let code = try makeCode()
    let bob = try await world.person("bob")
    try await claim(code, bob)
    try await settle(bob, phone)
    #expect(try bob.listNames().isEmpty)
    try await settle(alice, bob, phone)
    #expect(try bob.titles("Groceries") == ["Milk"])
    #expect(try phone.database.read { try $0.members(of: $0.lists()[0].node).count } == 2)
  }

  @Test func aLostAnswerLosesNothing() async throws {
    for fate in [InProcessTransport.Fate.lost, .replyLost] {
      let code = try makeCode()
      let bob = try await world.person(fate == .lost ? "bob" : "carol")
      try await claim(code, bob)
      for device in [bob, alice] {
        device.transport.setFate { $0.path == Route.batch.path ? fate : .delivered }
        await #expect(throws: CloudFailure.unreachable) { try await device.sync() }
        device.transport.setFate { _ in .delivered }
        try await device.sync()
      }
      try await settle(bob, alice)
      #expect(try bob.titles("Groceries") == ["Milk"])
    }
  }

  @Test func aSlipOfThePenIsFound() throws {
    let code = try makeCode()
    let text = code.text
    #expect(InviteCode(text: text) == code)
    #expect(InviteCode(text: text.lowercased().replacingOccurrences(of: "-", with: "")) == code)
    for index in 0..<20 {
      var values = code.values
      values[index] ^= 1
      let wrong = InviteCode(values: values, handle: code.handle).text.prefix(24) + text.dropFirst(24)
      #expect(InviteCode(text: String(wrong)) == nil)
    }
    for wrong in ["", ".", "alice", String(text.dropLast()), text.replacingOccurrences(of: "alice", with: "alicf")] {
      #expect(InviteCode(text: wrong) == nil, "\(wrong)")
    }
  }
}
