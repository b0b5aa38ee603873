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

  init(transaction: CloudTransaction, branch: BranchID) {
    self.transaction = transaction
    self.branch = branch
  }

  /// Rows are added in the order of their lines.
  mutating func add(_ row: IncomingRow) { rows.append((row, false)) }

  /// Adds those of earlier pages, before the others: their lines are.
  mutating func addStored() throws {
    let statement = try transaction.db.cachedStatement(sql: "SELECT row FROM waiting WHERE branch = ? ORDER BY line")
    let stored = try Data.fetchAll(statement, arguments: [branch]).map { row in
      (row: try IncomingRow(WireRow(serializedBytes: row), .header), isStored: true)
    }
    rows = stored + rows
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
  func store() throws {
    for waiting in rows where !waiting.isStored {
      try transaction.db.execute(
        sql: "INSERT OR REPLACE INTO waiting (branch, line, row) VALUES (?, ?, ?)",
        arguments: [branch, Int64(waiting.row.wire.line), Data(encode(waiting.row.wire))])
    }
  }

  private func forget(_ row: IncomingRow) throws {
    try transaction.db.execute(
      sql: "DELETE FROM waiting WHERE branch = ? AND line = ?", arguments: [branch, Int64(row.wire.line)])
  }
}
