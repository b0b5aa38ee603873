import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// How a keyring grows: it is never shortened, so a thief must not use up its room (spec §2.5).
struct KeyringLimitTests {
  private let world: World
  private var alice: Person

  init() throws {
    world = try World()
    alice = try world.member("alice")
  }

  private var device: (DeviceID, SigningKey) { (alice.deviceID, alice.device) }

  /// Sends what the keyring here has and the server's has not; takes it back here where it is refused.
  private mutating func append() throws -> String {
    let head = try #require(try world.storage.read { try $0.keyringHead(of: alice.user) })
    let append = WireKeyringAppend.with {
      $0.user = data(alice.user.bytes)
      $0.entries = alice.entries.dropFirst(Int(head.position)).map(\.wire)
    }
    let response = world.send(.keyringAppend, append, as: alice)
    if response.status == 200 { return "taken" }
    alice.entries.removeLast(alice.entries.count - Int(head.position))
    return reason(response)
  }

  private mutating func rename(by signer: (DeviceID, SigningKey)?) {
    alice.add(.setHandle("alice", rootKey: nil, rootBoxKey: nil), by: signer)
  }

  private mutating func addDevice(by signer: (DeviceID, SigningKey)?) {
    alice.add(.addDevice(Person.newDevice(SigningKey(entropy).publicKey, .random(entropy))), by: signer)
  }

  /// Puts entries into storage that make the keyring so long: user keys, sealed to many devices.
  private mutating func fill(upTo bytes: Int) throws {
    let before = alice.entries.count
    var devices: [DeviceID?] = [nil, alice.deviceID]
    for _ in 0..<Limits.devices {
      let key = (SigningKey(entropy).publicKey, PublicKey.random(entropy))
      alice.add(.addDevice(Person.newDevice(key.0, key.1)))
      devices.append(DeviceID(signKey: key.0, boxKey: key.1))
    }
    var sum = alice.entries.reduce(0) { $0 + $1.body.count }
    var generation: UInt32 = 1
    while sum <= bytes {
      generation += 1
      alice.add(.rotateUserKey(Person.userKey(generation, for: devices)))
      sum += alice.entries.last?.body.count ?? 0
    }
    try world.storage.write { storage in
      for (index, entry) in alice.entries.enumerated().dropFirst(before) {
        try storage.append(entry, hash: entry.hash, at: UInt32(index + 1), to: alice.user)
      }
    }
  }

  /// By an append and by lines that are given back.
  @Test mutating func aDayHasItsEntries() throws {
    for _ in 0..<ServerLimits.entriesOfDay { rename(by: device) }
    #expect(try append() == "taken")
    rename(by: device)
    #expect(try append() == "too-many")
    rename(by: nil)
    #expect(try append() == "taken", "the root has a measure of its own")
    world.clock.move(by: 24 * 3600 * 1000)
    let list = try BranchHand.list(world, alice)
    for _ in 0..<ServerLimits.entriesOfDay + 5 { rename(by: device) }
    let restore = WireRestoreRequest.with {
      $0.branch = data(list.branch.bytes)
      $0.afterLine = list.head.line
      $0.afterHash = data(list.head.hash.bytes)
      $0.keyrings = [
        .with {
          $0.user = data(alice.user.bytes)
          $0.entries = alice.entries.dropFirst(4).map(\.wire)
        }
      ]
    }
    #expect(world.send(.restore, restore, as: alice).status == 200)
    let head = try world.storage.read { try $0.keyringHead(of: alice.user) }
    #expect(head?.position == UInt32(alice.entries.count - 5))
  }

  /// An entry of a device is short: here are fields that nobody knows in it.
  @Test mutating func devicesSayLittle() throws {
    rename(by: device)
    let short = alice.entries.removeLast()
    let junk: [UInt8] = [0xC2, 0x3E, 0xF4, 0x03] + [UInt8](repeating: 7, count: 500)
    let body = short.body + junk
    alice.entries.append(SignedRecord(body: body, signature: alice.device.sign(KeyringEntryBody.domain, body)))
    #expect(try append() == "limit-exceeded")
  }

  @Test mutating func devicesAddFew() throws {
    for _ in 1..<Limits.devices { addDevice(by: nil) }
    #expect(try append() == "taken")
    addDevice(by: device)
    #expect(try append() == "limit-exceeded")
    addDevice(by: nil)
    #expect(try append() == "taken", "the root may")
  }

  @Test mutating func devicesLeaveTheRootRoom() throws {
    try fill(upTo: ServerLimits.keyringBytesOfDevices)
    rename(by: device)
    #expect(try append() == "limit-exceeded")
    rename(by: nil)
    #expect(try append() == "taken")
    let devices = try Keyring(user: alice.user, entries: alice.entries).activeDevices.map(\.id)
    alice.add(.revokeDevice(try #require(devices.first { $0 != alice.deviceID }), since: 2), by: device)
    #expect(try append() == "taken", "there is room for ending a device")
  }

  @Test mutating func aKeyringEnds() throws {
    try fill(upTo: ServerLimits.keyringBytes)
    rename(by: nil)
    #expect(try append() == "limit-exceeded")
  }
}
