import CloudAPI
import Lies
import Sealing
import Signing
import TestSupport

@testable import Treesystem

/// Which life of a node a record belongs to, and under which key.
extension Operator {
  static let lives: [Operator] = [
    // The row of the first of two versions need not be shown any more.
    Operator("superseded line told as a deletion", .life, [.header: .setsAside(.versionStale, .forks)]) { scene, _ in
      let hand = try Hand(scene.mallory, on: scene.branch)
      let second = try hand.next("Milk")
      let draft = hand.sign(second)
      try await scene.require(draft)
      let third = try hand.next("Milk") { header in
        header.version = second.header.version + 1
        header.previous = draft.record.hash
      }
      try await scene.require(hand.sign(third))
      try scene.retell { $0.told[0].kind = .tombstone }
    },
    Operator(
      "life of a node that nobody began", .life,
      [.header: .setsAside(.versionStale, .reports), .tombstone: .setsAside(.versionStale, .reports)]
    ) { scene, record in
      let hand = try Hand(scene.mallory, on: scene.branch)
      let (milk, hash) = try hand.present("Milk")
      try await scene.plant(
        record == .header
          ? hand.sign(hand.next("Milk") { $0.revived = 1 }) : hand.delete(milk, after: hash) { $0.revived = 1 })
    },
    Operator(
      "node begun anew over what was not seen", .unseenChildren, [.header: .setsAside(.unseenChildren, .reports)]
    ) { scene, _ in
      let hand = try Hand(scene.mallory, on: scene.branch)
      let anew = hand.sign(try hand.next("Milk") { $0.revived = $0.version })
      let below = try Hand(scene.alice, on: scene.branch)
      try await scene.require(below.sign(below.todo(named: "oats", below: "Milk")))
      try await scene.plant(anew)
    },
    // Whoever had that key may not read any more.
    Operator("node key of the epoch before", .nodeKeyReused, [.header: .setsAside(.nodeKeyReused, .reports)]) {
      scene, _ in
      try await scene.endTablet()
      for device in [scene.alice, scene.mallory, scene.carol] { try await device.sync() }
      let hand = try Hand(scene.mallory, on: scene.branch)
      var sheet = try hand.next("Milk") { $0.epoch = hand.key.epoch }
      sheet.header.wrappedKey = hand.key.wrap(sheet.key, hand.entropy)
      try await scene.plant(hand.sign(sheet))
    },
  ]
}
