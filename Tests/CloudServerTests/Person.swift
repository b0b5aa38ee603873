import CloudAPI
import Foundation
import Signing
import SwiftProtobuf

let entropy = SystemEntropy()

/// Somebody with one device, made by hand: what is sealed here is random bytes of the right length.
struct Person {
  let root = RootKey(entropy: SecretBytes(entropy.bytes(32)))
  let device = SigningKey(entropy)
  let boxKey = PublicKey(exactly: entropy.bytes(32))
  let handle: String
  var entries: [SignedRecord] = []
  var trunkRecords: [SignedRecord] = []

  var user: UserID { root.userID }
  var deviceID: DeviceID { DeviceID(signKey: device.publicKey, boxKey: boxKey) }
  var signer: Caller { Caller(user: user, device: deviceID) }

  init(_ handle: String) {
    self.handle = handle
    add(.setHandle(handle, rootKey: root.signing.publicKey, rootBoxKey: PublicKey(exactly: entropy.bytes(32))))
    add(.addDevice(Self.newDevice(device.publicKey, boxKey)))
    add(.rotateUserKey(Self.userKey(1, for: [nil, deviceID])))
    trunkRecords = Trunk.allCases.map { trunk in
      let branch = trunk.cloudID(of: user)
      let anyone = PermissionsEntry(
        user: nil, letters: [.writeOnce, .burn], keyringPosition: 0, generation: 0, sealedKey: [])
      let body = PermissionsBody(
        branch: branch, owner: user, version: 1, previous: .zeros, epoch: 1,
        commitment: Hash32(exactly: entropy.bytes(32)),
        entries: (trunk == .inbox ? [anyone] : []) + [entry([.read, .write, .share], pinned: 3)], olderKeys: [],
        author: author(at: 3, read: LogHead(startOf: branch)))
      return SignedRecord(signing: body, with: device)
    }
    let hashes = trunkRecords.map(\.hash)
    add(.setTrunks(.init(home: hashes[0], prefs: hashes[1], outbox: hashes[2], inbox: hashes[3])))
  }

  static func newDevice(_ signKey: PublicKey, _ boxKey: PublicKey) -> KeyringChange.NewDevice {
    .init(
      device: DeviceID(signKey: signKey, boxKey: boxKey), signKey: signKey, boxKey: boxKey, generation: 0,
      sealedUserKey: [])
  }

  static func userKey(_ generation: UInt32, for devices: [DeviceID?]) -> KeyringChange.NewUserKey {
    .init(
      generation: generation, publicKey: PublicKey(exactly: entropy.bytes(32)),
      sealed: devices.map { .init(device: $0, sealed: entropy.bytes(80)) },
      older: generation == 1 ? [] : entropy.bytes(72))
  }

  /// Appends an entry to the keyring here, signed by the root or by a device.
  mutating func add(_ change: KeyringChange, by signer: (DeviceID, SigningKey)? = nil) {
    let body = KeyringEntryBody(
      user: user, position: UInt32(entries.count + 1), previous: entries.last?.hash ?? .zeros, signer: signer?.0,
      created: 0, change: change)
    entries.append(SignedRecord(signing: body, with: signer?.1 ?? root.signing))
  }

  func entry(_ letters: Letters, pinned: UInt32 = 4) -> PermissionsEntry {
    PermissionsEntry(
      user: user, letters: letters, keyringPosition: pinned, generation: 1,
      sealedKey: letters.contains(.read) ? entropy.bytes(80) : [])
  }

  func author(at position: UInt32 = 4, read: LogHead) -> Author {
    Author(user: user, device: deviceID, keyringPosition: position, read: read)
  }

  func signUp(token: String = "") -> WireSignUp {
    .with {
      $0.keyring = entries.prefix(4).map(\.wire)
      $0.permissions = trunkRecords.map(\.wire)
      $0.token = token
    }
  }
}
