import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// A laptop of bob's is stolen, who is an editor of alice's list: he ends it from his phone.
@Suite struct StolenDeviceTests {
  private let world: World
  private let alice: Device
  private let laptop: Device
  private let phone: Device
  private let root: RootKey

  init() async throws {
    (alice, laptop, world) = try await sharedList(seed: "stolen")
    root = try #require(try laptop.database.read { try $0.root() })
    phone = try await laptop.second("phone", "bob", in: world)
    try await settle(alice, laptop, phone)
  }

  private func endLaptop() async throws {
    try await phone.session.endDevice(laptop.database.read { try $0.requireAccount().device }, withAdded: false)
  }

  /// The record in force of a list, as the server has it.
  private func permissions(of list: String) throws -> PermissionsBody {
    let branch = try alice.branch(list)
    let record = try #require(try world.storage.read { try $0.permissions(of: branch) })
    return try PermissionsBody(decoding: record.body)
  }

  @Test func itIsNotLetInAnyMore() async throws {
    try await endLaptop()
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await laptop.sync() }
    try await phone.sync()
    let ended = try phone.database.read { try $0.devices().map { $0.ended != nil } }
    #expect(ended == [true, false])
  }

  /// Neither it nor the server reads what is written afterwards, on a list that somebody else owns.
  @Test func whatIsWrittenAfterwardsIsSealedToOtherKeys() async throws {
    try await endLaptop()
    try await phone.sync()
    try await alice.sync()
    try alice.add("Groceries", "Champagne")
    try await settle(alice, phone)
    #expect(try phone.titles("Groceries") == ["Champagne", "Milk"])
    let body = try permissions(of: "Groceries")
    #expect(body.epoch == 2)
    try expectClosed(body)
    for trunk in Trunk.allCases {
      let branch = trunk.cloudID(of: try phone.database.read { try $0.requireAccount().user })
      let record = try #require(try world.storage.read { try $0.permissions(of: branch) })
      try expectClosed(PermissionsBody(decoding: record.body))
    }
  }

  /// With everything that the laptop and the server have together.
  private func expectClosed(_ body: PermissionsBody) throws {
    let secrets = try laptop.database.read { transaction in
      try Data.fetchAll(transaction.db, sql: "SELECT secret FROM user_keys UNION SELECT box_secret FROM account")
        .map { SecretBytes(Array($0)) }
    }
    #expect(secrets.count >= 2)
    let user = try phone.database.read { try $0.requireAccount().user }
    let keyring = try #require(try alice.database.read { try $0.keyring(user) })
    let sealed = try #require(keyring.generations.last).sealed.map(\.sealed)
    #expect(sealed.count >= 2)
    for box in body.entries.map(\.sealedKey) + sealed {
      for secret in secrets { #expect(BoxKey(secret: secret).open(sealedBox: box) == nil) }
    }
    let older = try laptop.database.read { transaction in
      try Data.fetchAll(transaction.db, sql: "SELECT key FROM branch_keys").map { SecretBytes(Array($0)) }
    }
    for secret in older {
      #expect(BranchKey(branch: body.branch, epoch: body.epoch, secret: secret).commitment != body.commitment)
    }
  }

  /// Whoever has heard of it sends nothing under the key that the laptop has.
  @Test func nothingOvertakesTheRenewal() async throws {
    try alice.add("Groceries", "Champagne")
    try await endLaptop()
    try await alice.sync()
    let branch = try alice.branch("Groceries")
    let kinds = try world.storage.read { try $0.lines(of: branch, after: 0, limit: 100).map(\.kind) }
    #expect(Array(kinds.suffix(2)) == [Line.Kind.permissions, .header])
    try await settle(alice, phone)
    #expect(try phone.titles("Groceries") == ["Champagne", "Milk"])
  }

  /// The same on one's own other device, which has to be renewed for one's own sake.
  @Test func nothingOfOnesOwnOvertakesItEither() async throws {
    let tablet = try world.device("tablet")
    try await tablet.session.logIn(root: root, handle: "bob", server: "test")
    try await tablet.sync()
    try tablet.add("Groceries", "Champagne")
    try await endLaptop()
    let branch = try alice.branch("Groceries")
    let before = try world.storage.read { try $0.lines(of: branch, after: 0, limit: 100).count }
    try await tablet.sync()
    let kinds = try world.storage.read { try $0.lines(of: branch, after: UInt64(before), limit: 100).map(\.kind) }
    #expect(Array(kinds) == [Line.Kind.permissions, .header])
  }

  /// Somebody changes bob's role before the list was renewed for his sake: it gets its new key all the same.
  @Test func aChangeOfRoleRenewsToo() async throws {
    try await alice.share("Groceries", with: "bob", role: .admin)
    try await endLaptop()
    try await alice.sync()
    try expectClosed(permissions(of: "Groceries"))
    try await settle(alice, phone)
    #expect(
      try permissions(of: "Groceries").entry(of: phone.database.read { try $0.requireAccount().user })?.letters == [
        .read, .write, .share,
      ])
  }

  /// The laptop has drawn a user key that opens for nobody else: it is ended all the same.
  @Test func aThiefsUserKeyKeepsNobodyFromEndingIt() async throws {
    let connection = try laptop.session.connection()
    let (user, entries) = try laptop.database.read { transaction in
      let account = try transaction.requireAccount()
      let keyring = try #require(try transaction.keyring(account.user))
      let junk = { [UInt8](repeating: 9, count: $0) }
      var chain = KeyringChain(after: keyring, now: 0)
      let recipients: [DeviceID?] = [nil] + keyring.activeDevices.map(\.id)
      chain.append(
        .rotateUserKey(
          .init(
            generation: 2, publicKey: BoxKey(SeededEntropy("thief")).publicKey,
            sealed: recipients.map { .init(device: $0, sealed: junk(80)) }, older: junk(72))),
        signedBy: try transaction.identity().signingKey, signer: account.device)
      return (account.user, chain.records)
    }
    let append = WireKeyringAppend.with {
      $0.user = data(user.bytes)
      $0.entries = entries.map(\.wire)
    }
    try await connection.call(.keyringAppend, append)
    // Nor from signing in with the words.
    let rescue = try world.device("rescue")
    try await rescue.session.logIn(root: root, handle: "bob", server: "test")
    try await rescue.sync()
    #expect(try rescue.titles("Groceries") == ["Milk"])
    try await endLaptop()
    #expect(try phone.database.read { try $0.devices().map { $0.ended != nil } } == [true, false, false])
    try await settle(phone, alice)
    try expectClosed(permissions(of: "Groceries"))
  }

  /// Both may write, and both hear of it at once: one record is enough.
  @Test func ofTwoWhoRenewOneIsHeard() async throws {
    try await endLaptop()
    let version = try permissions(of: "Groceries").version
    phone.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await phone.sync() }
    try await alice.sync()
    phone.transport.setFate { _ in .delivered }
    try await settle(alice, phone)
    #expect(try permissions(of: "Groceries").version == version + 1)
    #expect(try phone.unsent() == 0 && alice.unsent() == 0)
  }

  /// Whoever only reads cannot give a list a new key: its writers do.
  @Test func aViewersListIsRenewedByItsWriters() async throws {
    try await alice.share("Groceries", with: "bob", role: .viewer)
    try await settle(alice, laptop, phone)
    let epoch = try permissions(of: "Groceries").epoch
    try await endLaptop()
    try await phone.sync()
    #expect(try permissions(of: "Groceries").epoch == epoch)
    try await alice.sync()
    #expect(try permissions(of: "Groceries").epoch == epoch + 1)
    try await settle(alice, phone)
    #expect(try phone.titles("Groceries") == ["Milk"])
  }

  /// The answer is lost: the next sync reads the keyring, and opens the key that this device drew itself.
  @Test(arguments: [InProcessTransport.Fate.lost, .replyLost])
  func aLostAnswerLosesNothing(_ fate: InProcessTransport.Fate) async throws {
    phone.transport.setFate { $0.path == Route.keyringAppend.path ? fate : .delivered }
    await #expect(throws: CloudFailure.unreachable) { try await endLaptop() }
    phone.transport.setFate { _ in .delivered }
    try await phone.sync()
    try await endLaptop()
    try await settle(alice, phone)
    #expect(try phone.database.read { try $0.keyProblems() }.isEmpty)
    #expect(try permissions(of: "Groceries").epoch == 2)
  }

  /// What it had not sent stays on it.
  @Test func whatItHadNotSentIsKeptThere() async throws {
    try laptop.add("Groceries", "Bread")
    try await endLaptop()
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await laptop.sync() }
    #expect(try laptop.titles("Groceries") == ["Bread", "Milk"])
    #expect(try laptop.unsent() == 1)
  }

  /// Bob signed in on the phone with the words: the laptop need not keep them, so a thief finds none.
  @Test func theFirstDeviceForgetsTheWordsOnceTheyWereUsed() throws {
    #expect(try laptop.database.read { try $0.root() } == nil)
    #expect(try alice.database.read { try $0.root() } != nil)
  }

  @Test func theDeviceInUseIsNotEnded() async throws {
    let own = try phone.database.read { try $0.requireAccount().device }
    await #expect(throws: DeviceFailure.thisOne) { try await phone.session.endDevice(own, withAdded: false) }
    let stranger = try alice.database.read { try $0.requireAccount().device }
    await #expect(throws: DeviceFailure.unknown) { try await phone.session.endDevice(stranger, withAdded: false) }
  }
}
