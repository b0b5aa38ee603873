import CloudAPI
import Foundation
import GRDB
import Signing

/// What a user can do about a change that the server refused, or that waits for one.
extension CloudTransaction {
  /// Has the next sync try a change again, if it was refused.
  public func retryOperation(_ sequence: Int64) throws {
    guard let operation = try queued(sequence), operation.state == .refused else { return }
    try db.execute(
      sql: "UPDATE operations SET state = 'pending', reason = NULL WHERE sequence = ?", arguments: [sequence])
    if let node = operation.node { try forgetMissing(node) }
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

  /// Whether anything waits in a branch to be sealed.
  func isWaiting(_ branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations WHERE branch = ? AND state = 'pending' AND kind <> 'copy' LIMIT 1",
      arguments: [branch]) != nil
  }

  /// What waits in a branch that the server denies is kept as refused, for that reason: it is the server's word alone, so nothing overtakes
  /// a removal among it, and all of it is tried again as soon as the branch can be read.
  func refusePending(in branch: BranchID) throws {
    try db.execute(
      sql:
        "UPDATE operations SET state = 'refused', reason = ? WHERE branch = ? AND state = 'pending' AND kind <> 'copy'",
      arguments: [Refusal.branchDenied.rawValue, branch])
  }

  /// Whether any of that is there.
  func hasDenied(in branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations WHERE branch = ? AND state = 'refused' AND reason = ? LIMIT 1",
      arguments: [branch, Refusal.branchDenied.rawValue]) != nil
  }

  /// Tries that again.
  func reopenDenied(in branch: BranchID) throws {
    let denied = try Int64.fetchAll(
      db,
      sql: "SELECT sequence FROM operations WHERE branch = ? AND state = 'refused' AND reason = ? ORDER BY sequence",
      arguments: [branch, Refusal.branchDenied.rawValue])
    for sequence in denied { try retryOperation(sequence) }
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

  /// The changes that go with this one when it is given up, in order: what waits for it, and what hangs below a node that was
  /// never sent, directly or through others.
  public func operations(waitingFor sequence: Int64) throws -> [QueuedOperation] {
    var found: [Int64: QueuedOperation] = [:]
    var open = try queued(sequence).map { [$0] } ?? []
    while let operation = open.popLast() {
      for next in try dependents(of: operation) + unsent(below: operation) where next.sequence != sequence {
        if found.updateValue(next, forKey: next.sequence) == nil { open.append(next) }
      }
    }
    return found.values.sorted { $0.sequence < $1.sequence }
  }

  private func dependents(of operation: QueuedOperation) throws -> [QueuedOperation] {
    try Row.fetchAll(
      db, sql: "SELECT o.* FROM operations o JOIN dependencies d ON d.operation = o.sequence WHERE d.needs = ?",
      arguments: [operation.sequence]
    ).map(Self.operation)
  }

  /// What is queued of the nodes that go with a node which the server does not have.
  private func unsent(below operation: QueuedOperation) throws -> [QueuedOperation] {
    guard operation.state != .sealed, let top = try unsentNode(of: operation) else { return [] }
    return try everything(below: top).flatMap { node in
      try Row.fetchAll(
        db, sql: "SELECT * FROM operations WHERE node = ? AND state <> 'sealed'", arguments: [node.id]
      ).map(Self.operation)
    }
  }

  /// The node that goes when this change is given up; for a branch that was never made, its pointer.
  private func unsentNode(of operation: QueuedOperation) throws -> Node? {
    let isFirstPermit = operation.kind == .permit && operation.user == nil && !operation.closes
    let node = try isFirstPermit ? root(of: operation.branch) : operation.node.flatMap { try self.node($0) }
    guard let node, isFirstPermit || operation.kind == .put, try departures(of: node.id).isEmpty, try !isOnServer(node)
    else { return nil }
    return try node.isBranchRoot ? pointer(to: node.id) ?? node : node
  }

  /// A node and all below it, with the branches that hang there.
  private func everything(below node: Node) throws -> [Node] {
    var seen = [node.branch] as Set
    func everything(_ node: Node) throws -> [Node] {
      try subtree(of: node).flatMap { member in
        guard let branch = member.pointer, seen.insert(branch).inserted, let root = try root(of: branch) else {
          return [member]
        }
        return try [member] + everything(root)
      }
    }
    return try everything(node)
  }

  /// Gives a change up, and what waits for it.
  ///
  /// A node that was never sent goes, with all below it. One that the server has gets the server's content with the next
  /// sync. What a deletion took comes back at once. What was sent and not answered cannot be given up. One that went with another is given up.
  public func discardOperation(_ sequence: Int64) throws {
    guard let operation = try queued(sequence) else { return }
    guard operation.state != .sealed else { throw TreeError.underWay }
    try discardOperations(waitingFor: sequence)
    try undo(operation)
  }

  /// Gives up what waits for a change, but not the change.
  func discardOperations(waitingFor sequence: Int64) throws {
    for dependent in try operations(waitingFor: sequence).reversed() { try undo(dependent) }
  }

  private func undo(_ operation: QueuedOperation) throws {
    // One may have gone with another, and what was sent stays until there is an answer.
    guard let now = try queued(operation.sequence), now.state != .sealed else { return }
    switch operation.kind {
    case .put: try discardPut(operation)
    case .delete where operation.isBurn: break
    case .delete:
      for departure in try departures(of: CloudOperation(sequence: operation.sequence)) where departure.isTop {
        try sendHome(departure)
      }
      guard try restore(operation.sequence, telling: app) else { throw TreeError.noParent }
    case .permit where operation.user == nil && !operation.closes: try discardBranch(operation.branch)
    case .permit where operation.isRenewal: try noteRenewal(of: operation.branch)
    case .permit, .copy: break
    }
    try db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [operation.sequence])
  }

  private func discardPut(_ operation: QueuedOperation) throws {
    guard var node = try operation.node.flatMap({ try self.node($0) }) else { return }
    // What was taken from where the server has it goes back there.
    if let departure = try departures(of: node.id).first {
      try sendHomeWhole(departure)
      node = try self.node(node.id) ?? node
    }
    try db.execute(sql: "DELETE FROM file_uploads WHERE node = ?", arguments: [node.id])
    if try isOnServer(node) {
      try putBack(node)
      if let now = try self.node(node.id), now.pointer == nil { _ = try app?.receive(.discarded(now), in: self) }
      return try markNodeAsNeedsDownload(node.id, components: [.metadata, .data, .history])
    }
    if node.isBranchRoot { return try discardBranch(node.branch) }
    let parent = try node.parent.flatMap { try self.node($0) }
    try forget(node)
    if let parent { try forgetIfOnlyAPath(parent) }
  }

  /// Takes a node back to where it left from. One tombstone stands for all that left together, so that a part goes back with its whole: alone
  /// it would be deleted where it came from, as the whole is.
  private func sendHomeWhole(_ departure: Departure) throws {
    if try queued(departure.operation.sequence)?.state == .sealed {
      guard try node(departure.node).map(isOnServer) ?? false else { throw TreeError.underWay }
      return
    }
    let hasPlace = try departure.parent.map { try node($0, in: departure.branch) != nil } ?? true
    if !hasPlace, let whole = try departures(of: departure.operation).first(where: \.isTop) { try sendHome(whole) }
    if let left = try self.departure(of: departure.cloudID, in: departure.branch) { try sendHome(left) }
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

  /// A branch that was never made goes from where it hangs, and what it was made of is there again.
  private func discardBranch(_ branch: BranchID) throws {
    if try unmake(branch) { return }
    if let root = try root(of: branch), let pointer = try pointer(to: root.id) { try forget(pointer) }
  }

  func queued(_ sequence: Int64) throws -> QueuedOperation? {
    try Row.fetchOne(db, sql: "SELECT * FROM operations WHERE sequence = ?", arguments: [sequence]).map(Self.operation)
  }
}
