import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import TestSupport

/// What can be done to one record of a list, with lines and heads to match.
extension Operator {
  static let records: [Operator] = [
    Operator("signature forged", .signature, sets(.signatureBad)) { scene, record in
      try await scene.retold(record) { told in
        var bytes = told.signature.bytes
        bytes[7] ^= 1
        return SignedRecord(body: told.body, signature: Signature(exactly: bytes))
      }
    },
    Operator("suite downgraded", .suite, sets(.suiteUnknown)) { scene, record in
      try await scene.retold(record) { told in try told.bent(record, suite: 0) }
    },
    Operator("suite of a version to come", .suite, sets(.suiteUnknown)) { scene, record in
      try await scene.retold(record) { told in try told.bent(record, suite: 2) }
    },
    Operator("writer's signature moved to another record", .signature, sets(.signatureBad)) { scene, record in
      let other = try await scene.foreign(record)
      try await scene.retold(record) { told in SignedRecord(body: told.body, signature: other.signature) }
    },
    Operator("record of another list", .recordBranch, sets(.branchMismatch)) { scene, record in
      let other = try await scene.foreign(record)
      try await scene.retold(record) { _ in other }
    },
    Operator("record cut off", nil, sets(.malformed)) { scene, record in
      try await scene.retold(record) { told in
        SignedRecord(body: Array(told.body.dropLast()), signature: told.signature)
      }
    },
    Operator("field added", .signature, sets(.signatureBad)) { scene, record in
      // Field 1,000, which no version knows.
      try await scene.retold(record) { told in
        SignedRecord(body: told.body + [0xC0, 0x3E, 1], signature: told.signature)
      }
    },
    Operator(
      "record told as another kind", nil,
      [
        .header: .setsAside(.malformed, .forks), .tombstone: .setsAside(.malformed, .forks),
        .permissions: .setsAside(.malformed, .forks),
      ]
    ) { scene, record in
      try await scene.write(record)
      try scene.retell { retelling in
        let last = try retelling.last(record.line)
        retelling.told[last].kind = record == .header ? .tombstone : .header
      }
    },
    Operator("line names another node", .lineKind, sets(.rowMismatch)) { scene, record in
      try await scene.write(record)
      try scene.retell { retelling in
        retelling.told[try retelling.last(record.line)].node = .random(SystemEntropy())
      }
    },
  ]

  /// A bad header or tombstone is kept apart, and the reader has read another history from then on; a bad permissions record
  /// stops its branch, so nothing is left of it.
  static func sets(_ reason: Refusal) -> KeyValuePairs<RecordKind, Expectation> {
    [
      .header: .setsAside(reason, .forks), .tombstone: .setsAside(reason, .forks), .permissions: .stops(reason),
    ]
  }
}

extension Scene {
  /// Somebody writes a record of this kind, and the server tells the victim another one in its place, perhaps of another node.
  func retold(
    _ record: RecordKind, of node: CloudID? = nil, _ change: (SignedRecord) throws -> SignedRecord
  ) async throws {
    try await write(record)
    try retell { retelling in
      let last = try retelling.last(record.line)
      guard let told = retelling.told[last].record else { throw Refusal.rowMissing }
      retelling.told[last].replace(try change(told))
      if let node { retelling.told[last].node = node }
    }
  }
}

extension SignedRecord {
  /// The same with another suite, and the signature of what it was.
  func bent(_ record: RecordKind, suite: UInt32) throws -> SignedRecord {
    switch record {
    case .permissions: try bent(WirePermissionsRecord.self) { $0.suite = suite }
    case .tombstone: try bent(WireTombstone.self) { $0.suite = suite }
    case .keyring: try bent(WireKeyringEntry.self) { $0.suite = suite }
    default: try bent(WireNodeHeader.self) { $0.suite = suite }
    }
  }

  /// The same with a change that its signer knows nothing of.
  func bent<Body: SwiftProtobuf.Message>(_ type: Body.Type, _ change: (inout Body) -> Void) throws -> SignedRecord {
    var wire = try decode(Body.self, body)
    change(&wire)
    return SignedRecord(body: encode(wire), signature: signature)
  }
}
