import CloudAPI
import GRDB
import Signing

/// Lines of this device's own that the server told in an answer and that were not read yet: a server that drops one after it
/// acknowledged it is caught at the next head.
extension CloudTransaction {
  func expect(_ line: Line, _ logHash: Hash32, in branch: BranchID) throws {
    try db.execute(
      sql:
        "INSERT OR REPLACE INTO acknowledged (branch, hash, line, log_hash, kind, cloud_id) VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [branch, line.hash, Int64(line.number), logHash, Int64(line.kind.rawValue), line.cloudID])
  }

  /// At the head of a branch: compares what was acknowledged with what is there, and ends what is over. Returns `fork` while
  /// the server's log ends before a line that it acknowledged.
  func judgeHead(of branch: BranchID, _ head: LogHead) throws -> Refusal? {
    var isShort = false
    for row in try Row.fetchAll(
      db, sql: "SELECT line, kind, cloud_id, hash, log_hash FROM acknowledged WHERE branch = ? ORDER BY line",
      arguments: [branch])
    {
      guard let kind = Line.Kind(rawValue: row[1]) else { continue }
      let line = Line(number: UInt64(row[0] as Int64), kind: kind, cloudID: row[2], hash: row[3])
      if try judge(line, row[4], in: branch, head) { isShort = true }
    }
    if isShort { return .fork }
    try endFindings(of: branch)
    return nil
  }

  /// Judges one acknowledged line. Returns whether the log is too short to tell.
  private func judge(_ line: Line, _ logHash: Hash32, in branch: BranchID, _ head: LogHead) throws -> Bool {
    let present = try LocalBranchView.storedHash(line.number, branch, self)
    var found = Contradiction(
      kind: .fork, line: line.number, known: logHash, told: present ?? head.hash,
      knownBy: try account().map { Finding.Signer(user: $0.user, device: $0.device) })
    if try isInLog(line, branch) {
      if present != logHash { try note(found, of: branch) }
    } else if line.number > head.line {
      found.kind = .rollback
      found.line = head.line + 1
      found.told = head.hash
      try note(found, of: branch)
      return true
    } else {
      found.kind = .omission
      try note(found, of: branch)
      try putDropped(line, in: branch)
    }
    try db.execute(sql: "DELETE FROM acknowledged WHERE branch = ? AND hash = ?", arguments: [branch, line.hash])
    return false
  }

  /// The nodes that the server said it took, and whose lines were not read: what is read here may be another past, without them.
  func acknowledgedNodes(missingIn branch: BranchID) throws -> Set<NodeID> {
    let statement = try db.cachedStatement(
      sql: """
        SELECT n.id FROM acknowledged a JOIN nodes n ON n.branch = a.branch AND n.cloud_id = a.cloud_id
        WHERE a.branch = ? AND a.kind = 1
          AND NOT EXISTS (SELECT 1 FROM lines l WHERE l.branch = a.branch AND l.cloud_id = a.cloud_id AND l.hash = a.hash)
        """)
    return try NodeID.fetchSet(statement, arguments: [branch])
  }

  private func isInLog(_ line: Line, _ branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM lines WHERE branch = ? AND cloud_id = ? AND hash = ?",
      arguments: [branch, line.cloudID, line.hash]) != nil
  }

  /// What the server took and has no more is sent again, on top of what it has; what it has of it is read again first.
  private func putDropped(_ line: Line, in branch: BranchID) throws {
    try db.execute(
      sql: "DELETE FROM node_states WHERE branch = ? AND cloud_id = ? AND hash = ?",
      arguments: [branch, line.cloudID, line.hash])
    guard db.changesCount > 0 else { return }
    if line.kind == .header, let node = try node(line.cloudID, in: branch) { try queueDataUpload(forNodeID: node.id) }
    try noteHollow(branch)
  }

  /// Gives up waiting for lines that the server acknowledged and does not have: they are put again.
  func putAllDropped(in branch: BranchID) throws {
    for row in try Row.fetchAll(
      db, sql: "SELECT line, kind, cloud_id, hash FROM acknowledged WHERE branch = ?", arguments: [branch])
    {
      guard let kind = Line.Kind(rawValue: row[1]) else { continue }
      let line = Line(number: UInt64(row[0] as Int64), kind: kind, cloudID: row[2], hash: row[3])
      if try !isInLog(line, branch) { try putDropped(line, in: branch) }
    }
    try db.execute(sql: "DELETE FROM acknowledged WHERE branch = ?", arguments: [branch])
  }
}
