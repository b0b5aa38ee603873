public import CloudAPI
import GRDB
import Signing

/// What keeps a queued operation from being sent, beyond the next sync.
public enum Obstacle: Hashable, Sendable {
  /// It needs another, which the server refused.
  case refused(Int64)
  /// Its branch cannot be read.
  case unreadable(Refusal)
  /// The key that the branch has now did not come to this device.
  case keyMissing
  /// Its branch hangs nowhere in this user's tree.
  case unattached
  /// The inbox that it goes to has as many messages of this user as a server keeps: somebody has to read them first.
  case inboxFull
  /// The server was set back, and takes nothing there before a device of the branch's owner has given back what it has; true where that is
  /// this user.
  case restoreAwaited(isOwn: Bool)
  /// What the server has of its node could not be fetched yet, and would be overwritten.
  case contentMissing
}

extension CloudTransaction {
  /// What keeps an operation from being sent; nil where the next sync sends it.
  public func obstacle(to operation: QueuedOperation) throws -> Obstacle? {
    if operation.state == .refused { return nil }
    if let refused = try refusedNeed(of: operation.sequence, operation.node) { return .refused(refused) }
    if try isInboxFull(for: operation) { return .inboxFull }
    if let isOwn = try awaitsOwner(operation) { return .restoreAwaited(isOwn: isOwn) }
    guard
      let branch = try Row.fetchOne(
        db, sql: "SELECT trouble, trunk FROM branches WHERE id = ?", arguments: [operation.branch])
    else { return nil }
    if let trouble = branch[0] as String? { return .unreadable(Refusal(rawValue: trouble) ?? .malformed) }
    if branch[1] as String? == nil, operation.kind != .delete, try !hangsSomewhere(operation.branch) {
      return .unattached
    }
    if operation.kind == .delete, !operation.isBurn, operation.state == .pending,
      try hasWithheldRows(in: operation.branch)
    {
      return .contentMissing
    }
    guard operation.kind == .put || operation.kind == .permit, let body = try permissions(of: operation.branch)?.body
    else { return nil }
    if try branchKey(of: operation.branch, epoch: body.epoch) == nil, try !isLockedOut(of: operation.branch, body) {
      return .keyMissing
    }
    guard operation.state == .pending, let node = try operation.node.flatMap({ try self.node($0) }) else { return nil }
    let isUnread = try lacksNameKey(node) || isWithheld(node) || (isIncomplete(node) && isOnServer(node))
    return isUnread ? .contentMissing : nil
  }

  /// The operation that has to be retried or discarded before this one can go.
  func refusedNeed(of sequence: Int64, _ node: NodeID?) throws -> Int64? {
    // Nearly always; and below, SQLite reads the whole queue for each operation.
    let refused = try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations INDEXED BY refusals WHERE state = 'refused' LIMIT 1")
    if refused == nil { return nil }
    let declared = try Int64.fetchOne(
      db,
      sql: """
        WITH RECURSIVE needed (sequence) AS (
          SELECT ?1
          -- what left a branch has to arrive elsewhere first, and a message to stand in the outbox
          UNION SELECT p.sequence FROM departures d JOIN operations p ON p.node = d.node AND p.kind = 'put'
            WHERE d.operation = ?1
          UNION SELECT p.sequence FROM operations c JOIN operations p ON p.node = c.node AND p.kind = 'put'
            WHERE c.sequence = ?1 AND c.kind = 'copy'
          -- nothing overtakes a removal
          UNION SELECT p.sequence FROM operations o JOIN operations p ON p.branch = o.branch AND p.kind = 'permit'
            WHERE o.sequence = ?1 AND o.kind <> 'permit' AND p.letters & 1 = 0 AND p.reason NOT IN ('letter-missing', 'branch-closed')
          UNION SELECT d.needs FROM dependencies d JOIN needed n ON d.operation = n.sequence
          -- nor does the end of a branch, or leaving it, overtake what was written there
          UNION SELECT p.sequence FROM needed n JOIN operations o USING (sequence)
            JOIN operations p ON p.branch = o.branch AND p.kind IN ('put', 'delete')
            WHERE o.kind = 'permit' AND (o.closes = 1 OR (o.letters IS 0 AND o.user IS (SELECT user FROM account))))
        SELECT o.sequence FROM operations o JOIN needed USING (sequence) WHERE o.state = 'refused'
        ORDER BY o.sequence LIMIT 1
        """, arguments: [sequence])
    if let declared { return declared }
    // What is below a node that the server does not have, because that was refused.
    return try Int64.fetchOne(
      db,
      sql: """
        WITH RECURSIVE above (id) AS (
          SELECT parent FROM nodes WHERE id = ?1 UNION SELECT n.parent FROM nodes n JOIN above a ON n.id = a.id)
        SELECT o.sequence FROM operations o JOIN above ON o.node = above.id
        WHERE o.state = 'refused' AND o.kind = 'put' AND NOT EXISTS (
          SELECT 1 FROM node_states s WHERE s.branch = o.branch AND s.cloud_id = o.cloud_id AND s.deleted = 0)
        ORDER BY o.sequence LIMIT 1
        """, arguments: [node])
  }

  /// Keeps a copy for the next sync.
  func noteFullInbox(_ copy: QueuedOperation) throws {
    try db.execute(sql: "UPDATE operations SET inbox_full = 1 WHERE sequence = ?", arguments: [copy.sequence])
  }

  /// Whether it found the inbox full that it goes to, or goes behind one that did.
  private func isInboxFull(for operation: QueuedOperation) throws -> Bool {
    guard operation.kind == .copy else { return false }
    return try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM operations o JOIN operations e ON e.sequence = o.sequence
          OR e.user = o.user AND e.lane = o.lane AND e.sequence < o.sequence
        WHERE o.sequence = ? AND e.inbox_full = 1
        """, arguments: [operation.sequence]) != nil
  }

  private func hangsSomewhere(_ branch: BranchID) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT 1 FROM nodes WHERE pointer = ?", arguments: [branch]) != nil
  }

  /// Nodes that the server never had and that nothing in the queue would bring there: what only this device has, and would
  /// keep to itself. There should be none.
  public func forgottenNodes() throws -> [NodeID] {
    try NodeID.fetchAll(
      db,
      sql: """
        SELECT n.id FROM nodes n JOIN branches b ON b.id = n.branch
        WHERE n.cloud_id IS NOT NULL AND b.trunk IS NOT 'inbox'
          AND NOT EXISTS (SELECT 1 FROM node_states s WHERE s.branch = n.branch AND s.cloud_id = n.cloud_id)
          AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.node = n.id AND o.kind = 'put')
          AND (b.trunk IS NOT NULL OR EXISTS (SELECT 1 FROM nodes p WHERE p.pointer = b.id))
        ORDER BY n.id
        """)
  }
}
