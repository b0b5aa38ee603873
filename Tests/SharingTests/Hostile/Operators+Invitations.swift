import CloudAPI
import Foundation
import GRDB
import Lies
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// Invitations, codes and transfers: what lets somebody in, or gives a list away.
extension Operator {
  static let invitations: [Operator] = [
    Operator("invitation replayed", .nodeVersion, [.invitation: .setsAside(.versionStale, .forks)]) { scene, _ in
      try await scene.inviteAlice()
      let before = try scene.lastRecord(in: scene.alice.user())
      try await scene.alice.sync()
      try scene.alice.decline()
      try await scene.alice.sync()
      let inbox = Trunk.inbox.cloudID(of: try scene.alice.user())
      var retelling = try Retelling(of: inbox, to: scene.alice, in: scene.world)
      let node = try HeaderBody(decoding: before.body).cloudID
      retelling.told.append(Told(kind: .header, node: node, record: before, hash: before.hash))
      scene.server.tell(retelling)
    },
    Operator("invitation's words changed", .contentHash, [.invitation: .setsAside(.contentMismatch, .recovers)]) {
      scene, _ in
      try await scene.inviteAlice()
      let inbox = Trunk.inbox.cloudID(of: try scene.alice.user())
      scene.server.lie { request, response in
        if case .content(branch: inbox, _)? = Route(method: request.method, path: request.path) {
          return CloudResponse(status: 200, headers: response.headers, body: [0])
        }
        return Lie(branch: inbox).page(response, to: request) { page in
          for row in page.rows.indices {
            for content in page.rows[row].contents.indices { page.rows[row].contents[content].ciphertext[30] ^= 1 }
          }
        }
      }
    },
  ]

  static let codes: [Operator] = [
    Operator("code claimed without its proof", .claimProof, [.code: .harmless(.between)]) { scene, _ in
      let code = try scene.makeCode()
      try await scene.send(from: "eve", to: "alice") { message in
        message.claim.code = data(code.id)
        message.claim.proof = data([UInt8](repeating: 7, count: 32))
      }
      scene.check = Scene.nobodyCameIn
    },
    Operator("claim held back until its code has expired", .codeExpiry, [.code: .harmless(.between)]) { scene, _ in
      let code = try scene.makeCode()
      let eve = try scene.device("eve")
      guard let alice = try await eve.session.lookUp(handle: "alice") else { throw Refusal.notFound }
      try eve.database.write { try $0.claim(code, of: alice.user) }
      try await eve.sync()
      scene.server.watch(for: try scene.lastRecord(in: alice.user).signature.bytes)
      scene.world.clock.advance(8 * 24 * 3600 * 1000)
      scene.check = Scene.nobodyCameIn
    },
    // A device of alice's that does not know the code answers in her name, with the server's help.
    Operator("code answered without its proof", .answerProof, [.code: .harmless(.between)]) { scene, _ in
      let code = try scene.makeCode()
      let bob = try scene.device("bob")
      guard let alice = try await bob.session.lookUp(handle: "alice") else { throw Refusal.notFound }
      try bob.database.write { try $0.claim(code, of: alice.user) }
      try await bob.sync()
      let first = try scene.alice.database.read { transaction in
        try transaction.branch(scene.branch).flatMap { try transaction.firstPermissions(of: $0) }
      }
      _ = try await scene.alice.session.lookUp(handle: "bob")
      scene.victimName = "bob"
      try await scene.send(from: "phone", to: "bob") { message in
        message.invitation.branch = data(scene.branch.bytes)
        message.invitation.title = "Groceries"
        message.invitation.letters = Letters([.read, .write]).rawValue
        message.invitation.firstPermissions = data(first?.bytes ?? [])
        message.invitation.code = data(code.id)
        message.invitation.codeProof = data([UInt8](repeating: 7, count: 32))
      }
      scene.victimName = "bob"
      scene.check = { scene in
        let bob = try scene.device("bob")
        #expect(try !bob.database.read { try $0.isAnswered(code) })
        #expect(try bob.listNames().isEmpty)
        #expect(try bob.database.read { try !$0.regard(for: alice.user).isVerified })
      }
    },
  ]

  static let transfers: [Operator] = [
    transfer("successor's word forged by the owner", .signature, .signatureBad) { scene, _ in
      try scene.alice.database.read { try $0.identity() }.signingKey
    },
    transfer("transfer of another list", .owner, .ownerChanged) { scene, body in
      body.branch = .random(SystemEntropy())
      return try scene.mallory.database.read { try $0.identity() }.signingKey
    },
    transfer("transfer that has expired", .owner, .ownerChanged) { scene, body in
      body.expires = 1
      return try scene.mallory.database.read { try $0.identity() }.signingKey
    },
    transfer("transfer from somebody else", .owner, .ownerChanged) { scene, body in
      body.owner = try scene.carol.user()
      return try scene.mallory.database.read { try $0.identity() }.signingKey
    },
    transfer("transfer by a device that nobody has", nil, .deviceUnknown) { scene, body in
      body.device = .random(SystemEntropy())
      return try scene.mallory.database.read { try $0.identity() }.signingKey
    },
    Operator("list taken that nobody offered", .offer, [.transfer: .harmless(.before)]) { scene, _ in
      scene.victimName = "alice"
      let owner = try scene.alice.user()
      try scene.mallory.database.write { try $0.acceptOwnership(of: scene.branch, from: owner, expires: .max) }
      try await scene.mallory.sync()
      scene.server.watch(for: try scene.lastRecord(in: owner).signature.bytes)
      scene.check = { scene in
        try await scene.alice.sync()
        #expect(try scene.alice.database.read { try $0.members(of: $0.lists()[0].node).first?.user } == owner)
      }
    },
  ]

  /// Alice gives the list to mallory with a word that is not mallory's, or for something else.
  private static func transfer(
    _ name: String, _ defence: Defence?, _ reason: Refusal,
    _ bend: @escaping @Sendable (Scene, inout OwnershipTransferBody) throws -> SigningKey
  ) -> Operator {
    Operator(name, defence, [.transfer: .stops(reason)]) { scene, _ in
      let mallory = try scene.mallory.database.read { try $0.identity() }
      let now = scene.world.clock.now()
      var body = OwnershipTransferBody(
        branch: scene.branch, owner: try scene.alice.user(), successor: mallory.user, expires: now + 1_000,
        device: mallory.device, keyringPosition: 4)
      let key = try bend(scene, &body)
      let word = SignedRecord(signing: body, with: key)
      let draft = try Hand(scene.alice, on: scene.branch).permit { record in
        record.owner = mallory.user
        record.created = now
        record.transfer = word
        for index in record.entries.indices where record.entries[index].user == mallory.user {
          record.entries[index].letters = [.read, .write, .share]
        }
      }
      try scene.retell { retelling in
        retelling.told.append(
          Told(kind: .permissions, node: draft.node, record: draft.record, hash: draft.record.hash))
      }
    }
  }
}

extension Scene {
  /// Alice has a code for the list.
  func makeCode() throws -> InviteCode {
    victimName = "alice"
    return try alice.database.write { transaction in
      let list = try transaction.lists()[0]
      return try transaction.makeCode(for: list.node, role: .editor, title: list.title, note: "")
    }
  }

  /// A message as no honest program would write it; the server passes it on.
  func send(from name: String, to handle: String, _ write: (inout SealedMessage) -> Void) async throws {
    let device = try device(name)
    guard let person = try await device.session.lookUp(handle: handle) else { throw Refusal.notFound }
    var message = SealedMessage()
    write(&message)
    let sent = message
    try device.database.write { try $0.sendMessage(sent, toRecipients: [person.user], withDependencies: []) }
    try await device.sync()
    server.watch(for: try lastRecord(in: person.user).signature.bytes)
  }

  /// Those who were members are the members, and nobody else is held for verified.
  static let nobodyCameIn: @Sendable (Scene) async throws -> Void = { scene in
    try await scene.alice.sync()
    let members = try scene.alice.database.read { try $0.members(of: $0.lists()[0].node) }
    #expect(members.count == 3 && members.allSatisfy { !$0.isVerified })
  }
}
