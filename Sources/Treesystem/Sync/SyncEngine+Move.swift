import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// Why an address is not that of the account's server.
public enum MoveFailure: Error, Equatable, Sendable {
  /// The server there does not know this device.
  case unknownAccount
  /// It has another past of the account or of a list.
  case otherPast
  /// It lacks what this device has read: it was set back, or is a copy.
  case behind
}

extension SyncEngine {
  /// Takes the address that this engine was made for as that of the account's server, if the server there has all that this device has
  /// read, with the same past. Changes nothing else.
  public func moveAccount(to server: String) async throws {
    try await database.syncing {
      let connection = try connection()
      do {
        try await checkKeyring(connection)
        for branches in try database.read({ try $0.followedBranches() }).chunks(of: Limits.requestItems) {
          try await checkHeads(of: branches, connection)
        }
      } catch CloudFailure.refused(.deviceUnknown) {
        throw MoveFailure.unknownAccount
      }
      try database.write { try $0.setServer(server) }
    }
  }

  private func checkKeyring(_ connection: CloudConnection) async throws {
    let user = try database.read { try $0.requireAccount().user }
    let request = WireKeyringsRequest.with { $0.users = [.with { $0.user = data(user.bytes) }] }
    let answer = try await connection.call(.keyrings, request, answer: WireKeyrings.self)
    guard let found = answer.keyrings.first(where: { Array($0.user) == user.bytes }) else {
      throw MoveFailure.unknownAccount
    }
    let theirs = try found.entries.map { try SignedRecord($0) }
    let ours = try database.read { try $0.keyring(user)?.entries ?? [] }
    guard theirs.prefix(ours.count).elementsEqual(ours.prefix(theirs.count)) else { throw MoveFailure.otherPast }
    guard theirs.count >= ours.count else { throw MoveFailure.behind }
    // What is new has to continue it.
    _ = try Keyring(user: user, entries: theirs)
  }

  private func checkHeads(of branches: [FollowedBranch], _ connection: CloudConnection) async throws {
    let request = WireHeadsRequest.with { $0.branches = branches.map { data($0.cloudID.bytes) } }
    let heads = try await connection.call(.heads, request, answer: WireHeads.self).branches
    for branch in branches {
      guard let cursor = try database.read({ try $0.cursor(of: branch.id) }), cursor.line > 0 else { continue }
      guard let head = heads.first(where: { Array($0.branch) == branch.cloudID.bytes }) else {
        throw CloudFailure.nonsense
      }
      if head.denied {
        // One that was taken away stays so.
        if branch.trouble == .branchDenied { continue }
        throw MoveFailure.behind
      }
      guard head.line >= cursor.line else { throw MoveFailure.behind }
      if head.line == cursor.line {
        guard Array(head.logHash) == cursor.hash.bytes else { throw MoveFailure.otherPast }
      } else {
        try await checkPast(of: branch, at: cursor, connection)
      }
    }
  }

  /// Has a server that is ahead show the last line that was read here, which nobody names to it: one that was set back does not know it. What
  /// follows has to be the chain up to the head that it names.
  private func checkPast(of branch: FollowedBranch, at cursor: LogHead, _ connection: CloudConnection) async throws {
    guard let (before, last) = try database.read({ try $0.lastLine(of: branch, at: cursor) }) else {
      throw StoreError.damaged
    }
    let request = WirePullRequest.with {
      $0.branch = data(branch.cloudID.bytes)
      $0.afterLine = before.line
      $0.afterHash = data(before.hash.bytes)
      $0.limit = 2
    }
    let page: IncomingPage
    do {
      page = try IncomingPage(try await connection.call(.pull, request, answer: WirePage.self))
    } catch CloudFailure.refused(.fork) {
      throw MoveFailure.otherPast
    }
    guard page.branch == branch.cloudID.bytes, page.headLine > cursor.line else { throw MoveFailure.behind }
    guard page.lines.first == last, page.lines.dropFirst().allSatisfy({ $0.number == cursor.line + 1 }) else {
      throw MoveFailure.otherPast
    }
    let end = page.end(after: before)
    guard end.line < page.headLine || end.hash.bytes == page.headHash else { throw MoveFailure.otherPast }
  }
}

extension CloudTransaction {
  /// The line that a cursor stands at, and the head before it; nil where it is not kept.
  fileprivate func lastLine(of branch: FollowedBranch, at cursor: LogHead) throws -> (before: LogHead, line: Line)? {
    let start = LogHead(startOf: branch.cloudID)
    let row = try Row.fetchOne(
      db, sql: "SELECT kind, cloud_id, hash FROM lines WHERE branch = ? AND number = ?",
      arguments: [branch.id, Int64(cursor.line)])
    let hash = cursor.line == 1 ? start.hash : try LocalBranchView.storedHash(cursor.line - 1, branch.id, self)
    guard let row, let hash, let kind = Line.Kind(rawValue: row[0]) else { return nil }
    return (
      LogHead(line: cursor.line - 1, hash: hash), Line(number: cursor.line, kind: kind, cloudID: row[1], hash: row[2])
    )
  }
}

extension Array {
  fileprivate func chunks(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}
