import CloudAPI
import CloudServer
import Foundation
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
    Operator("permissions entry removed", .signature, [.permissions: .stops(.signatureBad)]) { scene, record in
      let mallory = try scene.mallory.user()
      try await scene.retold(record) { told in
        try told.bent(WirePermissionsRecord.self) { body in body.entries.removeAll { Array($0.user) == mallory.bytes } }
      }
    },
    Operator("sealed keys swapped between entries", .signature, [.permissions: .stops(.signatureBad)]) {
      scene, record in
      try await scene.retold(record) { told in
        try told.bent(WirePermissionsRecord.self) { body in
          (body.entries[0].sealedKey, body.entries[1].sealedKey) = (
            body.entries[1].sealedKey, body.entries[0].sealedKey
          )
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
    Operator("node moved", .signature, [.header: .setsAside(.signatureBad, .forks)]) { scene, record in
      let eggs = try Hand(scene.mallory, on: scene.branch).present("Eggs").0.cloudID
      try await scene.retold(record) { told in
        try told.bent(WireNodeHeader.self) { $0.parent = data(eggs.bytes) }
      }
    },
    Operator("name token forged", .signature, [.header: .setsAside(.signatureBad, .forks)]) { scene, record in
      try await scene.retold(record) { told in
        try told.bent(WireNodeHeader.self) { $0.nameToken[3] ^= 1 }
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
    Operator(
      "record repeated at a later line", .nodeVersion,
      [
        .header: .setsAside(.versionStale, .forks), .tombstone: .setsAside(.versionStale, .forks),
        .permissions: .stops(.permissionsSuperseded),
      ]
    ) { scene, record in
      try await scene.write(record)
      try scene.retell { $0.told.append($0.told[try $0.last(record.line)]) }
    },
    Operator(
      "line omitted", .readLine,
      [
        .header: .stops(.fork, showing: .between), .tombstone: .stops(.fork, showing: .between),
        .permissions: .stops(.fork, showing: .between),
      ]
    ) { scene, record in
      try await scene.write(record)
      try await scene.mallory.sync()
      try scene.mallory.add("Groceries", "Butter")
      try await scene.mallory.sync()
      try scene.retell { retelling in
        // Of two headers the first.
        retelling.told.remove(at: try record == .header ? 0 : retelling.last(record.line))
      }
    },
    Operator("lines in another order, with hashes to match", .readLine, [.log: .stops(.fork, showing: .between)]) {
      scene, _ in
      try await scene.write(.header)
      try scene.mallory.add("Groceries", "Butter")
      try await scene.mallory.sync()
      try scene.retell { $0.told.swapAt(0, 1) }
    },
    Operator("row of the latest line withheld", .latestRow, withheld) { scene, record in
      try await scene.write(record)
      try scene.retell { retelling in retelling.told[try retelling.last(record.line)].record = nil }
      guard record != .permissions else { return }
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
    },
  ]

  private static let withheld: KeyValuePairs<RecordKind, Expectation> = [
    .header: .setsAside(.rowMissing, .mends), .tombstone: .setsAside(.rowMissing, .mends),
    .permissions: .stops(.rowMissing),
  ]
}
