import CloudAPI
import Lies
import Sharing
import Signing
import TestSupport
import TodoCore

@testable import Treesystem

/// What people do with the server's help who were members once, or are with fewer letters than they want.
extension Operator {
  static let members: [Operator] = [
    Operator(
      "backdated by a removed member", .permissionsInForce,
      [
        .header: .setsAside(.permissionsSuperseded, .reports), .tombstone: .setsAside(.permissionsSuperseded, .reports),
      ]
    ) { scene, record in
      let hand = try Hand(scene.mallory, on: scene.branch)
      let (eggs, hash) = try hand.present("Eggs")
      let draft = try record == .header ? hand.sign(hand.todo()) : hand.delete(eggs, after: hash)
      let user = try scene.mallory.user()
      try scene.alice.database.write { transaction in
        _ = try transaction.unshare(transaction.lists()[0].node, with: user)
      }
      for device in [scene.alice, scene.carol] { try await device.sync() }
      try await scene.plant(draft)
    },
    Operator("child injected under a name that is taken", .place, [.header: .setsAside(.nameTaken, .forks)]) {
      scene, _ in
      let name = try scene.mallory.database.read { transaction in
        try transaction.node(scene.mallory.todo("Eggs", transaction).node)?.name
      }
      let hand = try Hand(scene.mallory, on: scene.branch)
      let child = try hand.sign(hand.todo(named: name ?? ""))
      try scene.retell { retelling in
        retelling.told.append(
          Told(
            kind: .header, node: child.node, record: child.record, contents: child.contents, hash: child.record.hash))
      }
    },
  ]
}
