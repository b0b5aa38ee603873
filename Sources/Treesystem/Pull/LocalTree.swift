import CloudAPI
import Foundation
import GRDB
import Signing

/// What is known of a node: it lives, it went with what was deleted, or something that it hangs below is missing.
enum Life {
  case lives
  case gone
  case unknown
}

/// Where the nodes of a branch hang, as the verified headers say, for a record at `line`.
struct LocalTree: TreeView {
  let transaction: CloudTransaction
  let branch: BranchID
  let line: UInt64

  func parent(of cloudID: CloudID) throws -> CloudID?? {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT parent, deleted AND line < ? FROM node_states WHERE branch = ? AND cloud_id = ?")
    let row = try Row.fetchOne(statement, arguments: [Int64(clamping: line), branch, cloudID])
    guard let row, !(row[1] as Bool) else { return .none }
    // A header that claims a wrong place moves nothing: the node hangs where it did, and what is below it stays right.
    if try isMisplaced(cloudID), let parent = try transaction.node(cloudID, in: branch)?.parent {
      return .some(try transaction.node(parent)?.cloudID)
    }
    return .some(row[0] as CloudID?)
  }

  /// A child that went with an earlier life of its parent has no name any more.
  func child(of parent: CloudID, token: Hash32) throws -> CloudID? {
    let statement = try transaction.db.cachedStatement(
      sql: """
        SELECT cloud_id FROM node_states WHERE branch = ?1 AND parent = ?2 AND token = ?3 AND deleted = 0 AND line < ?4
          AND line > coalesce((SELECT revived FROM node_states WHERE branch = ?1 AND cloud_id = ?2), -1)
        """)
    return try CloudID.fetchOne(statement, arguments: [branch, parent, token, Int64(clamping: line)])
  }

  /// Whether a node lives (spec §5.1, rule 8), as the server sees it: its last line is a header, everything above it lives,
  /// and nothing above it was away since that line.
  func lives(_ cloudID: CloudID) throws -> Bool { try life(of: cloudID) == .lives }

  func life(of cloudID: CloudID) throws -> Life { try life(of: cloudID, above: nil) }

  /// Of a node of which only the line of its last record, a header, has to be known.
  func life(below parent: CloudID?, since line: Int64) throws -> Life {
    guard let parent else { return .lives }
    return try life(of: parent, above: line)
  }

  private func life(of cloudID: CloudID, above line: Int64?) throws -> Life {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT deleted, line, revived, parent FROM node_states WHERE branch = ? AND cloud_id = ?")
    var below = line
    var own = line
    var here = cloudID
    for _ in (line == nil ? 0 : 1)...Limits.depth {
      guard let row = try Row.fetchOne(statement, arguments: [branch, here]) else {
        // A branch root need not have a header.
        return try here == transaction.cloudID(of: branch) ? .lives : .unknown
      }
      guard !(row[0] as Bool), below.map({ $0 > row[2] as Int64 }) ?? true else {
        // What was hung there later did not go with it: it never had that place.
        let end: Int64 = row[0] ? row[1] : row[2]
        return own.map { $0 > end } ?? false ? .unknown : .gone
      }
      guard let parent = row[3] as CloudID? else { return .lives }
      below = row[1]
      own = own ?? below
      here = parent
    }
    return .unknown
  }

  /// Nobody deletes what they have not seen: a line of a node below must not be later than the author had read (spec §5.6).
  /// Judged at a head: before it, what went elsewhere meanwhile still seems to be below.
  func requireSeen(below tombstone: TombstoneBody) throws {
    let life = try transaction.life(
      of: tombstone.cloudID, revived: tombstone.revived, version: tombstone.version, at: line, in: branch)
    // Whoever burns what is theirs takes nothing else along, seen or not.
    let seen = tombstone.burned == nil ? Int64(clamping: tombstone.author.read.line) : 0
    // What had ended before was not below any more, though its row here is of another life or place.
    let lived = """
      s.branch = ?1 AND s.deleted = 0 AND NOT EXISTS (
        SELECT 1 FROM lines e WHERE e.branch = ?1 AND e.cloud_id = s.cloud_id AND e.kind = 2 AND e.number < ?4
          AND e.number > s.line AND NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.branch = ?1 AND q.line = e.number)
          AND NOT EXISTS (
            SELECT 1 FROM lines n WHERE n.branch = ?1 AND n.cloud_id = s.cloud_id AND n.number > e.number AND n.number < ?4))
      """
    let unseen = try Int.fetchOne(
      transaction.db,
      sql: """
        WITH RECURSIVE below (cloud_id, revived) AS (
          SELECT s.cloud_id, s.revived FROM node_states s WHERE s.parent = ?2 AND s.line > ?5 AND \(lived)
          UNION SELECT s.cloud_id, s.revived FROM node_states s JOIN below b ON s.parent = b.cloud_id
          WHERE s.line > b.revived AND \(lived))
        SELECT 1 FROM below JOIN lines l ON l.branch = ?1 AND l.cloud_id = below.cloud_id
        WHERE l.number > ?3 AND l.number < ?4 LIMIT 1
        """,
      arguments: [branch, tombstone.cloudID, seen, Int64(line), Int64(life)])
    guard unseen == nil || Defect.unseenChildrenDeleted.isPlanted || Defence.unseenChildren.isDown else {
      throw tombstone.burned == nil ? Refusal.unseenChildren : .letterMissing
    }
  }

  /// Who lets a node begin anew says that what hung below it is gone: nobody says that of what they have not seen. Only what hung
  /// there when the line came counts; what has a later line lives or not by that.
  func requireSeen(below header: HeaderBody) throws {
    guard header.version > 1, header.revived == header.version else { return }
    let stands = """
      s.branch = ?1 AND s.deleted = 0 AND s.line < ?4 AND NOT EXISTS (SELECT 1 FROM lines l WHERE l.branch = ?1
        AND l.cloud_id = s.cloud_id AND l.kind <> 3 AND l.number > s.line AND l.number < ?4)
      """
    let statement = try transaction.db.cachedStatement(
      sql: """
        WITH RECURSIVE below (cloud_id, line) AS (
          SELECT s.cloud_id, s.line FROM node_states s WHERE s.parent = ?2 AND \(stands)
          UNION SELECT s.cloud_id, s.line FROM below b JOIN node_states s ON s.parent = b.cloud_id WHERE \(stands))
        SELECT 1 FROM below WHERE line > ?3 LIMIT 1
        """)
    let read = Int64(clamping: header.author.read.line)
    let unseen = try Int.fetchOne(statement, arguments: [branch, header.cloudID, read, Int64(line)])
    guard unseen == nil || Defence.unseenChildren.isDown else { throw Refusal.unseenChildren }
  }

  private func isMisplaced(_ cloudID: CloudID) throws -> Bool {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT 1 FROM quarantine WHERE branch = ? AND cloud_id = ? AND reason = 'parent-wrong'")
    return try Int.fetchOne(statement, arguments: [branch, cloudID]) != nil
  }
}
