import CloudAPI
import CloudServer
import Foundation
import Lies
import Sharing
import Signing
import TestSupport

@testable import Treesystem

/// Other histories of a list than the true one, whose hashes fit.
extension Operator {
  static let histories: [Operator] = [
    Operator("permissions entry added", .signature, [.permissions: .stops(.signatureBad)]) { scene, record in
      let eve = try scene.device("eve").user()
      _ = try await scene.carol.session.lookUp(handle: "eve")
      try await scene.retold(record) { told in
        try told.bent(WirePermissionsRecord.self) { body in
          guard var entry = body.entries.first else { return }
          entry.user = data(eve.bytes)
          entry.keyringPosition = 4
          body.entries.append(entry)
          body.entries.sort { $0.user.lexicographicallyPrecedes($1.user) }
        }
      }
    },
    Operator("older permissions replayed", .recordVersion, [.permissions: .stops(.permissionsSuperseded)]) { scene, _ in
      let before = try Hand(scene.alice, on: scene.branch).permissions.record
      try await scene.write(.permissions)
      try scene.retell { retelling in
        retelling.told.append(
          Told(kind: .permissions, node: scene.branch, record: before, hash: before.hash))
      }
    },
    Operator("pinned keyring moved back", .pinOrder, [.permissions: .stops(.keyringStale)]) { scene, _ in
      try await scene.writeFromNewDevices(1)
      let mallory = try scene.mallory.user()
      let pinning = { (position: UInt32) in
        try Hand(scene.alice, on: scene.branch).permit { body in
          for index in body.entries.indices where body.entries[index].user == mallory {
            body.entries[index].keyringPosition = position
          }
        }
      }
      try await scene.alice.sync()
      try await scene.require(pinning(5))
      for device in [scene.alice, scene.carol] { try await device.sync() }
      let back = try pinning(4)
      try scene.retell { retelling in
        retelling.told.append(
          Told(kind: .permissions, node: scene.branch, record: back.record, hash: back.record.hash))
      }
    },
    // Where it would have followed stands something else, by its own author's word.
    Operator("permissions record told after another line", .witness, [.permissions: .stops(.fork, showing: .between)]) {
      scene, record in
      try await scene.write(record)
      try scene.retell { retelling in
        let line = Told(kind: .header, node: .random(SystemEntropy()), record: nil, hash: .random(SystemEntropy()))
        retelling.told.insert(line, at: try retelling.last(.permissions))
      }
    },
    Operator("node moved", .signature, [.header: .setsAside(.signatureBad, .forks)]) { scene, record in
      let eggs = try Hand(scene.mallory, on: scene.branch).present("Eggs").0.cloudID
      try await scene.retold(record) { told in
        try told.bent(WireNodeHeader.self) { $0.parent = data(eggs.bytes) }
      }
    },
    Operator("deletion turned on another node", .signature, [.tombstone: .setsAside(.signatureBad, .forks)]) {
      scene, record in
      let milk = try Hand(scene.mallory, on: scene.branch).present("Milk").0.cloudID
      try await scene.retold(record, of: milk) { told in
        try told.bent(WireTombstone.self) { $0.cloudID = data(milk.bytes) }
      }
    },
    Operator("header rolled back", .nodeVersion, [.header: .setsAside(.versionStale, .forks)]) { scene, _ in
      // Both versions name the permissions in force.
      try scene.mallory.edit("Milk", to: "Soy milk")
      for device in [scene.mallory, scene.carol] { try await device.sync() }
      let before = try Hand(scene.mallory, on: scene.branch).present("Soy milk").1
      let record = try scene.world.storage.read { storage in
        try storage.lines(of: scene.branch, after: 0, limit: 100).first { $0.hash == before }
          .flatMap { try storage.node($0.cloudID, in: scene.branch)?.record }
      }
      try scene.mallory.edit("Soy milk", to: "Oat milk")
      try await scene.mallory.sync()
      guard let record else { throw Refusal.rowMissing }
      try scene.retell { retelling in
        let node = retelling.told[try retelling.last(.header)].node
        retelling.told.append(Told(kind: .header, node: node, record: record, hash: record.hash))
      }
    },
    history(.repetition) { scene, record in
      try await scene.write(record)
      return { try $0.last(record.line) }
    },
    history(.omission) { scene, record in
      try await scene.write(record)
      try await scene.mallory.sync()
      try scene.mallory.add("Groceries", "Butter")
      try await scene.mallory.sync()
      // Of two headers the first.
      return { try record == .header ? 0 : $0.last(record.line) }
    },
    history(.order) { scene, _ in
      try await scene.write(.header)
      try scene.mallory.add("Groceries", "Butter")
      try await scene.mallory.sync()
      return { _ in 0 }
    },
    history(.withheld) { scene, record in
      try await scene.write(record)
      if record != .permissions {
        scene.mend = { scene in
          try await scene.mallory.sync()
          if record == .header {
            try scene.mallory.tick("Bread")
          } else {
            // Only a new life of the node tells more of it.
            try scene.alice.edit("Eggs", to: "Six eggs")
            try await scene.alice.sync()
          }
          try await scene.mallory.sync()
        }
      }
      return { try $0.last(record.line) }
    },
  ]

  /// Lets people write, and tells of it with one line changed: `prepare` says which.
  private static func history(
    _ lie: HistoryLie,
    _ prepare: @escaping @Sendable (Scene, RecordKind) async throws -> (Retelling) throws -> Int
  ) -> Operator {
    Operator(lie.name, lie.defence, lie.ends) { scene, record in
      let index = try await prepare(scene, record)
      try scene.retell { lie.change(&$0, at: try index($0)) }
    }
  }
}
