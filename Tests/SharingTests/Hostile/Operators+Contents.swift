import CloudAPI
import CloudServer
import Foundation
import Lies
import Sealing
import Signing
import SwiftProtobuf
import TestSupport
import Treesystem

/// Sealed bytes that are not what the header lists.
extension Operator {
  static let contents: [Operator] = [
    Operator(
      "content swapped between versions", .contentHash, [.content: .setsAside(.contentMismatch, .recovers)]
    ) { scene, _ in
      let (branch, node) = (scene.branch, try Hand(scene.mallory, on: scene.branch).present("Milk").0.cloudID)
      let older = try scene.world.storage.read { try $0.contents(of: node, in: branch) }.map(\.bytes)
      try scene.mallory.edit("Milk", to: "Oat milk")
      try await scene.mallory.sync()
      scene.server.lie { request, response in
        if case .content? = Route(method: request.method, path: request.path) {
          return CloudResponse(status: 200, headers: response.headers, body: [0])
        }
        return Lie(branch: branch).page(response, to: request) { page in
          for index in page.rows[0].contents.indices {
            page.rows[0].contents[index].ciphertext = data(older[min(index, older.count - 1)])
          }
        }
      }
    },
    // The device that sealed it says itself that it is something else.
    Operator(
      "content listed as another section", .contentContext, [.content: .setsAside(.contentUnopenable, .reports)]
    ) { scene, _ in
      let hand = try Hand(scene.mallory, on: scene.branch)
      var sheet = try hand.todo()
      sheet.header.contents[0].section = .data
      sheet.header.contents[1].section = .metadata
      try await scene.plant(hand.sign(sheet))
    },
    // The owner seals one key to two readers, and another to the third: the commitment is to one of them.
    Operator(
      "two readers given two keys", .branchKeyCommitment, [.permissions: .setsAside(.keyMismatch, .reports)]
    ) { scene, _ in
      let carol = try scene.carol.user()
      let hand = try Hand(scene.alice, on: scene.branch)
      let keys = (0..<2).map { _ in
        BranchKey(branch: scene.branch, epoch: hand.key.epoch + 1, secret: SecretBytes(hand.entropy.bytes(32)))
      }
      var boxes: [UserID: [UInt8]] = [:]
      for entry in hand.permissions.body.entries {
        guard let user = entry.user, let keyring = try scene.alice.database.read({ try $0.keyring(user) }) else {
          continue
        }
        boxes[user] = keyring.generations[Int(entry.generation) - 1].publicKey.sealBox(
          keys[user == carol ? 1 : 0].secret, hand.entropy)
      }
      _ = try await scene.findTruth()
      let sealed = boxes
      let draft = hand.permit { body in
        body.epoch += 1
        body.commitment = keys[0].commitment
        body.olderKeys = [OlderKey(epoch: 1, sealed: keys[0].seal(older: hand.key, hand.entropy))]
        for index in body.entries.indices {
          body.entries[index].sealedKey = body.entries[index].user.flatMap { sealed[$0] } ?? []
        }
      }
      try await scene.require(draft)
      scene.server.watch(for: draft.record.signature.bytes)
    },
  ]
}
