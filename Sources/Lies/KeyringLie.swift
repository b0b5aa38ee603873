package import CloudAPI
import Foundation
package import Signing
import SwiftProtobuf

/// What becomes of the new entries of somebody's keyring.
package struct KeyringLie: Sendable {
  package let name: String
  package let defence: Defence?
  private let bend: @Sendable (inout [WireSignedRecord], any Entropy) -> Void

  private init(
    _ name: String, _ defence: Defence?, _ bend: @escaping @Sendable (inout [WireSignedRecord], any Entropy) -> Void
  ) {
    self.name = name
    self.defence = defence
    self.bend = bend
  }

  /// Changes entries, of which there is one at least.
  package func change(_ entries: inout [WireSignedRecord], _ entropy: any Entropy) { bend(&entries, entropy) }

  /// What is signed by devices that are not known for that is not believed before it is read again or has a next version.
  package static let end = Ending.setsAside(.keyringStale, .mends)

  package static let all: [KeyringLie] = [
    KeyringLie("keyring entries withheld", .keyringLength) { entries, _ in entries.removeAll() },
    KeyringLie("keyring entries reordered", .entryChain) { entries, _ in entries.reverse() },
    KeyringLie("keyring entry omitted", .entryChain) { entries, _ in entries.removeFirst() },
    KeyringLie("keyring entry repeated", .entryChain) { entries, _ in entries.insert(entries[0], at: 0) },
    KeyringLie("keyring entry forged", .entrySignature) { entries, _ in
      for index in entries.indices { entries[index].signature[7] ^= 1 }
    },
    KeyringLie("keyring suite downgraded", .suite) { entries, _ in
      entries = entries.compactMap { try? SignedRecord($0).bent(.keyring, suite: 0).wire }
    },
    KeyringLie("device's keys exchanged", .entrySignature) { entries, entropy in
      let key = SigningKey(entropy).publicKey
      for index in entries.indices {
        guard let record = try? SignedRecord(entries[index]) else { continue }
        let bent = try? record.bent(WireKeyringEntry.self) { entry in
          guard let box = PublicKey(bytes: entry.addDevice.boxKey) else { return }
          entry.addDevice.signKey = data(key.bytes)
          entry.addDevice.device = data(DeviceID(signKey: key, boxKey: box).bytes)
        }
        if let bent { entries[index] = bent.wire }
      }
    },
  ]
}
