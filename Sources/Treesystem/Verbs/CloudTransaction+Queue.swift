package import CloudAPI
import Foundation
import GRDB
package import Signing
import SwiftProtobuf

extension CloudTransaction {
  /// Queues the upload of a node's content. Edits of one node join an upload that was not sealed yet.
  public func queueDataUpload(forNodeID id: NodeID) throws {
    let moved = try db.cachedStatement(sql: "UPDATE departures SET edited = 1 WHERE node = ?")
    try moved.execute(arguments: [id])
    try queueUpload(of: id)
  }

  /// Queues a node's upload without taking it for an edit of the user's.
  package func queueUpload(of id: NodeID) throws {
    let open = Defect.sentBytesEdited.isPlanted ? "'pending', 'sealed'" : "'pending'"
    let waiting = try db.cachedStatement(
      sql: "SELECT 1 FROM operations WHERE node = ? AND kind = 'put' AND state IN (\(open))")
    if try Int.fetchOne(waiting, arguments: [id]) != nil { return }
    // What was refused holds no sealed bytes: a later edit goes with it, and it is tried again.
    let retry = try db.cachedStatement(
      sql:
        "UPDATE operations SET state = 'pending', reason = NULL WHERE node = ? AND kind = 'put' AND state = 'refused'")
    try retry.execute(arguments: [id])
    if db.changesCount > 0 { return }
    guard let node = try node(id) else { throw TreeError.noSuchNode }
    try enqueue(.put, branch: node.branch, node: id, cloudID: node.cloudID)
  }

  @discardableResult
  package func enqueue(
    _ kind: QueuedOperation.Kind, branch: BranchID, node: NodeID?, cloudID: CloudID?, user: UserID? = nil,
    letters: Letters? = nil, read: LogHead? = nil, handsOver: Bool = false, lane: CloudID? = nil
  ) throws -> CloudOperation {
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO operations (operation, kind, branch, node, cloud_id, user, letters, read_line, read_hash, created, hands_over,
          lane)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """)
    try statement.execute(arguments: [
      OperationID.random(entropy), kind.rawValue, branch, node, cloudID, user, letters.map { Int64($0.rawValue) },
      read.map { Int64($0.line) }, read?.hash, clock.now(), handsOver, lane,
    ])
    return CloudOperation(sequence: db.lastInsertedRowID)
  }

  /// Makes an operation wait until others were accepted. One that is through already is nothing to wait for.
  public func addDependencies(_ needed: [CloudOperation], to operation: CloudOperation) throws {
    for need in needed {
      try db.execute(
        sql: "INSERT OR IGNORE INTO dependencies SELECT ?, sequence FROM operations WHERE sequence = ?",
        arguments: [operation.sequence, need.sequence])
    }
  }

  /// The upload of a node that waits in the queue, so that something can depend on it or it on something.
  public func uploadOperation(of node: NodeID) throws -> CloudOperation? {
    try Int64.fetchOne(
      db, sql: "SELECT max(sequence) FROM operations WHERE node = ? AND kind = 'put'", arguments: [node]
    ).map { CloudOperation(sequence: $0) }
  }

  /// Every change that the server has not confirmed, in order.
  public func operations() throws -> [QueuedOperation] {
    try Row.fetchAll(db, sql: "SELECT * FROM operations ORDER BY sequence").map(Self.operation)
  }

  /// Those that were queued since a time, in milliseconds since 1970, in order. However many wait, only these are read.
  public func operations(since time: Int64) throws -> [QueuedOperation] {
    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM operations ORDER BY sequence DESC")
    var latest: [QueuedOperation] = []
    while let operation = try rows.next().map(Self.operation), operation.created >= time { latest.append(operation) }
    return latest.reversed()
  }

  /// The numbers of the changes that the server has refused.
  public func refusedNumbers() throws -> Set<Int64> {
    try Set(Int64.fetchAll(db, sql: "SELECT sequence FROM operations WHERE state = 'refused'"))
  }

  /// The permission changes of one branch that wait, in order.
  public func permitOperations(of branch: BranchID) throws -> [QueuedOperation] {
    let sql = "SELECT * FROM operations WHERE branch = ? AND kind = 'permit' ORDER BY sequence"
    return try Row.fetchAll(db, sql: sql, arguments: [branch]).map(Self.operation)
  }

  /// How many changes the server refused for good.
  func refusedOperationCount() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM operations WHERE state = 'refused'") ?? 0
  }

  /// Whether a message waits for its recipient's inbox to be looked up.
  func hasPendingCopies() throws -> Bool {
    try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM operations
        WHERE (kind = 'copy' OR (kind = 'delete' AND user IS NOT NULL)) AND state = 'pending' LIMIT 1
        """) != nil
  }

  /// How many changes of one branch the server has not confirmed.
  public func pendingOperationCount(of branch: BranchID) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM operations WHERE branch = ?", arguments: [branch]) ?? 0
  }

  /// How many changes the server has not confirmed.
  public func pendingOperationCount() throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM operations") ?? 0
  }

  /// Whether a node has a change that the log does not have: one whose answer was lost may stand there already. What was sent
  /// of it before it went elsewhere and came back counts.
  func hasUnconfirmedPut(_ node: Node, in branch: BranchID) throws -> Bool {
    let puts = try Row.fetchAll(
      db,
      sql: """
        SELECT * FROM operations WHERE kind = 'put'
          AND (node = ?1 OR (branch = ?2 AND cloud_id = ?3 AND state = 'sealed'))
        """, arguments: [node.id, branch, node.cloudID]
    ).map(Self.operation)
    return try puts.contains { put in
      guard let sealed = put.sealed else { return true }
      let record = try SignedRecord(WireOperation(serializedBytes: sealed).put.header)
      return try Int.fetchOne(
        db, sql: "SELECT 1 FROM lines WHERE branch = ? AND hash = ?", arguments: [branch, record.hash]) == nil
    }
  }

  static func operation(_ row: Row) -> QueuedOperation {
    let line = (row["read_line"] as Int64?).map { UInt64($0) }
    let hash = row["read_hash"] as Hash32?
    return QueuedOperation(
      sequence: row["sequence"], operation: row["operation"],
      kind: QueuedOperation.Kind(rawValue: row["kind"]) ?? .put,
      state: QueuedOperation.State(rawValue: row["state"]) ?? .pending, branch: row["branch"], node: row["node"],
      cloudID: row["cloud_id"], user: row["user"],
      letters: (row["letters"] as Int64?).map { Letters(rawValue: UInt32($0)) },
      sealed: (row["sealed"] as Data?).map { Array($0) },
      reason: (row["reason"] as String?).flatMap { Refusal(rawValue: $0) }, created: row["created"],
      read: line.flatMap { line in hash.map { LogHead(line: line, hash: $0) } }, handsOver: row["hands_over"],
      closes: row["closes"])
  }
}
