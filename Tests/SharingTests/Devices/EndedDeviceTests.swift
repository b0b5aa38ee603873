import CloudAPI
import CloudServer
import Foundation
import GRDB
import Sealing
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// What a device that was ended can learn, and what a stolen one can still do to the account.
@Suite struct EndedDeviceTests {
  private let world: World
  private let phone: Device
  private let laptop: Device
  private let root: RootKey

  init() async throws {
    world = try World(seed: "ended")
    laptop = try await world.person("bob")
    root = try #require(try laptop.database.read { try $0.root() })
    phone = try await laptop.second("phone", "bob", in: world)
    try await settle(laptop, phone)
  }

  @Test func itLearnsByWhomAndWhen() async throws {
    #expect(try laptop.database.read { try $0.accountEnd() } == nil)
    let now = world.clock.now()
    try await phone.session.endDevice(laptop.own().device, withAdded: false)
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await laptop.sync() }
    let end = try #require(try laptop.database.read { try $0.accountEnd() })
    let ender = try phone.own().device
    #expect(end.by == ender && !end.isDeletion && end.at >= now)
    // Of others it is told nothing.
    let carol = try await world.person("carol")
    let stranger = try carol.own().user
    let request = WireKeyringsRequest.with { $0.users = [.with { $0.user = data(stranger.bytes) }] }
    let connection = try connection()
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await connection.call(.keyrings, request) }
  }

  /// A server cannot say so by itself.
  @Test func aServerAloneEndsNobody() async throws {
    laptop.transport.setTamper { request, response in
      guard request.path != Route.keyrings.path else { return response }
      var response = response
      response.status = 401
      response.body = encode(WireProblem.with { $0.reason = "device-unknown" })
      return response
    }
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await laptop.sync() }
    #expect(try laptop.database.read { try $0.accountEnd() } == nil)
  }

  /// Entries of the laptop's that do nothing but fill.
  private func fill(_ count: Int, from keyring: Keyring) throws -> (Keyring, WireKeyringAppend) {
    let append = try handles(count, from: keyring)
    var after = keyring
    try after.append(append.entries.map { try SignedRecord($0) })
    return (after, append)
  }

  private func handles(_ count: Int, from keyring: Keyring) throws -> WireKeyringAppend {
    try laptop.database.read { transaction in
      let identity = try transaction.identity()
      var chain = KeyringChain(after: keyring, now: 0)
      for _ in 0..<count {
        chain.append(
          .setHandle("bob", rootKey: nil, rootBoxKey: nil), signedBy: identity.signingKey, signer: identity.device)
      }
      let records = chain.records
      return .with {
        $0.user = data(identity.user.bytes)
        $0.entries = records.map(\.wire)
      }
    }
  }

  private func keyring() throws -> Keyring {
    try world.storage.read { storage in
      let user = try #require(try storage.user(handle: "bob"))
      return try Keyring(user: user, entries: storage.keyringEntries(of: user, after: 0))
    }
  }

  /// As the laptop signs.
  private func connection() throws -> CloudConnection {
    let identity = try laptop.database.read { try $0.identity() }
    return CloudConnection(
      transport: laptop.transport, authority: "test",
      signer: .init(caller: Caller(user: identity.user, device: identity.device), key: identity.signingKey),
      clock: world.clock, entropy: SystemEntropy())
  }

  private func send(_ append: WireKeyringAppend) async throws {
    try await connection().call(.keyringAppend, append)
  }

  /// It has used up the day: another device ends it all the same, and adds none before tomorrow.
  @Test func aDayHasItsMeasure() async throws {
    try await send(fill(20, from: keyring()).1)
    await #expect(throws: CloudFailure.refused(.tooMany)) { try await send(fill(1, from: keyring()).1) }
    let tablet = try world.device("tablet")
    _ = try await tablet.session.askToLogIn(handle: "bob", server: "test", name: "tablet")
    _ = try await phone.session.logins()
    guard case .comparing(let code) = try await tablet.session.loginStep() else { throw LogInFailure.loginEnded }
    let login = try await phone.session.login(showing: code)
    await #expect(throws: DeviceFailure.tooOften) { try await phone.session.approve(login.id, code: code) }
    try await phone.session.endDevice(laptop.own().device, withAdded: false)
    let rescue = try world.device("rescue")
    try await rescue.session.logIn(root: root, handle: "bob", server: "test")
    world.clock.advance(24 * 3600 * 1000)
    let later = try world.device("later")
    _ = try await later.session.askToLogIn(handle: "bob", server: "test", name: "later")
    _ = try await phone.session.logins()
    guard case .comparing(let second) = try await later.session.loginStep() else { throw LogInFailure.loginEnded }
    _ = try await phone.session.approve(phone.session.login(showing: second).id, code: second)
  }

  /// What adds a device is counted, though it ends one as well: else a thief fills a keyring with devices that come and go.
  @Test func addingAndEndingIsCounted() async throws {
    try await send(fill(20, from: keyring()).1)
    let (keyring, identity) = (try keyring(), try laptop.database.read { try $0.identity() })
    let (key, box) = (SigningKey(SeededEntropy("guest")), BoxKey(SeededEntropy("guest box")))
    let guest = DeviceID(signKey: key.publicKey, boxKey: box.publicKey)
    var chain = KeyringChain(after: keyring, now: 0)
    chain.append(
      .addDevice(
        .init(device: guest, signKey: key.publicKey, boxKey: box.publicKey, generation: 0, sealedUserKey: [])),
      signedBy: identity.signingKey, signer: identity.device)
    chain.append(
      .revokeDevice(guest, since: keyring.position), signedBy: identity.signingKey, signer: identity.device)
    let append = WireKeyringAppend.with {
      $0.user = data(keyring.user.bytes)
      $0.entries = chain.records.map(\.wire)
    }
    await #expect(throws: CloudFailure.refused(.tooMany)) { try await send(append) }
    #expect(try self.keyring().position == keyring.position)
    world.clock.advance(24 * 3600 * 1000)
    try await send(append)
  }

  /// The keyring is full of what devices may sign: nothing is added, and the words still help.
  @Test func theLastPlacesAreTheRoots() async throws {
    var keyring = try keyring()
    while keyring.position < 900 {
      let (after, append) = try fill(min(20, 900 - Int(keyring.position)), from: keyring)
      try await send(append)
      keyring = after
      world.clock.advance(24 * 3600 * 1000)
    }
    #expect(throws: Refusal.limitExceeded) { try fill(1, from: keyring) }
    let tablet = try world.device("tablet")
    _ = try await tablet.session.askToLogIn(handle: "bob", server: "test", name: "tablet")
    _ = try await phone.session.logins()
    guard case .comparing(let code) = try await tablet.session.loginStep() else { throw LogInFailure.loginEnded }
    let login = try await phone.session.login(showing: code)
    await #expect(throws: DeviceFailure.noRoom) { try await phone.session.approve(login.id, code: code) }
    // One device still ends the other, and that is all.
    try await phone.session.endDevice(laptop.own().device, withAdded: false)
    #expect(try self.keyring().position == 902)
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await laptop.sync() }
    try await tablet.session.logIn(root: root, handle: "bob", server: "test")
    try await tablet.sync()
    #expect(try tablet.database.read { try $0.devices().count } == 3)
  }

  /// Ending waits for a sync that is under way.
  @Test func endingTakesItsTurn() async throws {
    let database = phone.database
    let isSyncing = Locked(true)
    async let sync: Void = database.syncing {
      for _ in 0..<200 { await Task.yield() }
      isSyncing.with { $0 = false }
    }
    while database.files.takeSyncLock() {
      database.files.releaseSyncLock()
      await Task.yield()
    }
    try await phone.session.endDevice(laptop.own().device, withAdded: false)
    #expect(isSyncing.with { !$0 })
    try await sync
  }

  @Test func whatADeviceAddedIsNamed() async throws {
    let tablet = try world.device("tablet")
    _ = try await tablet.session.askToLogIn(handle: "bob", server: "test", name: "tablet")
    _ = try await laptop.session.logins()
    guard case .comparing(let code) = try await tablet.session.loginStep() else { throw LogInFailure.loginEnded }
    let added = try await laptop.session.approve(laptop.session.login(showing: code).id, code: code)
    try await phone.sync()
    let device = try laptop.own().device
    #expect(try phone.database.read { try $0.devices(addedBy: device) } == [added])
    try await phone.session.endDevice(device, withAdded: true)
    #expect(try phone.database.read { try $0.devices(addedBy: device) } == [])
  }

  /// What is still to be sent because of it waits where one sees it, also before the next sync.
  @Test func theNewKeysWaitInTheQueue() async throws {
    try laptop.add("Home", "Door")
    try await settle(laptop, phone)
    try await phone.session.endDevice(laptop.own().device, withAdded: false)
    let waiting = try phone.database.read { try $0.operations() }
    let home = try phone.branch("Home")
    #expect(waiting.contains { $0.cloudID == home } && waiting.allSatisfy(\.isRenewal))
    #expect(try await phone.sync().sent == waiting.count)
    #expect(try phone.unsent() == 0)
  }

  private func generation(_ device: Device) throws -> Keyring.Generation {
    try device.database.read { try #require(try $0.keyring($0.requireAccount().user)?.generations.last) }
  }

  /// Its user signs out: it signs nothing more, and what it added stays.
  @Test func itEndsItself() async throws {
    let added = try await approve("tablet", by: laptop)
    let (device, before) = (try laptop.own().device, try generation(phone).number)
    try laptop.add("Home", "Door")
    try await settle(laptop, phone)
    let epoch = try phone.epoch("Home")
    try await laptop.session.endThisDevice()
    #expect(try laptop.database.read { try $0.accountEnd()?.by } == device)
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await laptop.sync() }
    await #expect(throws: CloudFailure.refused(.deviceUnknown)) { try await send(handles(1, from: keyring())) }
    // Another device draws the key that it does not get, and the list gets one too.
    try await settle(phone, phone)
    let drawn = try generation(phone)
    #expect(drawn.number == before + 1)
    #expect(try Set(drawn.sealed.map(\.device)) == [nil, phone.own().device, added])
    #expect(try phone.epoch("Home") > epoch)
    #expect(try phone.database.read { try $0.devices().first { $0.id == device }?.ended } != nil)
    // Once is enough.
    let position = try keyring().position
    try await phone.sync()
    try await laptop.session.endThisDevice()
    #expect(try keyring().position == position)
  }

  /// The words bring a device back, which draws the key.
  @Test func theLastOneEndsItself() async throws {
    try laptop.add("Home", "Door")
    try await settle(laptop, phone)
    try await phone.session.endThisDevice()
    try await laptop.session.endThisDevice()
    #expect(try keyring().activeDevices.isEmpty)
    let rescue = try world.device("rescue")
    try await rescue.session.logIn(root: root, handle: "bob", server: "test")
    try await rescue.sync()
    #expect(try rescue.titles("Home") == ["Door"])
    let drawn = try generation(rescue)
    #expect(try Set(drawn.sealed.map(\.device)) == [nil, rescue.own().device])
    #expect(try keyring().lacksKeyAfterEnding == false)
    try rescue.add("Home", "Window")
    #expect(try await rescue.sync().unsent == 0)
  }

  /// A day's entries are used up: the key waits for another day, and the sync goes on.
  @Test func theKeyWaitsForAnotherDay() async throws {
    try await send(fill(20, from: keyring()).1)
    try await laptop.session.endThisDevice()
    try phone.add("Home", "Door")
    #expect(try await phone.sync().unsent == 0)
    #expect(try keyring().lacksKeyAfterEnding)
    world.clock.advance(24 * 3600 * 1000)
    try await phone.sync()
    #expect(try !keyring().lacksKeyAfterEnding)
  }

  private func approve(_ name: String, by device: Device) async throws -> DeviceID {
    let tablet = try world.device(name)
    _ = try await tablet.session.askToLogIn(handle: "bob", server: "test", name: name)
    _ = try await device.session.logins()
    guard case .comparing(let code) = try await tablet.session.loginStep() else { throw LogInFailure.loginEnded }
    return try await device.session.approve(device.session.login(showing: code).id, code: code)
  }
}

extension Device {
  fileprivate func epoch(_ list: String) throws -> UInt64 {
    let cloudID = try branch(list)
    return try database.read { transaction in
      let branch = try #require(try transaction.branch(cloudID))
      return try #require(try transaction.permissions(of: branch)).body.epoch
    }
  }
}
