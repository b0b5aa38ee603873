import CloudAPI
import CloudServer
import Foundation
import Lies
import Sealing
import Sharing
import Signing
import SwiftProtobuf
import TestSupport

@testable import Treesystem

/// Where a list hangs, and with which first record it begins.
extension Operator {
  static let pointers: [Operator] = [
    // Alice has two new lists, and her phone reads of them.
    Operator("graft redirected", .contentHash, [.header: .setsAside(.contentMismatch, .recovers)]) { scene, _ in
      try scene.alice.add("Work", "Mail")
      try scene.alice.add("Play", "Chess")
      try await scene.alice.sync()
      scene.victimName = "phone"
      let home = Trunk.home.cloudID(of: try scene.alice.user())
      scene.server.lie { request, response in
        if case .content(branch: home, _)? = Route(method: request.method, path: request.path) {
          return CloudResponse(status: 200, headers: response.headers, body: [0])
        }
        return Lie(branch: home).page(response, to: request) { page in
          guard let first = page.rows.first?.contents, let last = page.rows.last?.contents else { return }
          for (index, content) in last.enumerated() where index < first.count {
            page.rows[0].contents[index].ciphertext = content.ciphertext
          }
        }
      }
    },
    // A device of alice's that somebody else has puts a pointer to Groceries, with another first record.
    Operator(
      "graft redirected by a device of one's own", .pointerTarget, [.header: .setsAside(.firstRecordWrong, .reports)]
    ) { scene, _ in
      let home = Trunk.home.cloudID(of: try scene.alice.user())
      let phone = try scene.device("phone")
      try await phone.sync()
      let hand = try Hand(phone, on: home)
      var sheet = try hand.pointer(
        named: "groceries again", to: scene.branch, of: scene.alice.user(), first: .random(SystemEntropy()))
      sheet.header.author.keyringPosition = 5
      let draft = hand.sign(sheet)
      scene.victimName = "alice"
      _ = try await scene.findTruth()
      try await scene.require(draft)
      scene.server.watch(for: draft.record.signature.bytes)
    },
    Operator("another first record", .firstRecord, [.permissions: .stops(.firstRecordWrong)]) { scene, _ in
      let bob = try scene.device("bob")
      try await scene.alice.share("Groceries", with: "bob")
      try await scene.alice.sync()
      try await bob.sync()
      try bob.accept()
      scene.victimName = "bob"
      let eve = try scene.device("eve")
      _ = try await bob.session.lookUp(handle: "eve")
      let first = try scene.firstRecord(of: scene.branch, by: eve, owner: eve, for: bob)
      scene.server.tell(
        Retelling(
          of: scene.branch,
          told: [Told(kind: .permissions, node: scene.branch, record: first, hash: first.hash)]))
    },
    // Whoever was invited has accepted it by its hash.
    Operator(
      "first record in somebody else's name", .firstAuthor, [.permissions: .stops(.firstRecordWrong, .isDenied)]
    ) { scene, _ in
      let (bob, eve) = (try scene.device("bob"), try scene.device("eve"))
      for handle in ["alice", "eve"] { _ = try await bob.session.lookUp(handle: handle) }
      let fresh = CloudID.random(SystemEntropy())
      let first = try scene.firstRecord(of: fresh, by: eve, owner: scene.alice, for: bob)
      scene.victimName = "bob"
      try bob.database.write { transaction in
        _ = try transaction.graftNode(
          withLocalPath: Treepath(.home, fresh.description), remoteCloudID: fresh, firstPermissions: first.hash)
      }
      scene.server.tell(
        Retelling(of: fresh, told: [Told(kind: .permissions, node: fresh, record: first, hash: first.hash)]))
    },
  ]
}

extension Scene {
  /// A first record under which the reader could read, signed by somebody.
  func firstRecord(
    of branch: CloudID, by author: Device, owner: Device, for reader: Device,
    _ bend: (inout PermissionsBody) throws -> Void = { _ in }
  ) throws -> SignedRecord {
    let identity = try author.database.read { try $0.identity() }
    let key = BranchKey(branch: branch, epoch: 1, secret: SecretBytes(SystemEntropy().bytes(32)))
    let users = try Set([author, owner, reader].map { try $0.user() })
    let entries = try users.sorted().map { user in
      let entry = try world.storage.read { try $0.keyringEntries(of: user, after: 0) }
      let keyring = try Keyring(user: user, entries: entry)
      let sealed = keyring.generations[0].publicKey.sealBox(key.secret, SystemEntropy())
      return PermissionsEntry(
        user: user, letters: [.read, .write, .share], keyringPosition: 4, generation: 1, sealedKey: sealed)
    }
    var body = PermissionsBody(
      branch: branch, owner: try owner.user(), version: 1, previous: .zeros, epoch: 1, commitment: key.commitment,
      entries: entries, olderKeys: [],
      author: Author(
        user: identity.user, device: identity.device, keyringPosition: 4, read: LogHead(startOf: branch)))
    try bend(&body)
    return SignedRecord(signing: body, with: identity.signingKey)
  }
}
