import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// Lines to be given back, and where the log stands with them.
struct RestoreRequest {
  let message: WireRestoreRequest
  let end: LogHead
  /// The nodes of which no record has come since their last line that has none.
  let open: Set<CloudID>
}

extension CloudTransaction {
  /// The record that made a branch.
  func firstRecord(of cloudID: CloudID) throws -> SignedRecord? {
    try Data.fetchOne(
      db,
      sql:
        "SELECT p.record FROM permissions p JOIN branches b ON b.id = p.branch WHERE b.cloud_id = ? AND p.version = 1",
      arguments: [cloudID]
    ).map { try SignedRecord(encoded: Array($0)) }
  }

  /// Everybody whom a permissions record of the branch names or was signed by, oneself first.
  func everyMember(of branch: BranchID) throws -> [UserID] {
    let me = try requireAccount().user
    let named = try permissionsHistory(of: branch).flatMap { $0.entries.compactMap(\.user) + [$0.author.user] }
    return [me] + Set(named).subtracting([me]).sorted()
  }

  /// Whether the last record of a branch that was read here lets this user read it.
  func gaveReading(_ branch: BranchID) throws -> Bool {
    try permissions(of: branch)?.body.letters(of: requireAccount().user).contains(.read) == true
  }

  /// Whether a server's head is a place in the log here.
  func has(_ head: LogHead, in branch: FollowedBranch) throws -> Bool {
    if head.line == 0 { return head == LogHead(startOf: branch.cloudID) }
    return try LocalBranchView.storedHash(head.line, branch.id, self) == head.hash
  }

  /// The ends of keyrings of which a server has less than there is here, and all of those that it has never heard of: these last, since
  /// they have to come with the records that are judged by them.
  func missingEnds(of users: [UserID], _ heads: [WireKeyringHead]) throws -> [WireKeyring] {
    let positions = Dictionary(heads.map { (Array($0.user), $0.position) }, uniquingKeysWith: { first, _ in first })
    let ends = try users.compactMap { user -> (position: UInt32, end: WireKeyring)? in
      let position = positions[user.bytes] ?? 0
      guard let keyring = try keyring(user), keyring.position > position else { return nil }
      let end = WireKeyring.with {
        $0.user = data(user.bytes)
        $0.entries = keyring.entries.dropFirst(Int(position)).map(\.wire)
      }
      return (position, end)
    }
    return (ends.filter { $0.position > 0 } + ends.filter { $0.position == 0 }).map(\.end)
  }

  /// The lines after a head with every record that is kept of them: as many as fit a request. `open` is what the request before left open.
  func restoreRequest(
    of branch: FollowedBranch, after start: LogHead, upTo last: UInt64, open before: Set<CloudID> = []
  ) throws -> RestoreRequest {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT l.number, l.kind, l.cloud_id, l.hash, coalesce(p.record, s.header, s.tombstone) AS signed FROM lines l
        LEFT JOIN permissions p ON p.branch = l.branch AND p.line = l.number
        LEFT JOIN node_states s ON s.branch = l.branch AND s.cloud_id = l.cloud_id AND s.hash = l.hash
        WHERE l.branch = ? AND l.number > ? AND l.number <= ? ORDER BY l.number LIMIT ?
        """, arguments: [branch.id, Int64(start.line), Int64(last), Limits.restoreLines])
    var message = WireRestoreRequest()
    message.branch = data(branch.cloudID.bytes)
    message.afterLine = start.line
    message.afterHash = data(start.hash.bytes)
    var (head, size) = (start, 0)
    var open = before
    while let row = try rows.next(), size < Limits.batchBytes {
      guard let kind = Line.Kind(rawValue: row[1]) else { throw Refusal.malformed }
      let line = Line(number: UInt64(row[0] as Int64), kind: kind, cloudID: row[2], hash: row[3])
      head = head.appending(line)
      message.lines += data(line.encoded)
      size += Line.length
      if let signed = row[4] as Data? {
        let record = try SignedRecord(encoded: Array(signed))
        message.rows.append(
          .with {
            $0.line = line.number
            $0.record = record.wire
          })
        size += record.body.count + 128
        open.remove(line.cloudID)
      } else {
        open.insert(line.cloudID)
      }
    }
    return RestoreRequest(message: message, end: head, open: open)
  }

  /// Those of some nodes whose contents this device can seal anew.
  func sendable(_ nodes: [CloudID], in branch: BranchID) throws -> [Node] {
    guard try mayWrite(branch), try trunk(of: branch) != .inbox else { return [] }
    return try nodes.compactMap { try isLive($0, in: branch) ? node($0, in: branch) : nil }
  }

  /// Queues nodes whose contents a server lost, so that they are sealed anew on top of the header that it has. Returns how many.
  func sealAnew(_ nodes: [CloudID], in branch: BranchID) throws -> Int {
    let nodes = try sendable(nodes, in: branch)
    for node in nodes {
      try db.execute(
        sql: "UPDATE node_states SET bare = 1 WHERE branch = ? AND cloud_id = ?", arguments: [branch, node.cloudID])
      try queueUpload(of: node.id)
    }
    return nodes.count
  }

  /// Whether no device but this one can have read more of a branch: nobody else is on it, and this user has no other.
  func isOnlyHere(_ branch: BranchID) throws -> Bool {
    let account = try requireAccount()
    let others = try permissions(of: branch)?.body.entries.contains { $0.user != account.user } ?? false
    return try !others && isOnlyDevice(account)
  }

  /// Whether this user has no other device.
  func isOnlyDevice(_ account: Account) throws -> Bool {
    try keyring(account.user)?.devices.values.contains { $0.ended == nil && $0.id != account.device } == false
  }

  /// Whether a server lacks the file of what was sealed anew for it, and it is not here either: whoever has all of it gives it back.
  func isForOthersToGiveBack(_ operation: QueuedOperation) throws -> Bool {
    guard let node = try operation.node.flatMap({ try node($0) }), let cloudID = node.cloudID,
      let file = try file(of: node.id), try !isWhole(file)
    else { return false }
    return try isBare(cloudID, in: operation.branch)
  }

  func trunk(of branch: BranchID) throws -> Trunk? {
    try String.fetchOne(db, sql: "SELECT trunk FROM branches WHERE id = ?", arguments: [branch])
      .flatMap { Trunk(rawValue: $0) }
  }

  /// Whether the server has a node's header and lacks what it lists.
  func isBare(_ cloudID: CloudID, in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT 1 FROM node_states WHERE branch = ? AND cloud_id = ? AND bare = 1")
    return try Int.fetchOne(statement, arguments: [branch, cloudID]) != nil
  }
}
