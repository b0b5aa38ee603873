import CloudAPI
import Foundation
import Lies
import Signing
import SwiftProtobuf
import TestSupport

/// What can be done to one record of a list, with lines and heads to match.
extension Operator {
  static let records: [Operator] = RowLie.all.map { lie in
    Operator(lie.name, lie.defence, lie.ends) { scene, record in
      let other = lie.wantsOther ? try await scene.foreign(record) : nil
      try await scene.write(record)
      try scene.retell { try lie.change(&$0.told[$0.last(record.line)], record, other: other) }
    }
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
