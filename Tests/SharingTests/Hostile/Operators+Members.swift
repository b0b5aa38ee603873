import CloudAPI
import Lies
import Sharing
import Signing
import TestSupport
import Testing
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
    burned("deletion that does not show what it burns", .burning) { _, hand in try hand.burn("Bread", shown: false) },
    burned("somebody else's node burned", .burning) { _, hand in try hand.burn("Milk") },
    burned("somebody else's node burned along with one's own", .unseenChildren) { scene, hand in
      let below = try Hand(scene.alice, on: scene.branch)
      try await scene.require(below.sign(below.todo(below: "Bread", like: "Milk")))
      return try hand.burn("Bread")
    },
    // It goes from the inbox like any other that is nothing.
    Operator("message from a device that has ended", .endedSender, [.message: .harmless(.honest)]) { scene, _ in
      scene.victimName = "alice"
      let tablet = try await scene.writeFromNewDevices(1)
      try tablet.add("Work", "Mail")
      try await tablet.share("Work", with: "alice")
      try await tablet.sync()
      let id = try tablet.database.read { try $0.requireAccount().device }
      let message = try scene.lastRecord(in: scene.alice.user())
      try await scene.mallory.session.endDevice(id, withAdded: false)
      scene.server.watch(for: message.signature.bytes)
      scene.check = { scene in
        let invites = try scene.alice.invites()
        #expect(invites.isEmpty, "it is believed")
      }
    },
  ]

  /// Mallory has only the letters to read and to burn what is hers, which is Bread.
  private static func burned(
    _ name: String, _ defence: Defence,
    _ burn: @escaping @Sendable (Scene, Hand) async throws -> Draft
  ) -> Operator {
    Operator(name, defence, [.tombstone: .setsAside(.letterMissing, .reports)]) { scene, _ in
      try await scene.write(.header)
      try await scene.alice.sync()
      let mallory = try scene.mallory.user()
      try scene.alice.database.write { transaction in
        _ = try transaction.recursiveAddShareItem(
          ShareItem(letters: [.read, .burn]), forUserID: mallory, nodeID: transaction.lists()[0].node)
      }
      for device in [scene.alice, scene.mallory, scene.carol] { try await device.sync() }
      try await scene.plant(burn(scene, Hand(scene.mallory, on: scene.branch)))
    }
  }
}

extension Hand {
  /// A deletion that shows the header that it takes.
  fileprivate func burn(_ title: String, shown: Bool = true) throws -> Draft {
    let (header, hash) = try present(title)
    let record = try device.database.read { transaction in
      try transaction.branch(branch).flatMap { try transaction.headerRecord(of: header.cloudID, in: $0) }
    }
    return delete(header, after: hash) { if shown { $0.burned = record } }
  }
}
