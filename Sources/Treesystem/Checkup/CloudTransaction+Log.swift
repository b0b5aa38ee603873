import CloudAPI
import Foundation
import GRDB
import Signing

extension CloudTransaction {
  /// The branches whose log does not follow from what is kept of it: every log hash is computed again from the first line,
  /// the last has to be the cursor, and every record that is kept has to be one that a line names.
  public func branchesWithBrokenLog() throws -> [BranchID] {
    let branches = try Row.fetchAll(db, sql: "SELECT id, cloud_id FROM branches WHERE cloud_id IS NOT NULL")
    return try branches.compactMap { row in
      let (branch, cloudID): (BranchID, CloudID) = (row[0], row[1])
      return try logIsSound(of: branch, cloudID) && recordsAreNamed(in: branch) ? nil : branch
    }
  }

  private func logIsSound(of branch: BranchID, _ cloudID: CloudID) throws -> Bool {
    var head = LogHead(startOf: cloudID)
    let rows = try Row.fetchCursor(
      db, sql: "SELECT number, kind, cloud_id, hash, log_hash FROM lines WHERE branch = ? ORDER BY number",
      arguments: [branch])
    while let row = try rows.next() {
      guard let kind = Line.Kind(rawValue: row[1]) else { return false }
      let line = Line(number: UInt64(row[0] as Int64), kind: kind, cloudID: row[2], hash: row[3])
      guard line.number == head.line + 1 else { return false }
      head = head.appending(line)
      guard head.hash == row[4] else { return false }
    }
    return try cursor(of: branch) == head
  }

  /// Headers and permissions records, as the very bytes whose hashes stand in the log.
  private func recordsAreNamed(in branch: BranchID) throws -> Bool {
    let headers = try Row.fetchCursor(
      db, sql: "SELECT hash, header FROM node_states WHERE branch = ? AND header IS NOT NULL", arguments: [branch])
    while let row = try headers.next() {
      guard try hash(ofRecord: row[1]) == row[0] as Hash32 else { return false }
    }
    let permissions = try Row.fetchCursor(
      db,
      sql: """
        SELECT p.hash, p.record, l.hash FROM permissions p
        LEFT JOIN lines l ON l.branch = p.branch AND l.number = p.line AND l.kind = 3 WHERE p.branch = ?
        """, arguments: [branch])
    while let row = try permissions.next() {
      guard try hash(ofRecord: row[1]) == row[0] as Hash32, row[2] as Hash32? == row[0] as Hash32 else { return false }
    }
    return true
  }

  private func hash(ofRecord bytes: Data) throws -> Hash32? { try? SignedRecord(encoded: Array(bytes)).hash }
}
