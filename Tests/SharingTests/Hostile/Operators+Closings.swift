import CloudAPI
import Lies
import Sharing
import Signing
import TestSupport

@testable import Treesystem

/// Lists that end: who may end them, and what comes afterwards.
extension Operator {
  static let closings: [Operator] = [
    Operator("list closed by somebody who does not own it", .closing, [.permissions: .stops(.letterMissing)]) {
      scene, _ in
      try scene.goOn(with: Hand(scene.mallory, on: scene.branch).permit { $0.isClosed = true })
    },
    Operator("list closed and its members changed", .closing, [.permissions: .stops(.malformed)]) { scene, _ in
      let mallory = try scene.mallory.user()
      let draft = try Hand(scene.alice, on: scene.branch).permit { body in
        body.isClosed = true
        for index in body.entries.indices where body.entries[index].user == mallory {
          body.entries[index].letters.formUnion(.share)
        }
      }
      try scene.goOn(with: draft)
    },
    Operator("list that begins closed", .closing, [.permissions: .stops(.malformed, .isDenied)]) { scene, _ in
      let (bob, eve) = (try scene.device("bob"), try scene.device("eve"))
      _ = try await bob.session.lookUp(handle: "eve")
      let fresh = CloudID.random(SystemEntropy())
      let first = try scene.firstRecord(of: fresh, by: eve, owner: eve, for: bob) { $0.isClosed = true }
      scene.victimName = "bob"
      try bob.database.write { transaction in
        _ = try transaction.graftNode(
          withLocalPath: Treepath(.home, fresh.description), remoteCloudID: fresh, firstPermissions: first.hash)
      }
      scene.server.tell(
        Retelling(of: fresh, told: [Told(kind: .permissions, node: fresh, record: first, hash: first.hash)]))
    },
    // Alice's own device signs it, which somebody else has.
    Operator("trunk closed", .closing, [.permissions: .stops(.letterMissing)]) { scene, _ in
      scene.victimName = "phone"
      let (phone, home) = (try scene.device("phone"), Trunk.home.cloudID(of: try scene.alice.user()))
      for device in [scene.alice, phone] { try await device.sync() }
      let draft = try Hand(scene.alice, on: home).permit { $0.isClosed = true }
      var retelling = try Retelling(of: home, to: phone, in: scene.world)
      retelling.told.append(
        Told(kind: .permissions, node: home, record: draft.record, hash: draft.record.hash))
      scene.server.tell(retelling)
    },
    Operator("permissions record after the last", .closed, [.permissions: .stops(.branchClosed)]) { scene, _ in
      let hand = try Hand(scene.alice, on: scene.branch)
      let last = hand.permit { $0.isClosed = true }
      let line = Line(
        number: hand.head.line + 1, kind: .permissions, cloudID: scene.branch, hash: last.record.hash)
      let next = hand.permit { body in
        body.version += 1
        body.previous = last.record.hash
        body.author.read = hand.head.appending(line)
      }
      try scene.goOn(with: last, next)
    },
    Operator(
      "written on a list that is closed", .closed,
      [.header: .setsAside(.branchClosed, .reports), .tombstone: .setsAside(.branchClosed, .reports)]
    ) { scene, record in
      try await scene.require(Hand(scene.alice, on: scene.branch).permit { $0.isClosed = true })
      for device in [scene.mallory, scene.carol] { try await device.sync() }
      let hand = try Hand(scene.mallory, on: scene.branch)
      let (eggs, hash) = try hand.present("Eggs")
      try await scene.plant(record == .header ? hand.sign(hand.todo()) : hand.delete(eggs, after: hash))
    },
  ]
}
