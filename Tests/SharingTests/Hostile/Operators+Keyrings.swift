import CloudAPI
import CloudServer
import Foundation
import Lies
import Sharing
import Signing
import SwiftProtobuf
import TestSupport

@testable import Treesystem

/// What the server tells of whose devices and keys are whose. Mallory writes from two new devices, and carol has to know them.
extension Operator {
  static let keyrings: [Operator] =
    KeyringLie.all.map(keyring) + [
      Operator("keyring that nobody asked for", .askedUser, [.keyring: .ends(.nonsense)]) { scene, _ in
        try await scene.writeFromNewDevices()
        let eves = try scene.keyring(of: "eve")
        scene.server.change(.keyrings, WireKeyrings.self) { $0.keyrings.append(eves) }
      },
      Operator("peer keys swapped", .entrySignature, [.keyring: .harmless(.before)]) { scene, _ in
        try scene.exchangeUserKey(of: "mallory", told: "carol")
      },
      Operator("own keys swapped", .entrySignature, [.keyring: .harmless(.before)]) { scene, _ in
        try scene.exchangeUserKey(of: "alice", told: "phone")
      },
      Operator("device ghosted", .entrySignature, [.keyring: .setsAside(.keyringStale, .reports)]) { scene, _ in
        let (ghost, entry) = try scene.alice.smuggleDevice()
        let hand = try Hand(scene.alice, on: scene.branch)
        var sheet = try hand.todo()
        sheet.header.author.device = ghost.device
        sheet.header.author.keyringPosition = try hand.device.database.read { try $0.keyringPosition(hand.user) } + 1
        var draft = hand.sign(sheet)
        draft.record = SignedRecord(signing: sheet.header, with: ghost.key)
        try await scene.plant(draft)
        scene.server.change(.keyrings, WireKeyrings.self) { keyrings in
          for index in keyrings.keyrings.indices where keyrings.keyrings[index].user == entry.user {
            keyrings.keyrings[index].entries += entry.entries
          }
        }
      },
      Operator("keyring forked", nil, [.keyring: .setsAside(.deviceUnknown, .reports)]) { scene, _ in
        // Mallory signs an entry of her own for the place of the one that adds her tablet.
        let chain = try scene.entry(of: scene.mallory) { .setHandle($0.handle, rootKey: nil, rootBoxKey: nil) }
        try await scene.writeFromNewDevices(1)
        let user = data(try scene.mallory.user().bytes)
        scene.server.change(.keyrings, WireKeyrings.self) { keyrings in
          for index in keyrings.keyrings.indices where keyrings.keyrings[index].user == user {
            if !keyrings.keyrings[index].entries.isEmpty { keyrings.keyrings[index].entries = [chain.wire] }
          }
        }
        scene.mend = { _ in }
      },
      Operator("signed by a revoked device", .activeDevice, [.header: .setsAside(.deviceUnknown, .reports)]) {
        scene, _ in
        try await scene.plantFromRevoked { _ in }
      },
      Operator(
        "revoked device that names an older keyring", .pinnedPosition, [.header: .setsAside(.keyringStale, .reports)]
      ) { scene, _ in
        try await scene.plantFromRevoked { $0 = 5 }
      },
      Operator("revocation withheld", .entryPin, [.keyring: .stops(.pinWrong)]) { scene, _ in
        try await scene.endTablet()
        let user = data(try scene.mallory.user().bytes)
        scene.server.change(.keyrings, WireKeyrings.self) { keyrings in
          for index in keyrings.keyrings.indices where keyrings.keyrings[index].user == user {
            keyrings.keyrings[index].entries = []
          }
        }
      },
      Operator("keyring entry by a revoked device", .entrySigner, [.keyring: .harmless(.before)]) { scene, _ in
        let tablet = try await scene.endTablet()
        for device in [scene.mallory, scene.carol] { try await device.sync() }
        let key = try tablet.database.read { try $0.identity() }
        let forged = try scene.entry(of: scene.mallory, signedBy: key) { _ in
          .setHandle("evil", rootKey: nil, rootBoxKey: nil)
        }
        scene.append(forged, to: try scene.mallory.user(), at: 9)
      },
    ]

  /// What the entries of mallory's new devices become. What they wrote is not believed before its next version.
  private static func keyring(_ lie: KeyringLie) -> Operator {
    Operator(lie.name, lie.defence, [.keyring: KeyringLie.end]) { scene, _ in
      try await scene.writeFromNewDevices()
      let user = data(try scene.mallory.user().bytes)
      scene.server.change(.keyrings, WireKeyrings.self) { keyrings in
        for index in keyrings.keyrings.indices where keyrings.keyrings[index].user == user {
          if !keyrings.keyrings[index].entries.isEmpty {
            lie.change(&keyrings.keyrings[index].entries, SystemEntropy())
          }
        }
      }
      scene.mend = { scene in
        let last = try scene.device("tablet2")
        try last.tick("Bread")
        try await last.sync()
      }
    }
  }
}

extension Scene {
  /// Mallory signs in on new devices, and writes Bread from the last of them.
  @discardableResult
  func writeFromNewDevices(_ count: Int = 2) async throws -> Device {
    let root = try mallory.database.read { try $0.root() }
    guard let root else { throw TreeError.notSignedIn }
    var last = mallory
    for number in 1...count {
      last = try device("tablet\(number)")
      try await last.session.logIn(root: root, handle: "mallory", server: "test")
    }
    try await last.sync()
    try last.add("Groceries", "Bread")
    try await last.sync()
    return last
  }

  /// Mallory has a tablet, whom carol knows, and ends it; the list is renewed for that.
  @discardableResult
  func endTablet() async throws -> Device {
    let tablet = try await writeFromNewDevices(1)
    for device in [mallory, carol] { try await device.sync() }
    let id = try tablet.database.read { try $0.requireAccount().device }
    try await mallory.session.endDevice(id, withAdded: false)
    try await mallory.sync()
    return tablet
  }

  /// A header by a device that mallory has ended, with everything else as it should be.
  func plantFromRevoked(_ bend: (inout UInt32) -> Void) async throws {
    let tablet = try await endTablet()
    try await carol.sync()
    let hand = try Hand(mallory, on: branch)
    let thief = try tablet.database.read { try $0.identity() }
    var sheet = try hand.todo()
    sheet.header.author.device = thief.device
    bend(&sheet.header.author.keyringPosition)
    for index in sheet.header.contents.indices { sheet.header.contents[index].device = thief.device }
    var draft = hand.sign(sheet)
    draft.record = SignedRecord(signing: sheet.header, with: thief.signingKey)
    try await plant(draft)
  }

  func keyring(of name: String) throws -> WireKeyring {
    let user = try device(name).user()
    let entries = try world.storage.read { try $0.keyringEntries(of: user, after: 0) }
    return .with {
      $0.user = data(user.bytes)
      $0.entries = entries.map(\.wire)
    }
  }

  /// An entry that continues somebody's keyring, signed by a device of theirs.
  func entry(
    of person: Device, signedBy other: Identity? = nil, _ change: (Keyring) throws -> KeyringChange
  ) throws -> SignedRecord {
    let (identity, keyring) = try person.database.read { transaction in
      let identity = try transaction.identity()
      return (other ?? identity, try transaction.keyring(identity.user))
    }
    guard let keyring else { throw TreeError.notSignedIn }
    var chain = KeyringChain(after: keyring, now: 0)
    chain.append(try change(keyring), signedBy: identity.signingKey, signer: identity.device)
    return chain.records[0]
  }

  /// The server has a key drawn for somebody, to which others are to seal, and tells it as that person's own.
  func exchangeUserKey(of name: String, told reader: String) throws {
    victimName = reader
    let person = try device(name)
    let server = Identity(
      user: try person.user(), device: try person.database.read { try $0.identity().device },
      signingKey: SigningKey(SystemEntropy()), boxSecret: SecretBytes(SystemEntropy().bytes(32)))
    var position: UInt32 = 0
    let forged = try entry(of: person, signedBy: server) { keyring in
      position = keyring.position + 1
      let recipients: [DeviceID?] = [nil] + keyring.activeDevices.map(\.id)
      return .rotateUserKey(
        .init(
          generation: 2, publicKey: .random(SystemEntropy()),
          sealed: recipients.map { .init(device: $0, sealed: SystemEntropy().bytes(80)) },
          older: SystemEntropy().bytes(72)))
    }
    append(forged, to: try person.user(), at: position)
  }

  /// Tells a keyring one entry longer than it is.
  func append(_ entry: SignedRecord, to user: UserID, at position: UInt32) {
    let user = data(user.bytes)
    server.change(.heads, WireHeads.self) { heads in
      for index in heads.keyrings.indices where heads.keyrings[index].user == user {
        heads.keyrings[index].position = position
      }
    }
    server.change(.keyrings, WireKeyrings.self) { keyrings in
      for index in keyrings.keyrings.indices where keyrings.keyrings[index].user == user {
        keyrings.keyrings[index].entries.append(entry.wire)
      }
    }
  }
}
