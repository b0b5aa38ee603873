import CloudAPI
import Foundation
import GRDB
import Signing

/// Where the nodes of a branch hang, as the verified headers say, for a record at `line`.
struct LocalTree: TreeView {
  let transaction: CloudTransaction
  let branch: BranchID
  let line: UInt64
  /// The record's node, which is in nobody's way.
  let node: CloudID

  func parent(of cloudID: CloudID) throws -> CloudID?? {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT parent, deleted FROM node_states WHERE branch = ? AND cloud_id = ?")
    guard let row = try Row.fetchOne(statement, arguments: [branch, cloudID]) else { return .none }
    if row[1] as Bool, try lastLine(of: cloudID) < line { return .none }
    // A header that claims a wrong place moves nothing: the node hangs where it did, and what is below it stays right.
    if try isMisplaced(cloudID), let parent = try transaction.node(cloudID, in: branch)?.parent {
      return .some(try transaction.node(parent)?.cloudID)
    }
    return .some(row[0] as CloudID?)
  }

  func child(of parent: CloudID, token: Hash32) throws -> CloudID? {
    let statement = try transaction.db.cachedStatement(
      sql: """
        SELECT cloud_id FROM node_states WHERE branch = ? AND parent = ? AND token = ? AND deleted = 0 AND cloud_id <> ?
        """)
    return try CloudID.fetchAll(statement, arguments: [branch, parent, token, node])
      .filter { try lastLine(of: $0) < line }.first
  }

  /// Whether something above was deleted since: then the node is gone with it, and its contents are too.
  func isBelowDeleted(_ header: HeaderBody) throws -> Bool {
    var above = header.parent
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT deleted, parent FROM node_states WHERE branch = ? AND cloud_id = ?")
    for _ in 0...Limits.depth {
      guard let here = above else { return false }
      let state = try Row.fetchOne(statement, arguments: [branch, here])
      if here == header.branch { return state?[0] ?? false }
      guard let state, !(state[0] as Bool) else { return true }
      above = state[1]
    }
    return true
  }

  /// Nobody deletes what they have not seen: a line of a node below must not be later than the author had read (spec §5.6).
  func requireSeen(below tombstone: TombstoneBody) throws {
    let unseen = try Int.fetchOne(
      transaction.db,
      sql: """
        WITH RECURSIVE below (cloud_id) AS (
          SELECT cloud_id FROM node_states WHERE branch = ?1 AND parent = ?2 AND deleted = 0
          UNION SELECT s.cloud_id FROM node_states s JOIN below b ON s.parent = b.cloud_id
          WHERE s.branch = ?1 AND s.deleted = 0)
        SELECT 1 FROM below JOIN lines l ON l.branch = ?1 AND l.cloud_id = below.cloud_id
        WHERE l.number > ?3 AND l.number < ?4 LIMIT 1
        """,
      arguments: [branch, tombstone.cloudID, Int64(clamping: tombstone.author.read.line), Int64(line)])
    guard unseen == nil else { throw Refusal.unseenChildren }
  }

  private func isMisplaced(_ cloudID: CloudID) throws -> Bool {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT 1 FROM quarantine WHERE branch = ? AND cloud_id = ? AND reason = 'parent-wrong'")
    return try Int.fetchOne(statement, arguments: [branch, cloudID]) != nil
  }

  private func lastLine(of cloudID: CloudID) throws -> UInt64 {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT max(number) FROM lines WHERE branch = ? AND cloud_id = ?")
    return UInt64(try Int64.fetchOne(statement, arguments: [branch, cloudID]) ?? 0)
  }
}
