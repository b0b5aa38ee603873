import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// What the server is to drop by itself when its time is over (spec §8.8).
extension CloudTransaction {
  /// Has what a node holds go from the server at a time, in milliseconds since 1970; nil: never. To be said before the node is sent.
  package func setExpiry(_ time: Int64?, of node: NodeID) throws {
    let update = try db.cachedStatement(sql: "UPDATE nodes SET expires = ? WHERE id = ?")
    try update.execute(arguments: [time.flatMap { $0 > 0 ? $0 : nil }, node])
  }

  /// When what a node holds goes, as whoever said it has signed, in milliseconds since 1970; nil: never.
  package func expiry(of node: NodeID) throws -> Int64? {
    let statement = try db.cachedStatement(sql: "SELECT expires FROM nodes WHERE id = ? AND expires IS NOT NULL")
    return try Int64.fetchOne(statement, arguments: [node])
  }

  /// As a header has it.
  func signedExpiry(of node: NodeID) throws -> UInt64 { UInt64(max(0, try expiry(of: node) ?? 0)) }

  /// The time by which a server may take something to be over: clocks differ by an hour before anybody is told.
  func latestTime() throws -> Int64 { try earlierTime() + Self.farApart }

  /// Leaves a row alone whose contents went in time. Of what nobody has read the header goes from the inbox as well.
  func passOver(_ header: HeaderBody, in branch: BranchID) throws {
    guard header.recipient != nil, let read = try cursor(of: branch) else { return }
    let isGoing = try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations WHERE branch = ? AND cloud_id = ? AND kind = 'delete'",
      arguments: [branch, header.cloudID])
    if isGoing == nil { try enqueue(.delete, branch: branch, node: nil, cloudID: header.cloudID, read: read) }
  }

  /// What was gone too early is nothing to report any more once its time is over. Called after a pull.
  func forgetExpired() throws {
    let rows = try Row.fetchAll(
      db, sql: "SELECT branch, line, row FROM quarantine WHERE reason = ? AND length(row) > 0",
      arguments: [Refusal.contentMissing.rawValue])
    for row in rows {
      let wire = try WireRow(serializedBytes: row[2] as Data)
      guard let header = try? UnverifiedHeader(SignedRecord(wire.record)).body,
        header.isBurnt(with: wire.contents, at: try latestTime())
      else { continue }
      try db.execute(
        sql: "DELETE FROM quarantine WHERE branch = ? AND line = ?", arguments: [row[0] as BranchID, row[1] as Int64])
      try passOver(header, in: row[0])
    }
  }
}

extension HeaderBody {
  /// As it is kept here; nil: never.
  var expiry: Int64? { expires == 0 ? nil : Int64(clamping: expires) }

  /// Whether it came without its contents, because their time was over.
  func isBurnt(with contents: [WireContent], at time: Int64) -> Bool {
    guard let expiry, expiry <= time || Defence.burnTime.isDown else { return false }
    return self.contents.contains { reference in
      reference.isInPages && !contents.contains { Array($0.content) == reference.content.bytes }
    }
  }
}

extension Schema {
  static let expiries = """
    -- when its contents go from the server, in milliseconds since 1970
    ALTER TABLE nodes ADD COLUMN expires INTEGER CHECK (expires > 0);
    """
}
