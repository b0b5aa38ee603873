import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
import TodoCore
import Treesystem

/// Everything that honest people signed and typed: nothing else may be believed or shown, whatever a server says.
final class Honesty {
  /// A value in a document, by what it is the document of. The replica that wrote it may have a new number since.
  private struct Value: Hashable {
    let document: String
    let field: UInt32
    let value: [UInt8]
    let time: UInt64
  }

  private var records: Set<SignedRecord> = []
  private var values: Set<Value> = []

  /// What a device has is honest: nobody has lied yet.
  func begin(with process: SimProcess) throws {
    try process.database.read { transaction in
      records.formUnion(try Self.believed(transaction))
      values.formUnion(try Self.shown(transaction))
    }
  }

  /// Whatever a device sends, its owner has signed. Returns what it is, for the history.
  func sent(_ request: CloudRequest) -> [String] {
    switch request.path {
    case Route.batch.path:
      let operations = (try? decode(WireBatch.self, request.body).operations) ?? []
      records.formUnion(operations.compactMap { $0.record.flatMap { try? SignedRecord($0) } })
      return operations.compactMap(\.words)
    case Route.keyringAppend.path:
      let entries = (try? decode(WireKeyringAppend.self, request.body).entries) ?? []
      records.formUnion(entries.compactMap { try? SignedRecord($0) })
      return ["\(entries.count) keyring entries"]
    default: return []
    }
  }

  /// Runs a command, in whose transaction no server has a say: what is new after it, its user has typed.
  func watch<Result>(_ transaction: CloudTransaction, _ body: (CloudTransaction) throws -> Result) throws -> Result {
    let before = try Self.shown(transaction)
    let result = try body(transaction)
    values.formUnion(try Self.shown(transaction).subtracting(before))
    return result
  }

  /// What a device believes that nobody signed, or shows that nobody typed, in words.
  func lies(believedBy process: SimProcess) throws -> [String] {
    try process.database.read { transaction in
      let forged = try Self.believed(transaction).subtracting(records).map { record in
        "a record of \(record.body.count) bytes that nobody sent"
      }
      let invented = try Self.shown(transaction).subtracting(values).filter { !hasAnotherTime($0) }.map { value in
        "'\(String(decoding: value.value.prefix(40), as: UTF8.self))' in field \(value.field) of \(value.document) at \(value.time)"
      }
      return (forged + invented).sorted()
    }
  }

  /// Whether the same was typed there at another time: a device gives what it has not sent another one, where that is too far ahead of its clock,
  /// or where what it is joined with counts it as seen, such as what was written of a todo where it had left and where it had come.
  private func hasAnotherTime(_ value: Value) -> Bool {
    values.contains { ($0.document, $0.field, $0.value) == (value.document, value.field, value.value) }
  }

  /// Every record that counts on a device.
  private static func believed(_ transaction: CloudTransaction) throws -> Set<SignedRecord> {
    let encoded = try Data.fetchAll(
      transaction.db,
      sql: """
        SELECT header FROM node_states WHERE header IS NOT NULL
        UNION ALL SELECT tombstone FROM node_states WHERE tombstone IS NOT NULL
        UNION ALL SELECT record FROM permissions UNION ALL SELECT entry FROM keyrings
        """)
    return Set(try encoded.map { try SignedRecord(encoded: Array($0)) })
  }

  private static func shown(_ transaction: CloudTransaction) throws -> Set<Value> {
    let rows = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT todo_id, document, history FROM todos
        UNION ALL SELECT hex(b.cloud_id), l.document, l.history FROM lists l JOIN nodes n ON n.id = l.node
          JOIN branches b ON b.id = n.branch
        """)
    return try rows.reduce(into: Set<Value>()) { values, row in
      let name = row[0] as String? ?? "a list"
      let document = try Document(bytes: Array(row[1] as Data))
      let history = try TodoCore.History(bytes: Array(row[2] as Data))
      for register in document.registers + document.elements + history.overwritten {
        values.insert(
          Value(document: name, field: register.field, value: register.value, time: register.stamp.time))
      }
    }
  }
}

extension WireOperation {
  /// The record that it carries.
  fileprivate var record: WireSignedRecord? {
    switch change {
    case .put(let put): put.header
    case .copy(let copy): copy.header
    case .delete(let delete): delete.tombstone
    case .permit(let permit): permit.permissions
    case nil: nil
    }
  }

  /// What it does to what.
  fileprivate var words: String? {
    guard let signed = record.flatMap({ try? SignedRecord($0) }) else { return nil }
    let place: (kind: String, branch: CloudID, node: CloudID)? =
      switch change {
      case .put: (try? HeaderBody(decoding: signed.body)).map { ("put", $0.branch, $0.cloudID) }
      case .copy: (try? HeaderBody(decoding: signed.body)).map { ("message", $0.branch, $0.cloudID) }
      case .delete: (try? TombstoneBody(decoding: signed.body)).map { ("deletion", $0.branch, $0.cloudID) }
      case .permit: (try? PermissionsBody(decoding: signed.body)).map { ("permissions", $0.branch, $0.branch) }
      case nil: nil
      }
    return place.map { "a \($0.kind) of \("\($0.node)".prefix(6)) in \("\($0.branch)".prefix(6))" }
  }
}
