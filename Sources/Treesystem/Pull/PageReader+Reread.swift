import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// Rows that are read once more: lines stay as they are, and nothing that waits to be sent is touched.
extension PageReader {
  /// Opens rows whose lines are known, as if they came with the head.
  func reopen(_ rows: [WireRow], of branch: BranchID) throws {
    guard let view = try LocalBranchView(branch, in: transaction, keyrings: keyrings, checked) else { return }
    var waiting = WaitingRows(transaction: transaction, branch: branch)
    try waiting.addStored()
    for row in rows {
      try transaction.db.execute(
        sql: "DELETE FROM quarantine WHERE branch = ? AND line = ?", arguments: [branch, Int64(row.line)])
      waiting.add(try IncomingRow(row, .header))
    }
    try blamingRows {
      try settle(&waiting, in: view)
      try replaceUnbelieved(in: view)
    }
  }

  /// Compares a page with the lines that are here up to `end`, and sets aside what is missing here, to be opened at the end.
  /// Returns where the page ends. Throws `fork` where the server tells another history.
  func reread(_ page: IncomingPage, of branch: BranchID, after start: LogHead, upTo end: LogHead) throws -> LogHead {
    guard var view = try LocalBranchView(branch, in: transaction, keyrings: keyrings, checked) else { return end }
    guard page.branch == view.branch.bytes else { throw Refusal.branchMismatch }
    var waiting = WaitingRows(transaction: transaction, branch: branch)
    view.head = start
    for line in page.lines where line.number <= end.line {
      guard line.number == view.head.line + 1 else { throw Refusal.chainBroken }
      let next = view.head.appending(line)
      let known = try LocalBranchView.storedHash(line.number, branch, transaction)
      guard known == next.hash || Defence.rereadLine.isDown else { throw Refusal.fork }
      if line.kind != .permissions, let row = page.rows[line.number] {
        guard row.hash == line.hash || Defence.rereadRecord.isDown else { throw Refusal.rowMismatch }
        view.permissions = try transaction.permissionsRecord(of: branch, before: line.number)
        if try blamingRows({ try isWanted(line, row, view) }) { waiting.add(row) }
      }
      view.head = next
    }
    try waiting.store()
    return view.head
  }

  /// Whether a row is to be opened again: one that is missing here or was not believed, if it verifies now, and one whose
  /// content the app may have lost. Of the latter what is being changed or deleted here is left alone; the former is news, with which
  /// a change here is merged as with any other.
  private func isWanted(_ line: Line, _ row: IncomingRow, _ view: LocalBranchView) throws -> Bool {
    // A row that a later line superseded was right in its time, and would take the node back to it.
    guard try transaction.isLatest(line, in: view.id) else { return false }
    if try transaction.stateHash(of: line.cloudID, in: view.id) != line.hash {
      do {
        if line.kind == .header {
          try transaction.setState(verify(row.asHeader(), in: view), line: line.number, in: view.id)
        } else {
          _ = try verify(row.asTombstone(), in: view)
        }
      } catch let refusal as Refusal {
        // Why it is not believed now: the device that wrote it may have ended since.
        try transaction.db.execute(
          sql: "UPDATE quarantine SET reason = ? WHERE branch = ? AND line = ?",
          arguments: [refusal.rawValue, view.id, Int64(line.number)])
        return false
      }
    } else {
      try forgetMissing(line, in: view.id)
      if try line.kind == .tombstone || isBeingChanged(row.asHeader().body, in: view.id) { return false }
    }
    try transaction.db.execute(
      sql: "DELETE FROM quarantine WHERE branch = ? AND line = ?", arguments: [view.id, Int64(line.number)])
    return true
  }

  /// A record of one's own whose answer was lost may have been kept back when it was read, and be known since.
  private func forgetMissing(_ line: Line, in branch: BranchID) throws {
    try transaction.db.execute(
      sql: "DELETE FROM quarantine WHERE branch = ? AND line = ? AND reason = ?",
      arguments: [branch, Int64(line.number), Refusal.rowMissing.rawValue])
  }

  private func isBeingChanged(_ header: HeaderBody, in branch: BranchID) throws -> Bool {
    let node = try transaction.node(header.cloudID, in: branch)
    if try node.flatMap({ try transaction.uploadOperation(of: $0.id) }) != nil { return true }
    return try !transaction.removals(touchedBy: header, in: branch).isEmpty
  }
}

extension CloudTransaction {
  /// Whether a node has no later line.
  fileprivate func isLatest(_ line: Line, in branch: BranchID) throws -> Bool {
    let last = try Int64.fetchOne(
      db, sql: "SELECT max(number) FROM lines WHERE branch = ? AND cloud_id = ? AND kind <> 3",
      arguments: [branch, line.cloudID])
    return last == Int64(line.number)
  }

  /// The permissions record in force at a line.
  func permissionsRecord(of branch: BranchID, before line: UInt64) throws -> PermissionsInForce? {
    try Data.fetchOne(
      db, sql: "SELECT record FROM permissions WHERE branch = ? AND line < ? ORDER BY version DESC LIMIT 1",
      arguments: [branch, Int64(line)]
    ).map { try PermissionsInForce(stored: SignedRecord(encoded: Array($0))) }
  }
}
