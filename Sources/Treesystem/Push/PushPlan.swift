import CloudAPI
import Foundation
import GRDB
import Signing

/// Which queued operations can go now. What is not in the plan waits for one that is, or for something else to arrive.
struct PushPlan {
  let transaction: CloudTransaction
  /// How many operations make a batch.
  let limit: Int
  /// Branches that have to be read before anything of theirs is sent again.
  var held: Set<BranchID> = []
  /// Branches that the server says may not be read: what was sealed before goes again for its answer, and nothing new.
  var denied: Set<BranchID> = []

  /// `CloudTransaction.isLast` of a permit.
  private static func isLast(_ permit: String) -> String {
    "(\(permit).closes = 1 OR (\(permit).letters IS 0 AND \(permit).user IS (SELECT user FROM account)))"
  }
  /// Whoever leaves or ends a branch sends first what they wrote. That waits for a renewal or a removal, which must not wait for the last
  /// record.
  private static let isBeforeLast =
    "o.user IS NOT NULL AND NOT \(isLast("o")) AND e.state = 'pending' AND \(isLast("e"))"

  /// The next operations, in order, at most one batch.
  func next() throws -> [QueuedOperation] {
    let candidates = try Row.fetchCursor(
      transaction.db,
      sql: """
        SELECT * FROM operations o WHERE state <> 'refused' AND inbox_full = 0 AND awaits_restore = 0
          AND (\(Defect.dependencyIgnored.isPlanted)
            OR NOT EXISTS (SELECT 1 FROM dependencies d WHERE d.operation = o.sequence))
          AND (o.kind = 'permit' AND o.state = 'sealed'
            OR NOT EXISTS (SELECT 1 FROM operations e WHERE e.branch = o.branch AND e.cloud_id IS o.cloud_id
              AND (e.kind = 'permit') = (o.kind = 'permit') AND e.sequence < o.sequence
              AND e.state <> 'refused' AND NOT (\(Self.isBeforeLast))))
        ORDER BY sequence
        """)
    var ready: [QueuedOperation] = []
    let branches = BranchFacts(transaction: transaction)
    let parents = SentParents()
    while let row = try candidates.next(), ready.count < limit {
      let operation = CloudTransaction.operation(row)
      if held.contains(operation.branch) { continue }
      if operation.state != .sealed, denied.contains(operation.branch) { continue }
      if try isReady(operation, branches, parents), try !isTooEarly(operation, after: ready) { ready.append(operation) }
    }
    return ready
  }

  /// What takes the place and the name of a node goes with that one's tombstone: nobody sees the one without the other. A record about who is
  /// on a branch is signed on top of the one before, so the next one waits for the answer of what was sent, whichever was queued first.
  private func isTooEarly(_ operation: QueuedOperation, after ready: [QueuedOperation]) throws -> Bool {
    if operation.kind == .permit {
      return try ready.contains { $0.kind == .permit && $0.branch == operation.branch }
        || operation.state != .sealed && hasUnansweredPermit(operation.branch)
    }
    if operation.kind == .copy { return try isOvertaking(operation, after: ready) }
    guard operation.kind == .put, let node = try operation.node.flatMap({ try transaction.node($0) }),
      let left = try transaction.predecessor(of: node)
    else { return false }
    return !ready.contains { $0.sequence == left.operation.sequence }
  }

  /// A copy goes behind those of its lane that were queued before it; what was refused keeps none waiting, nor does what needs that.
  private func isOvertaking(_ copy: QueuedOperation, after ready: [QueuedOperation]) throws -> Bool {
    let statement = try transaction.db.cachedStatement(
      sql: """
        SELECT e.sequence, e.node FROM operations o JOIN operations e ON e.lane = o.lane AND e.user = o.user
        WHERE o.sequence = ?1 AND e.sequence < ?1 AND e.state <> 'refused' ORDER BY e.sequence DESC
        """)
    let earlier = try Row.fetchCursor(statement, arguments: [copy.sequence])
    while let row = try earlier.next() {
      let before: Int64 = row[0]
      if ready.contains(where: { $0.sequence == before }) { return false }
      if try transaction.refusedNeed(of: before, row[1]) == nil { return true }
    }
    return false
  }

  private func isReady(
    _ operation: QueuedOperation, _ branches: BranchFacts, _ parents: SentParents
  ) throws -> Bool {
    // Sealed before the removal or not: the server may not have it, and takes it under the old key if it comes first.
    if try isBlockedByRemoval(operation) { return false }
    if operation.state == .sealed { return true }
    let facts = try branches.facts(of: operation.branch)
    switch operation.kind {
    // Whoever leaves or ends a branch sends first what they wrote, and the renewal that it needs.
    case .permit where try transaction.isLast(operation):
      return try !transaction.isWritten(operation.branch) && !transaction.hasRenewal(of: operation.branch)
    // Somebody else has made it: there is nothing left to say, which the sealer finds.
    case .permit where operation.user == nil && facts != nil: return true
    case .permit where operation.user == nil:
      // One that somebody else has made is read first. A nested branch begins with what is in force around it.
      return try transaction.firstPermissions(of: operation.branch) == nil
        && transaction.enclosing(of: operation.branch).map { try branches.facts(of: $0) != nil } ?? true
    case .permit:
      if facts?.key != nil { return true }
      return try facts.map { try transaction.isLockedOut(of: operation.branch, $0.permissions.body) } ?? false
    case .delete where operation.isBurn: return true
    case .delete:
      return try facts != nil && !isUnderWay(below: operation) && isFollowedByCopies(operation, facts)
        && !transaction.hasWithheldRows(in: operation.branch)
    // Without the key of the epoch in force a change waits. It is not done, and it is not lost.
    case .put:
      return try facts?.key != nil && isPlaced(operation, parents)
        && operation.node.map { try !transaction.isWaitingForFile($0) } ?? true
    case .copy: return try isSent(operation.node) && !hasPut(operation.node)
    }
  }

  /// One that was sent stands where the next one would, as far as is known here.
  private func hasUnansweredPermit(_ branch: BranchID) throws -> Bool {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT 1 FROM operations WHERE branch = ? AND kind = 'permit' AND state = 'sealed'")
    return try Int.fetchOne(statement, arguments: [branch]) != nil
  }

  /// While a removal or a renewal waits, nothing of its branch overtakes it, nor while it is refused and could go through yet. Who may
  /// not remove anybody, or has renewed as often as the server lets them, is told, and goes on writing: by what this device has verified,
  /// not by the server's word (`isBorneOut`). What is written after the last record was sent waits for the answer: it may be that a
  /// renewal is due before it.
  private func isBlockedByRemoval(_ operation: QueuedOperation) throws -> Bool {
    guard operation.kind != .permit, !Defect.putOvertakesRemoval.isPlanted else { return false }
    let statement = try transaction.db.cachedStatement(
      sql: """
        SELECT 1 FROM operations e WHERE branch = ? AND kind = 'permit'
          AND (letters & 1 = 0 OR (letters IS NULL AND user IS NOT NULL) OR closes = 1)
          AND NOT (\(Self.isLast("e")) AND state <> 'sealed')
          AND (state <> 'refused' OR reason NOT IN ('letter-missing', 'branch-closed'))
          AND NOT (letters IS NULL AND state = 'refused' AND reason = 'limit-exceeded') AND sequence < ?
        """)
    // What was queued before a removal waits as well, because later edits join it.
    let last = Defect.coalescingAcrossDependency.isPlanted ? operation.sequence : .max
    return try Int.fetchOne(statement, arguments: [operation.branch, last]) != nil
  }

  /// What a node's tombstone takes away has arrived elsewhere, with everything that was written of it since.
  private func isFollowedByCopies(_ operation: QueuedOperation, _ branch: BranchFacts.Facts?) throws -> Bool {
    let left = try transaction.departures(of: CloudOperation(sequence: operation.sequence))
    if left.isEmpty { return true }
    return try branch?.key != nil
      && left.allSatisfy { try isSent($0.node) && !isUnconfirmed($0.node) }
  }

  private func isUnconfirmed(_ node: NodeID) throws -> Bool {
    try Int.fetchOne(
      transaction.db, sql: "SELECT 1 FROM operations WHERE node = ? AND kind = 'put' LIMIT 1", arguments: [node]) != nil
  }

  /// The parent is on the server, and for a pointer the branch that hangs there.
  private func isPlaced(_ operation: QueuedOperation, _ parents: SentParents) throws -> Bool {
    // A node that is gone by now has nothing left to send, and the sealer says so.
    guard let node = try operation.node.flatMap({ try transaction.node($0) }) else { return true }
    if let branch = node.pointer, try transaction.firstPermissions(of: branch) == nil { return false }
    if try transaction.lacksNameKey(node) || transaction.isWithheld(node) { return false }
    guard let parent = node.parent else { return true }
    return try parents.isSent(parent, isNamed) && !isNameBeingFreed(node) && !isIncomplete(node) && !isUndecided(node)
  }

  /// It is on the server, and what its children's names are made with is here.
  private func isNamed(_ parent: NodeID) throws -> Bool {
    try isSent(parent) && transaction.hasNameKey(parent)
  }

  /// Somebody took it elsewhere, and whether it follows is decided when that place can be read.
  private func isUndecided(_ node: Node) throws -> Bool {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT 1 FROM relocations WHERE branch = ? AND cloud_id = ? AND pending = 1")
    return try Int.fetchOne(statement, arguments: [node.branch, node.cloudID]) != nil
  }

  /// The server has more of it than there is here, which would be overwritten.
  private func isIncomplete(_ node: Node) throws -> Bool { try transaction.isIncomplete(node) && isSent(node.id) }

  /// Another node had this name, and its deletion is not accepted yet. One that waits for this very node frees no name for it, nor does
  /// one of the node itself.
  private func isNameBeingFreed(_ node: Node) throws -> Bool {
    guard try transaction.hasRemovals(in: node.branch) else { return false }
    let statement = try transaction.db.cachedStatement(
      sql: """
        SELECT 1 FROM removed r JOIN nodes p ON p.id = ? JOIN branches b ON b.id = p.branch
        WHERE r.branch = p.branch AND r.name = ? AND r.parent = coalesce(p.cloud_id, b.cloud_id) AND r.cloud_id IS NOT ?
          AND NOT EXISTS (SELECT 1 FROM dependencies d JOIN operations o ON o.sequence = d.needs
            WHERE d.operation = r.operation AND o.node = ?) LIMIT 1
        """)
    return try Int.fetchOne(statement, arguments: [node.parent, node.name, node.cloudID, node.id]) != nil
  }

  /// A copy borrows the contents that its message has on the server, so it waits while those are about to change.
  private func hasPut(_ node: NodeID?) throws -> Bool {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT 1 FROM operations WHERE node = ? AND kind = 'put' AND state <> 'refused'")
    return try Int.fetchOne(statement, arguments: [node]) != nil
  }

  private func isSent(_ id: NodeID?) throws -> Bool {
    guard let node = try id.flatMap({ try transaction.node($0) }), let cloudID = node.cloudID else { return false }
    guard try transaction.isLive(cloudID, in: node.branch) else { return false }
    return try LocalTree(transaction: transaction, branch: node.branch, line: .max).lives(cloudID)
  }

  /// What was sent of the nodes that a deletion takes is answered first: its line would be one that the deletion has not seen.
  private func isUnderWay(below deletion: QueuedOperation) throws -> Bool {
    try Int.fetchOne(
      transaction.db,
      sql: """
        SELECT 1 FROM removed r JOIN operations o ON o.branch = r.branch AND o.cloud_id = r.cloud_id
        WHERE r.operation = ? AND o.kind = 'put' AND o.state = 'sealed' LIMIT 1
        """, arguments: [deletion.sequence]) != nil
  }
}

/// Whether parents are on the server, asked once for all that hangs below one: a plan changes nothing.
private final class SentParents {
  private var known: [NodeID: Bool] = [:]

  func isSent(_ parent: NodeID, _ look: (NodeID) throws -> Bool) rethrows -> Bool {
    if let sent = known[parent] { return sent }
    let sent = try look(parent)
    known[parent] = sent
    return sent
  }
}
