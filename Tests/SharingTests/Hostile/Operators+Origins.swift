import CloudAPI
import CloudServer
import Foundation
import GRDB
import Lies
import SwiftProtobuf
import TestSupport

@testable import Sharing
@testable import Signing
@testable import Treesystem

/// A device of one's own takes a message out of the inbox and says something else of who wrote it.
extension Operator {
  static let origins: [Operator] = [
    taken("post taken out to another place", .originPlace, .originWrong) { $0 },
    taken("post taken out in other words", .originContent, .contentMismatch) { origin in
      var sealed = origin.sealed
      sealed[sealed.count / 2] ^= 1
      return try Origin(origin.record, secret: origin.secret, sealed: sealed)
    },
    taken("post taken out with a header that its sender did not sign", .originSignature, .signatureBad) { origin in
      var bytes = origin.record.signature.bytes
      bytes[7] ^= 1
      let forged = SignedRecord(body: origin.record.body, signature: Signature(exactly: bytes))
      return try Origin(forged, secret: origin.secret, sealed: origin.sealed)
    },
  ]

  private static func taken(
    _ name: String, _ defence: Defence, _ reason: Refusal,
    _ bend: @escaping @Sendable (Origin) throws -> Origin
  ) -> Operator {
    Operator(name, defence, [.header: .setsAside(reason, .reports)]) { scene, _ in
      scene.victimName = "alice"
      let (phone, user) = (try scene.device("phone"), try scene.alice.user())
      let post = try scene.mallory.database.write { try $0.sendMessage(MessageDraft(to: [user], text: "hello")) }
      try await scene.mallory.sync()
      try await phone.sync()
      _ = try await scene.findTruth()
      let record = try phone.database.write { transaction in
        try transaction.markRead(post)
        guard let node = try transaction.post(post)?.node, let origin = try transaction.origin(of: node) else {
          throw Refusal.rowMissing
        }
        let bent = try bend(origin)
        try transaction.keep(bent, of: node, isChecked: true)
        // It stands where such a message would, but for the one that has another's place.
        let place = defence == .originPlace ? CloudID.random(SystemEntropy()) : bent.cloudID
        let move = try transaction.db.cachedStatement(sql: "UPDATE nodes SET cloud_id = ?, name = ? WHERE id = ?")
        try move.execute(arguments: [place, place.description, node])
        let follow = try transaction.db.cachedStatement(sql: "UPDATE operations SET cloud_id = ? WHERE node = ?")
        try follow.execute(arguments: [place, node])
        // The message stays, so that nothing true is lost.
        try transaction.db.cachedStatement(sql: "DELETE FROM operations WHERE kind = 'delete'").execute()
        return place
      }
      try await phone.sync()
      let home = Trunk.home.cloudID(of: user)
      let stored = try scene.world.storage.read { try $0.node(record, in: home) }
      guard let stored else { throw Refusal.rowMissing }
      scene.server.watch(for: stored.record.signature.bytes)
    }
  }
}
