import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// What a person thinks of others, and calls their devices: all of their devices know it, and nobody else.
@Suite struct RegardTests {
  private func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  /// The server says from now on that a handle is somebody's.
  private func name(_ person: Device, _ handle: String, to device: Device) throws {
    let user = try user(person)
    let entries = try #require(try person.database.read { try $0.keyring(user) }).entries
    device.transport.setTamper { request, response in
      guard request.path == Route.handle(handle).path else { return response }
      let keyring = WireKeyring.with {
        $0.user = data(user.bytes)
        $0.entries = entries.map(\.wire)
      }
      return CloudResponse(status: 200, headers: response.headers, body: encode(keyring))
    }
  }

  @Test func itReachesOnesOtherDevices() async throws {
    let (alice, bob, world) = try await sharedList(seed: "regard")
    let phone = try await alice.second("phone", "alice", in: world)
    let friend = try user(bob)
    let laptop = try alice.database.read { try $0.requireAccount().device }
    try alice.database.write { transaction in
      try transaction.setVerified(friend)
      try transaction.setName("laptop", of: laptop)
    }
    try await settle(alice, phone)
    #expect(try phone.database.read { try $0.regard(for: friend).isVerified })
    #expect(try phone.database.read { try $0.name(of: laptop) } == "laptop")
    #expect(try phone.database.read { try $0.person(friend)?.regard.isVerified } == true)
    try phone.database.write { transaction in
      try transaction.setBlocked(friend)
      try transaction.setName("old laptop", of: laptop)
    }
    try await settle(phone, alice)
    #expect(try alice.database.read { try $0.regard(for: friend) } == Regard(isVerified: true, isBlocked: true))
    #expect(try alice.database.read { try $0.name(of: laptop) } == "old laptop")
    #expect(try bob.database.read { try $0.regard(for: user(alice)) } == Regard())
  }

  /// A device that was stolen says the highest of all, of two nodes even, and is ended.
  @Test func nobodyHasTheLastWord() async throws {
    let (alice, bob, world) = try await sharedList(seed: "last word")
    let phone = try await alice.second("phone", "alice", in: world)
    let stolen = try await alice.second("tablet", "alice", in: world)
    let friend = try user(bob)
    try await settle(alice, phone, stolen)
    try stolen.database.write { transaction in
      try transaction.setBlocked(friend)
      let highest = SealedPreference.with {
        $0.blocked = .with {
          $0.user = data(friend.bytes)
          $0.holds = true
        }
        $0.written = .max
      }
      let second = try transaction.createNode(named: "blocked-again", in: transaction.trunk(.prefs).id).id
      try transaction.db.execute(
        sql: "INSERT INTO preferences (node, kind, subject, written, message) VALUES (?, 'blocked', ?, ?, ?)",
        arguments: [second, Data(friend.bytes), Int64.max, Data(encode(highest))])
      try transaction.queueDataUpload(forNodeID: second)
      try transaction.db.execute(
        sql: "UPDATE preferences SET written = ?, message = ? WHERE kind = 'blocked'",
        arguments: [Int64.max, Data(encode(highest))])
    }
    try await settle(stolen, phone, alice)
    #expect(try phone.database.read { try $0.regard(for: friend).isBlocked })
    let device = try stolen.database.read { try $0.requireAccount().device }
    try await alice.session.endDevice(device, withAdded: false)
    try alice.database.write { try $0.setBlocked(friend, false) }
    for _ in 0..<2 { try await settle(alice, phone) }
    for device in [alice, phone] {
      #expect(try !device.database.read { try $0.regard(for: friend).isBlocked })
      #expect(try device.unsent() == 0)
    }
  }

  @Test func thatNumbersDifferedIsRememberedUntilTheyAreTheSame() async throws {
    let (alice, bob, world) = try await sharedList(seed: "other number")
    let phone = try await alice.second("phone", "alice", in: world)
    let friend = try user(bob)
    try alice.database.write { try $0.setVerified(friend, false) }
    try await settle(alice, phone)
    #expect(try phone.database.read { try $0.regard(for: friend) } == Regard(isOther: true))
    try phone.database.write { try $0.setVerified(friend) }
    try await settle(phone, alice)
    #expect(try alice.database.read { try $0.regard(for: friend) } == Regard(isVerified: true))
    try alice.database.write { try $0.setVerified(friend, false) }
    #expect(try alice.database.read { try $0.regard(for: friend) } == Regard(isOther: true))
  }

  /// Two devices say something at once: of one matter the later counts, and who was blocked stays so though somebody verified them.
  @Test func ofTwoWhoSpeakAtOnceTheLaterIsHeard() async throws {
    let (alice, bob, world) = try await sharedList(seed: "regards")
    let phone = try await alice.second("phone", "alice", in: world)
    let friend = try user(bob)
    let laptop = try alice.database.read { try $0.requireAccount().device }
    try alice.database.write { transaction in
      try transaction.setBlocked(friend)
      try transaction.setName("old", of: laptop)
    }
    world.clock.advance(1000)
    try phone.database.write { transaction in
      try transaction.setVerified(friend)
      try transaction.setName("new", of: laptop)
    }
    try await settle(alice, phone)
    for device in [alice, phone] {
      #expect(try device.database.read { try $0.regard(for: friend) } == Regard(isVerified: true, isBlocked: true))
      #expect(try device.database.read { try $0.name(of: laptop) } == "new")
      #expect(try device.unsent() == 0)
    }
  }

  @Test func whoeverIsBlockedInvitesToNothing() async throws {
    let world = try World(seed: "blocked")
    let alice = try await world.person("alice")
    let mallory = try await world.person("mallory")
    try mallory.add("Spam", "Buy this")
    try await mallory.share("Spam", with: "alice")
    try await settle(mallory, alice)
    #expect(try alice.invites().count == 1)
    let stranger = try user(mallory)
    try alice.database.write { try $0.setBlocked(stranger) }
    #expect(try alice.invites().isEmpty)
    try mallory.add("More", "And this")
    try await mallory.share("More", with: "alice")
    try await settle(mallory, alice)
    #expect(try alice.invites().isEmpty && alice.quarantine().isEmpty)
    try alice.database.write { try $0.setBlocked(stranger, false) }
    try mallory.add("Peace", "Sorry")
    try await mallory.share("Peace", with: "alice")
    try await settle(mallory, alice)
    #expect(try alice.invites().map(\.title) == ["Peace"])
  }

  /// What answers it would be thrown away, and the code be used up.
  @Test func aCodeOfWhoeverIsBlockedIsNotUsed() async throws {
    let (alice, bob, _) = try await sharedList(seed: "blocked code")
    try alice.add("Spare", "Tea")
    try await alice.sync()
    let code = try alice.database.write { transaction in
      let list = try #require(transaction.lists().first { $0.name == "Spare" })
      return try transaction.makeCode(for: list.node, role: .editor, title: list.title, note: "")
    }
    let inviter = try user(alice)
    try bob.database.write { try $0.setBlocked(inviter) }
    #expect(throws: ShareError.blocked("alice")) { try bob.database.write { try $0.claim(code, of: inviter) } }
    try await settle(bob, alice)
    let branch = try alice.branch("Spare")
    #expect(try alice.database.read { try $0.openCodes(for: branch).count } == 1)
    try bob.database.write { try $0.setBlocked(inviter, false) }
    try bob.database.write { try $0.claim(code, of: inviter) }
    // One that waits is forgotten with its inviter, and can be typed again.
    try bob.database.write { try $0.setBlocked(inviter) }
    #expect(try bob.database.read { try $0.openClaims() }.isEmpty)
    try bob.database.write { try $0.setBlocked(inviter, false) }
    try bob.database.write { try $0.claim(code, of: inviter) }
    try await settle(bob, alice)
    #expect(try bob.titles("Spare") == ["Tea"])
  }

  /// The server gives a handle to somebody else: who was met under it is meant until the other one was verified.
  @Test func anotherIdentityIsNotBelieved() async throws {
    let (alice, bob, world) = try await sharedList(seed: "changed")
    let impostor = try await world.person("bobby")
    let old = try user(bob)
    try name(impostor, "bob", to: alice)
    // Its own entries say another handle: no server can change those.
    await #expect(throws: Refusal.userMismatch) { try await alice.session.lookUpAgain(handle: "bob") }
    #expect(try await alice.session.lookUp(handle: "bob")?.user == old)
  }

  @Test func aHandleMeansWhoWasVerifiedUnderIt() async throws {
    let first = try World(seed: "first")
    let (alice, _) = (try await first.person("alice"), try await first.person("bob"))
    let old = try #require(try await alice.session.lookUp(handle: "bob")).user
    // The server was set up anew, and somebody else took the handle.
    let second = try World(seed: "second")
    let bob = try await second.person("bob")
    let new = try user(bob)
    try name(bob, "bob", to: alice)
    let found = try #require(try await alice.session.lookUpAgain(handle: "bob"))
    #expect(found.hasChanged && found.person.user == new && found.person.display != "bob")
    #expect(try await alice.session.lookUp(handle: "bob")?.user == old)
    try alice.database.write { try $0.setVerified(new) }
    let now = try #require(try await alice.session.lookUp(handle: "bob"))
    #expect(now.user == new && now.display == "bob" && now.regard.isVerified)
    #expect(try alice.database.read { try $0.person(old)?.display } != "bob")
  }

  @Test func bothSeeTheSameNumber() throws {
    let users = ["alice", "bob", "carol"].map { UserID(exactly: digest(.userID, Array($0.utf8), length: 20)) }
    let number = SafetyNumber(of: users[0], and: users[1])
    #expect(number == SafetyNumber(of: users[1], and: users[0]))
    #expect(number.groups.count == 12 && number.groups.allSatisfy { $0.count == 5 && Int($0) != nil })
    #expect(number != SafetyNumber(of: users[0], and: users[2]))
    #expect(number.matches(" \(number) ") && number.matches(number.groups.joined(separator: "-")))
    #expect(!number.matches(String("\(number)".dropLast())) && !number.matches(""))
  }
}
