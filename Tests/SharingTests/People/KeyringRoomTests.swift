import CloudAPI
import Foundation
import Sealing
import Signing
import SwiftProtobuf
import TestSupport
import Testing

@testable import CloudServer
@testable import Treesystem

/// What a thief with a device can do to the room in a keyring, and what is left then (spec §2.2, rule 9, and §2.5).
@Suite struct KeyringRoomTests {
  private struct Member {
    let key: SigningKey
    let box: BoxKey

    init(_ name: String) {
      key = SigningKey(SeededEntropy("\(name) key"))
      box = BoxKey(SeededEntropy("\(name) box"))
    }

    init(_ identity: Identity) {
      key = identity.signingKey
      box = BoxKey(secret: identity.boxSecret)
    }

    var id: DeviceID { DeviceID(signKey: key.publicKey, boxKey: box.publicKey) }

    var addition: KeyringChange {
      .addDevice(
        .init(device: id, signKey: key.publicKey, boxKey: box.publicKey, generation: 0, sealedUserKey: []))
    }
  }

  private let world: World
  private let laptop: Device
  private let thief: Member
  private let phone = Member("phone")
  private let start: Keyring
  private let root: RootKey
  private static let entropy = SeededEntropy("noise")

  /// Bob's laptop is stolen; it had added his phone.
  init() async throws {
    world = try World(seed: "room")
    laptop = try await world.person("bob")
    let (identity, root) = try laptop.database.read { try ($0.identity(), $0.root()) }
    thief = Member(identity)
    self.root = try #require(root)
    let stored = try world.storage.read { try $0.keyringEntries(of: identity.user, after: 0) }
    let keyring = try Keyring(user: identity.user, entries: stored)
    start = try Self.extended(keyring, thief, phone.addition)
  }

  private static func record(_ keyring: Keyring, _ signer: Member, _ change: KeyringChange) -> SignedRecord {
    var chain = KeyringChain(after: keyring, now: 0)
    chain.append(change, signedBy: signer.key, signer: signer.id)
    return chain.records[0]
  }

  private static func extended(_ keyring: Keyring, _ signer: Member, _ change: KeyringChange) throws -> Keyring {
    var keyring = keyring
    try keyring.append([record(keyring, signer, change)])
    return keyring
  }

  private func byRoot(_ keyring: Keyring) throws -> Keyring {
    var chain = KeyringChain(after: keyring, now: 0)
    var keyring = keyring
    chain.append(.setHandle("bob", rootKey: nil, rootBoxKey: nil), signedBy: root.signing)
    try keyring.append(chain.records)
    return keyring
  }

  private static let nothing = KeyringChange.setHandle("bob", rootKey: nil, rootBoxKey: nil)

  /// A new user key that opens for nobody: nothing of that is seen from outside.
  private static func rotation(_ keyring: Keyring) -> KeyringChange {
    let recipients: [DeviceID?] = [nil] + keyring.activeDevices.map(\.id)
    let noise = entropy.bytes(80)
    return .rotateUserKey(
      .init(
        generation: (keyring.generations.last?.number ?? 0) + 1, publicKey: BoxKey(entropy).publicKey,
        sealed: recipients.map { .init(device: $0, sealed: noise) }, older: entropy.bytes(72)))
  }

  private func filled(_ keyring: Keyring, to position: UInt32) throws -> Keyring {
    var chain = KeyringChain(after: keyring, now: 0)
    for _ in keyring.position..<position { chain.append(Self.nothing, signedBy: thief.key, signer: thief.id) }
    var keyring = keyring
    try keyring.append(chain.records)
    return keyring
  }

  private func withGuests() throws -> (Keyring, [Member]) {
    let guests = (0..<28).map { Member("guest \($0)") }
    return (try guests.reduce(start) { try Self.extended($0, thief, $1.addition) }, guests)
  }

  /// Above the 900th entry devices end each other, and do nothing else.
  @Test func theReserveIsForEndingDevices() throws {
    let full = try filled(start, to: 900)
    let guest = Member("guest")
    for change in [Self.nothing, guest.addition, Self.rotation(full), .deleteAccount] {
      #expect(throws: Refusal.limitExceeded) { try Self.extended(full, thief, change) }
    }
    let ended = try Self.extended(full, phone, .revokeDevice(thief.id, since: 6))
    for change in [Self.nothing, guest.addition, .deleteAccount] {
      #expect(throws: Refusal.limitExceeded) { try Self.extended(ended, phone, change) }
    }
    let rotated = try Self.extended(ended, phone, Self.rotation(ended))
    #expect(rotated.activeDevices.map(\.id) == [phone.id] && rotated.position == 902)
    #expect(throws: Refusal.limitExceeded) { try Self.extended(rotated, phone, Self.rotation(rotated)) }
  }

  @Test func theLastPlacesAreTheRoots() throws {
    var keyring = try filled(start, to: 900)
    while keyring.position < 960 { keyring = try byRoot(keyring) }
    #expect(throws: Refusal.limitExceeded) {
      try Self.extended(keyring, phone, .revokeDevice(thief.id, since: 6))
    }
    while keyring.position < 1000 { keyring = try byRoot(keyring) }
    #expect(throws: Refusal.limitExceeded) { try byRoot(keyring) }
  }

  /// The thief has added as many devices as a server lets them, filled the keyring, and ends one of their own after the other.
  @Test func theReserveIsNotUsedUp() throws {
    let (many, guests) = try withGuests()
    #expect(many.activeDevices.count == Limits.devices)
    var keyring = try filled(many, to: 900)
    for guest in guests.dropFirst() {
      keyring = try Self.extended(keyring, guests[0], .revokeDevice(guest.id, since: keyring.position))
      keyring = try Self.extended(keyring, guests[0], Self.rotation(keyring))
    }
    keyring = try Self.extended(keyring, guests[0], .revokeDevice(thief.id, since: keyring.position))
    keyring = try Self.extended(keyring, guests[0], Self.rotation(keyring))
    keyring = try Self.extended(keyring, phone, .revokeDevice(guests[0].id, since: keyring.position))
    keyring = try Self.extended(keyring, phone, Self.rotation(keyring))
    #expect(keyring.activeDevices.map(\.id) == [phone.id])
    #expect(keyring.position <= Limits.keyringEntriesToEndDevices)
  }

  private func check(_ before: Keyring, _ signer: Member, _ changes: [KeyringChange]) throws {
    var after = before
    for change in changes { after = try Self.extended(after, signer, change) }
    try KeyringRoom(
      before: before, after: after, entries: Array(after.entries.dropFirst(before.entries.count))
    ).check()
  }

  /// Long entries leave enough bytes for ending each device, and for the root.
  @Test func theBytesAreNotUsedUp() throws {
    var (keyring, guests) = try withGuests()
    func bytes() -> Int { keyring.entries.reduce(0) { $0 + $1.body.count } }
    while (try? check(keyring, thief, [Self.rotation(keyring)])) != nil {
      keyring = try Self.extended(keyring, thief, Self.rotation(keyring))
    }
    #expect(bytes() > 600 * 1024 && keyring.position < 900)
    for guest in guests.dropFirst() {
      let ended = try Self.extended(keyring, guests[0], .revokeDevice(guest.id, since: keyring.position))
      try check(keyring, guests[0], [.revokeDevice(guest.id, since: keyring.position), Self.rotation(ended)])
      keyring = try Self.extended(ended, guests[0], Self.rotation(ended))
      // As much as goes with one device that ends.
      #expect(throws: Refusal.limitExceeded) { try check(keyring, guests[0], [Self.rotation(keyring)]) }
    }
    guests = [guests[0], thief]
    for guest in guests {
      let ended = try Self.extended(keyring, phone, .revokeDevice(guest.id, since: keyring.position))
      try check(keyring, phone, [.revokeDevice(guest.id, since: keyring.position), Self.rotation(ended)])
      keyring = try Self.extended(ended, phone, Self.rotation(ended))
    }
    #expect(keyring.activeDevices.map(\.id) == [phone.id])
    #expect(bytes() < ServerLimits.keyringBytesToEndDevices)
  }

  /// What ends a device is not counted: so it is little else.
  @Test func endingTakesLittleElseAlong() throws {
    let ended = try Self.extended(start, thief, .revokeDevice(phone.id, since: 5))
    func isEnding(_ after: Keyring) -> Bool {
      KeyringRoom(before: start, after: after, entries: Array(after.entries.dropFirst(start.entries.count))).isEnding
    }
    #expect(isEnding(ended))
    #expect(try !isEnding(Self.extended(ended, thief, Member("guest").addition)))
    let most = try filled(ended, to: start.position + UInt32(ServerLimits.entriesToEnd))
    #expect(isEnding(most))
    #expect(try !isEnding(filled(most, to: most.position + 1)))
  }

  private func send(_ records: [SignedRecord]) async throws {
    let connection = CloudConnection(
      transport: InProcessTransport(world.cloud), authority: "test",
      signer: .init(caller: Caller(user: start.user, device: thief.id), key: thief.key),
      clock: world.clock, entropy: SystemEntropy())
    try await connection.call(
      .keyringAppend,
      WireKeyringAppend.with {
        $0.user = data(start.user.bytes)
        $0.entries = records.map(\.wire)
      })
  }

  @Test func aServerTakesThirtyDevicesAndNoMore() async throws {
    let (many, _) = try withGuests()
    let new = many.entries.dropFirst(4)
    try await send(Array(new.prefix(20)))
    world.clock.advance(24 * 3600 * 1000)
    try await send(Array(new.dropFirst(20)))
    let guest = Self.record(many, thief, Member("another").addition)
    await #expect(throws: CloudFailure.refused(.limitExceeded)) { try await send([guest]) }
    try laptop.database.write { _ = try $0.extendKeyring(start.user, with: Array(new)) }
    let opening = LoginOpening(
      signKey: Member("another").key.publicKey, boxKey: Member("another").box.publicKey, name: "", Self.entropy)
    #expect(throws: DeviceFailure.tooManyDevices) { try laptop.database.read { try $0.entries(adding: opening) } }
  }

  /// A field that nobody knows makes an entry as long as one likes.
  @Test func aServerTakesNoLongEntriesOfDevices() async throws {
    let keyring = try Keyring(user: start.user, entries: Array(start.entries.dropLast()))
    let plain = Self.record(keyring, thief, Self.nothing).body
    for (filler, isTaken) in [(100, true), (600, false)] {
      let position = try world.storage.read { try $0.keyringEntries(of: start.user, after: 0).count }
      // Field 1000, of bytes.
      let body =
        plain + [0xC2, 0x3E, UInt8(filler & 0x7F | 0x80), UInt8(filler >> 7)]
        + [UInt8](repeating: 7, count: filler)
      let record = SignedRecord(body: body, signature: thief.key.sign(.keyringEntry, body))
      if isTaken {
        #expect(try position == 4 && KeyringEntryBody(decoding: body).position == 5)
        try KeyringRoom(before: keyring, after: keyring.appending(record), entries: [record]).check()
      } else {
        #expect(throws: Refusal.malformed) { try KeyringEntryBody(decoding: body) }
        await #expect(throws: CloudFailure.refused(.malformed)) { try await send([record]) }
      }
    }
  }
}

extension Keyring {
  fileprivate func appending(_ record: SignedRecord) throws -> Keyring {
    var keyring = self
    try keyring.append([record])
    return keyring
  }
}
