import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// Verified rows that are not open yet. Those of the page at hand are kept in memory; only what has to wait for a later page,
/// because its parent or its key has not come, is written down.
struct WaitingRows {
  let transaction: CloudTransaction
  let branch: BranchID
  private var rows: [(row: IncomingRow, isStored: Bool)] = []
  private var tombstones: [(row: IncomingRow, isStored: Bool)] = []

  init(transaction: CloudTransaction, branch: BranchID) {
    self.transaction = transaction
    self.branch = branch
  }

  /// Rows are added in the order of their lines.
  mutating func add(_ row: IncomingRow) {
    if case .tombstone = row.record { tombstones.append((row, false)) } else { rows.append((row, false)) }
  }

  /// Adds those of earlier pages, before the others: their lines are.
  mutating func addStored() throws {
    let statement = try transaction.db.cachedStatement(
      sql: """
        SELECT w.row, coalesce(l.kind, 1) FROM waiting w LEFT JOIN lines l ON l.branch = w.branch AND l.number = w.line
        WHERE w.branch = ? ORDER BY w.line
        """)
    var headers: [(row: IncomingRow, isStored: Bool)] = []
    var graves: [(row: IncomingRow, isStored: Bool)] = []
    for row in try Row.fetchAll(statement, arguments: [branch]) {
      let isTombstone = (row[1] as Int64) == 2
      let incoming = try IncomingRow(WireRow(serializedBytes: row[0] as Data), isTombstone ? .tombstone : .header)
      if isTombstone { graves.append((incoming, true)) } else { headers.append((incoming, true)) }
    }
    rows = headers + rows
    tombstones = graves + tombstones
  }

  /// Takes the tombstones out, in the order of their lines.
  mutating func takeTombstones() throws -> [IncomingRow] {
    let taken = tombstones
    tombstones = []
    for waiting in taken where waiting.isStored { try forget(waiting.row) }
    return taken.map(\.row)
  }

  /// Opens what can be opened, again and again while that opens something. `open` returns false for a row that has to wait.
  mutating func open(_ open: (IncomingRow) throws -> Bool) throws {
    var progress = true
    while progress, !rows.isEmpty {
      progress = false
      var left: [(row: IncomingRow, isStored: Bool)] = []
      for waiting in rows {
        guard try open(waiting.row) else {
          left.append(waiting)
          continue
        }
        progress = true
        if waiting.isStored { try forget(waiting.row) }
      }
      rows = left
    }
  }

  /// Writes down what is left.
  mutating func store() throws {
    for waiting in rows + tombstones where !waiting.isStored {
      try transaction.db.execute(
        sql: "INSERT OR REPLACE INTO waiting (branch, line, row) VALUES (?, ?, ?)",
        arguments: [branch, Int64(waiting.row.wire.line), Data(encode(waiting.row.wire))])
    }
    rows = rows.map { ($0.row, true) }
    tombstones = tombstones.map { ($0.row, true) }
  }

  private func forget(_ row: IncomingRow) throws {
    try transaction.db.execute(
      sql: "DELETE FROM waiting WHERE branch = ? AND line = ?", arguments: [branch, Int64(row.wire.line)])
  }
}
