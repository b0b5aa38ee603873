package import CloudAPI
import Foundation
package import Signing
import SwiftProtobuf

/// What a server tells of the records of somebody's inbox, to whoever wants to send there.
package struct InboxLie: Sendable {
  package let name: String
  package let defence: Defence
  package let reason: Refusal
  private let bend: @Sendable (inout WirePermissionsHistory, any Entropy) throws -> Void

  private init(
    _ name: String, _ defence: Defence, _ reason: Refusal,
    _ bend: @escaping @Sendable (inout WirePermissionsHistory, any Entropy) throws -> Void
  ) {
    self.name = name
    self.defence = defence
    self.reason = reason
    self.bend = bend
  }

  /// The invitation waits.
  package var end: Ending { .stops(reason, showing: .between) }

  /// Throws where there is no record to change.
  package func change(_ history: inout WirePermissionsHistory, _ entropy: any Entropy) throws {
    guard !history.records.isEmpty else { throw Refusal.rowMissing }
    try bend(&history, entropy)
  }

  package static let all: [InboxLie] = [
    InboxLie("inbox with another first record", .inboxFirst, .firstRecordWrong) { history, _ in
      history.records[0].signature[7] ^= 1
    },
    InboxLie("inbox record repeated", .inboxChain, .chainBroken) { history, _ in
      history.records.append(history.records[0])
    },
    InboxLie("inbox record forged", .inboxSignature, .signatureBad) { history, entropy in
      // It follows the last one, so that nothing but its signature is wrong.
      let last = try UnverifiedPermissions(SignedRecord(history.records[history.records.count - 1]))
      var body = last.body
      body.version += 1
      body.previous = last.hash
      history.records.append(SignedRecord(signing: body, with: SigningKey(entropy)).wire)
    },
  ]
}
