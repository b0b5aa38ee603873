import CloudAPI
import Foundation
import GRDB
import Signing

/// What a user can do about a change that the server refused, or that waits for one.
extension CloudTransaction {
  /// Has the next sync try a refused change again.
  public func retryOperation(_ sequence: Int64) throws {
    guard let operation = try queued(sequence) else { throw TreeError.noSuchOperation }
    guard operation.state == .refused else { return }
    try db.execute(
      sql: "UPDATE operations SET state = 'pending', reason = NULL WHERE sequence = ?", arguments: [sequence])
    // What it hung below may have been deleted meanwhile.
    guard operation.kind == .put, let node = try operation.node.flatMap({ try self.node($0) }),
      let cloudID = node.cloudID, try state(of: cloudID, in: node.branch) != nil
    else { return }
    try putAgain(node)
  }

  /// Has the next sync try everything again that was refused.
  public func retryRefused() throws {
    for operation in try operations() where operation.state == .refused { try retryOperation(operation.sequence) }
  }

  /// What waits in a branch that this user may not read any more is refused; a new letter has it tried again.
  func refusePending(in branch: BranchID) throws {
    try db.execute(
      sql:
        "UPDATE operations SET state = 'refused', reason = ? WHERE branch = ? AND state = 'pending' AND kind <> 'copy'",
      arguments: [Refusal.letterMissing.rawValue, branch])
  }

  /// Tries again what was refused for want of a letter or a key, because a new permissions record may give it.
  func reopenRefused(in branch: BranchID) throws {
    let refused = try Int64.fetchAll(
      db,
      sql:
        "SELECT sequence FROM operations WHERE branch = ? AND state = 'refused' AND reason IN (?, ?) ORDER BY sequence",
      arguments: [branch, Refusal.letterMissing.rawValue, Refusal.keyMismatch.rawValue])
    for sequence in refused { try retryOperation(sequence) }
  }

  /// The same, where the record in force gives the letter.
  func reopenIfWritable(_ branch: BranchID) throws {
    if try mayWrite(branch) { try reopenRefused(in: branch) }
  }

  /// The changes that wait for this one, directly or through others: they go with it when it is discarded.
  public func operations(waitingFor sequence: Int64) throws -> [QueuedOperation] {
    try Row.fetchAll(
      db,
      sql: """
        WITH RECURSIVE waiting (sequence) AS (
          SELECT operation FROM dependencies WHERE needs = ?
          UNION SELECT d.operation FROM dependencies d JOIN waiting w ON d.needs = w.sequence)
        SELECT * FROM operations WHERE sequence IN (SELECT sequence FROM waiting) ORDER BY sequence
        """, arguments: [sequence]
    ).map(Self.operation)
  }

  /// Gives a change up, and what waits for it.
  ///
  /// A node that was never sent goes, with all below it. One that the server has gets the server's content with the next
  /// sync. What a deletion took comes back at once. What was sent and not answered cannot be given up.
  public func discardOperation(_ sequence: Int64) throws {
    guard let operation = try queued(sequence) else { throw TreeError.noSuchOperation }
    guard operation.state != .sealed else { throw TreeError.underWay }
    try discardOperations(waitingFor: sequence)
    switch operation.kind {
    case .put: try discardPut(operation)
    case .delete:
      for departure in try departures(of: CloudOperation(sequence: sequence)) where departure.isTop {
        try sendHome(departure)
      }
      guard try restore(sequence, telling: app) else { throw TreeError.noParent }
    case .permit where operation.user == nil: try discardBranch(operation.branch)
    case .permit, .copy: break
    }
    try db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [sequence])
  }

  /// Gives up what waits for a change, but not the change.
  func discardOperations(waitingFor sequence: Int64) throws {
    for dependent in try operations(waitingFor: sequence).reversed() {
      // One may have gone with another.
      if try queued(dependent.sequence) != nil { try discardOperation(dependent.sequence) }
    }
  }

  private func discardPut(_ operation: QueuedOperation) throws {
    guard var node = try operation.node.flatMap({ try self.node($0) }) else { return }
    // What was taken from where the server has it goes back there.
    if let departure = try departures(of: node.id).first {
      try sendHome(departure)
      node = try self.node(node.id) ?? node
    }
    if try isOnServer(node) {
      try putBack(node)
      if let now = try self.node(node.id), now.pointer == nil { _ = try app?.receive(.discarded(now), in: self) }
      return try markNodeAsNeedsDownload(node.id, components: [.metadata, .data, .history])
    }
    if node.isBranchRoot { return try discardBranch(node.branch) }
    let parent = try node.parent.flatMap { try self.node($0) }
    _ = try app?.receive(.deleted(node), in: self)
    try forget(node)
    if let parent { try forgetIfOnlyAPath(parent) }
  }

  /// A node that was moved within its branch, and whose move is given up, hangs where the server has it.
  private func putBack(_ node: Node) throws {
    try db.execute(sql: "UPDATE nodes SET placed = 0 WHERE id = ?", arguments: [node.id])
    guard let place = try node.cloudID.flatMap({ try state(of: $0, in: node.branch)?.header?.parent }),
      let parent = try self.node(place, in: node.branch), parent.id != node.parent,
      try child(named: node.name, of: parent.id) == nil, try !subtree(of: node).contains(where: { $0.id == parent.id })
    else { return }
    try db.execute(sql: "UPDATE nodes SET parent = ? WHERE id = ?", arguments: [parent.id, node.id])
  }

  /// A node that was deleted elsewhere and kept here for what is below it goes with the last of that.
  private func forgetIfOnlyAPath(_ node: Node) throws {
    guard let cloudID = node.cloudID, !node.isBranchRoot, try children(of: node.id).isEmpty,
      try state(of: cloudID, in: node.branch) != nil, try !isOnServer(node), try uploadOperation(of: node.id) == nil
    else { return }
    let parent = try node.parent.flatMap { try self.node($0) }
    _ = try app?.receive(.deleted(node), in: self)
    try forget(node)
    if let parent { try forgetIfOnlyAPath(parent) }
  }

  /// A branch that was never made goes from where it hangs.
  private func discardBranch(_ branch: BranchID) throws {
    guard let root = try root(of: branch), let pointer = try pointer(to: root.id) else { return }
    _ = try app?.receive(.deleted(pointer), in: self)
    try forget(pointer)
  }

  private func queued(_ sequence: Int64) throws -> QueuedOperation? {
    try Row.fetchOne(db, sql: "SELECT * FROM operations WHERE sequence = ?", arguments: [sequence]).map(Self.operation)
  }
}
