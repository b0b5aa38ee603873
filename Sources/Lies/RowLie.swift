package import CloudAPI
import Foundation
package import Signing
import SwiftProtobuf

/// What can be done to one record of a log, with lines and heads to match.
package struct RowLie: Sendable {
  package let name: String
  package let defence: Defence?
  package let ends: [(record: RecordKind, end: Ending)]
  /// Whether it takes a record of another list, which is all right there.
  package let wantsOther: Bool
  private let bend: @Sendable (inout Told, RecordKind, SignedRecord?) throws -> Void

  private init(
    _ name: String, _ defence: Defence?, _ ends: KeyValuePairs<RecordKind, Ending>, wantsOther: Bool = false,
    _ bend: @escaping @Sendable (inout Told, RecordKind, SignedRecord?) throws -> Void
  ) {
    self.name = name
    self.defence = defence
    self.ends = ends.map { ($0.key, $0.value) }
    self.wantsOther = wantsOther
    self.bend = bend
  }

  /// Changes a line and its row. Throws where the row is not there, or is no record of this kind.
  package func change(_ told: inout Told, _ record: RecordKind, other: SignedRecord? = nil) throws {
    try bend(&told, record, other)
  }

  /// How it must end for a kind of record; nil where it does not fit that.
  package func end(for record: RecordKind) -> Ending? { ends.first { $0.record == record }?.end }

  package static let all: [RowLie] =
    [
      RowLie("signature forged", .signature, sets(.signatureBad)) { told, _, _ in
        let record = try told.signed()
        var bytes = record.signature.bytes
        bytes[7] ^= 1
        told.replace(SignedRecord(body: record.body, signature: Signature(exactly: bytes)))
      },
      RowLie("suite downgraded", .suite, sets(.suiteUnknown)) { told, record, _ in
        told.replace(try told.signed().bent(record, suite: 0))
      },
      RowLie("suite of a version to come", .suite, sets(.suiteUnknown)) { told, record, _ in
        told.replace(try told.signed().bent(record, suite: 2))
      },
      RowLie("writer's signature moved to another record", .signature, sets(.signatureBad), wantsOther: true) {
        told, _, other in
        guard let other else { throw Refusal.rowMissing }
        told.replace(SignedRecord(body: try told.signed().body, signature: other.signature))
      },
      RowLie("record of another list", .recordBranch, sets(.branchMismatch), wantsOther: true) { told, _, other in
        guard let other else { throw Refusal.rowMissing }
        told.replace(other)
      },
      RowLie("record cut off", nil, sets(.malformed)) { told, _, _ in
        let record = try told.signed()
        told.replace(SignedRecord(body: Array(record.body.dropLast()), signature: record.signature))
      },
      RowLie("field added", .signature, sets(.signatureBad)) { told, _, _ in
        // Field 1,000, which no version knows.
        let record = try told.signed()
        told.replace(SignedRecord(body: record.body + [0xC0, 0x3E, 1], signature: record.signature))
      },
      RowLie(
        "record told as another kind", nil,
        [
          .header: .setsAside(.malformed, .forks), .tombstone: .setsAside(.malformed, .forks),
          .permissions: .setsAside(.malformed, .forks),
        ]
      ) { told, record, _ in
        told.kind = record == .header ? .tombstone : .header
      },
      RowLie("line names another node", .lineKind, sets(.rowMismatch)) { told, _, _ in
        told.node = CloudID(exactly: Array(told.hash.bytes.prefix(16)))
      },
    ] + bent

  /// Of what the record says one thing is another, and its signature is what it was.
  private static let bent: [RowLie] = [
    RowLie("sealed keys swapped between entries", .signature, [.permissions: .stops(.signatureBad)]) { told, _, _ in
      told.replace(
        try told.signed().bent(WirePermissionsRecord.self) { body in
          // An entry that may not read has no key: with one it would have the wrong form.
          let keyed = body.entries.indices.filter { !body.entries[$0].sealedKey.isEmpty }
          guard let first = keyed.first, let last = keyed.last else { return }
          (body.entries[first].sealedKey, body.entries[last].sealedKey) = (
            body.entries[last].sealedKey, body.entries[first].sealedKey
          )
        })
    },
    RowLie("permissions entry removed", .signature, [.permissions: .stops(.signatureBad)]) { told, _, _ in
      told.replace(
        try told.signed().bent(WirePermissionsRecord.self) { body in
          guard let index = body.entries.lastIndex(where: { $0.user != body.owner }) else { return }
          body.entries.remove(at: index)
        })
    },
    RowLie("name token forged", .signature, [.header: .setsAside(.signatureBad, .forks)]) { told, _, _ in
      told.replace(
        try told.signed().bent(WireNodeHeader.self) { if $0.nameToken.count > 3 { $0.nameToken[3] ^= 1 } })
    },
  ]

  /// A bad header or tombstone is kept apart, and the reader has read another history from then on; a bad permissions record
  /// stops its branch, so nothing is left of it.
  private static func sets(_ reason: Refusal) -> KeyValuePairs<RecordKind, Ending> {
    [
      .header: .setsAside(reason, .forks), .tombstone: .setsAside(reason, .forks), .permissions: .stops(reason),
    ]
  }
}

extension Told {
  /// The record, where it is told.
  package func signed() throws -> SignedRecord {
    guard let record else { throw Refusal.rowMissing }
    return record
  }
}
