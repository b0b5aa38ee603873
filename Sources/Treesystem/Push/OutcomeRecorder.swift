import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// What a batch came to.
struct BatchResult: Sendable {
  var accepted = 0
  /// The branches in which something has to be read, sealed anew and sent again.
  var conflicts: Set<BranchID> = []
  /// The branches of this user's own of which the server awaits what their devices have.
  var awaited: Set<BranchID> = []
}

/// Records the server's answers in one transaction with what they change.
struct OutcomeRecorder {
  let transaction: CloudTransaction
  let delegate: any TreesystemDelegate

  func record(_ outcomes: [WireOutcome], of operations: [QueuedOperation]) throws -> BatchResult {
    var result = BatchResult()
    var advances: [BranchID: Advance] = [:]
    var taken: [QueuedOperation] = []
    for (operation, outcome) in zip(operations, outcomes) {
      guard Array(outcome.operation) == operation.operation.bytes || Defence.outcomeOperation.isDown else {
        throw CloudFailure.nonsense
      }
      // Another process may have recorded the same answer already.
      guard try isStillSealed(operation) else { continue }
      switch outcome.result {
      case .accepted(let accepted):
        guard (1...Limits.counter).contains(accepted.line) || Defence.outcomeLine.isDown else {
          throw CloudFailure.nonsense
        }
        guard try accept(operation, accepted, &advances) else {
          result.conflicts.insert(operation.branch)
          continue
        }
        result.accepted += 1
      // A message is written once: where its place is taken, it is there already, and only we do not remember.
      case .conflict(let conflict)
      where operation.goesToInbox && conflict.reason == Refusal.versionStale.rawValue:
        try remove(operation)
        try operation.isBurn ? noteBurnt(operation, wasThere: false) : noteCopy(operation)
        result.accepted += 1
      case .conflict, .dependencyFailed: try putOff(operation, outcome, &result)
      // Whoever leaves a branch that ended meanwhile has only to let go of it, once they have read that it did.
      case .refused(let refused)
      where try refused.reason == Refusal.branchClosed.rawValue && transaction.isLeave(operation):
        try finishLeaving(operation, &result)
      // The file that it was to borrow went with the message, which its sender took back.
      case .refused(let refused)
      where try refused.reason == Refusal.contentMissing.rawValue && transaction.isTakenOut(operation.node):
        try refuse(operation, .contentMissing)
        taken.append(operation)
      // What it sent is gone there, or was never whole: it is sent again, from here.
      case .refused(let refused)
      where try refused.reason == Refusal.contentMissing.rawValue && transaction.sendFileAgain(of: operation.node):
        try reopen(operation)
        result.conflicts.insert(operation.branch)
      case .refused(let refused)
      where try refused.reason == Refusal.contentMissing.rawValue && transaction.isForOthersToGiveBack(operation):
        try remove(operation)
      // Nobody is refused anything by an inbox that is full.
      case .refused(let refused) where refused.reason == Refusal.tooMany.rawValue && operation.kind == .copy:
        try reopen(operation)
        try transaction.noteFullInbox(operation)
      case .refused(let refused):
        try refuse(operation, Refusal(told: refused.reason) ?? .malformed)
      case nil:
        throw CloudFailure.nonsense
      }
    }
    for (branch, advance) in advances { try moveReadLines(of: branch, advance) }
    for operation in taken { try putBack(operation, &result) }
    return result
  }

  private func isStillSealed(_ operation: QueuedOperation) throws -> Bool {
    let statement = try transaction.db.cachedStatement(
      sql: "SELECT 1 FROM operations WHERE operation = ? AND state = 'sealed'")
    return try Int.fetchOne(statement, arguments: [operation.operation]) != nil
  }

  /// Only a definite conflict opens sealed bytes again, under a new operation id.
  private func reopen(_ operation: QueuedOperation) throws {
    try transaction.db.execute(
      sql: "UPDATE operations SET state = 'pending', sealed = NULL, operation = ? WHERE sequence = ?",
      arguments: [OperationID.random(transaction.entropy), operation.sequence])
  }

  /// Has it sent again: after a pull, or with a later sync where nothing helps before its branch's owner has given back what they have.
  private func putOff(_ operation: QueuedOperation, _ outcome: WireOutcome, _ result: inout BatchResult) throws {
    try reopen(operation)
    guard outcome.conflict.reason == Refusal.restoreAwaited.rawValue else {
      result.conflicts.insert(operation.branch)
      return
    }
    if let own = try transaction.noteAwaited(operation) { result.awaited.insert(own) }
  }

  private func finishLeaving(_ operation: QueuedOperation, _ result: inout BatchResult) throws {
    guard try transaction.isClosed(operation.branch) else {
      try reopen(operation)
      result.conflicts.insert(operation.branch)
      return
    }
    try remove(operation)
    try transaction.takeOffTree(operation.branch, telling: delegate)
  }

  private func refuse(_ operation: QueuedOperation, _ reason: Refusal) throws {
    // Whose node was deleted here meanwhile has nothing left that anybody could want.
    if operation.kind == .put, try isForgotten(operation) { return try remove(operation) }
    let isBelieved = try Defence.refusalGround.isDown || transaction.isBorneOut(reason, of: operation)
    let reason = isBelieved ? reason : .refusalUnfounded
    try transaction.db.execute(
      sql: "UPDATE operations SET state = 'refused', sealed = NULL, reason = ?, operation = ? WHERE sequence = ?",
      arguments: [reason.rawValue, OperationID.random(transaction.entropy), operation.sequence])
    if operation.kind == .copy { try tell(operation, refused: reason) }
  }

  private func isForgotten(_ operation: QueuedOperation) throws -> Bool {
    try Int.fetchOne(
      transaction.db, sql: "SELECT 1 FROM operations WHERE sequence = ? AND node IS NULL",
      arguments: [operation.sequence]) != nil
  }

  /// From where and to where lines of ours that follow each other moved a cursor.
  private struct Advance {
    let start: UInt64
    var head: LogHead
  }

  /// One's own lines are nothing that one had not seen.
  private func moveReadLines(of branch: BranchID, _ advance: Advance) throws {
    try transaction.db.execute(
      sql: """
        UPDATE operations SET read_line = ?, read_hash = ?
        WHERE branch = ? AND kind = 'delete' AND state = 'pending' AND read_line = ?
        """, arguments: [Int64(advance.head.line), advance.head.hash, branch, Int64(advance.start)])
  }

  /// Returns false for a permissions record that is not in the log yet, as far as this device has read it: it waits in the queue until it
  /// was read there, and holds up what waits for it.
  private func accept(
    _ operation: QueuedOperation, _ accepted: WireAccepted, _ advances: inout [BranchID: Advance]
  ) throws -> Bool {
    guard let sealed = operation.sealed else { return true }
    let change = try WireOperation(serializedBytes: sealed).change
    if case .permit(let permit) = change {
      return try acceptPermit(try SignedRecord(permit.permissions), operation, accepted, &advances)
    }
    try remove(operation)
    switch change {
    case .put(let put): try acceptPut(try SignedRecord(put.header), operation, accepted, &advances)
    case .delete where operation.isBurn: try noteBurnt(operation, wasThere: true)
    case .delete(let delete):
      let tombstone = try UnverifiedTombstone(try SignedRecord(delete.tombstone))
      try transaction.setDeleted(tombstone, line: accepted.line, in: operation.branch)
      try transaction.forgetQuarantine(
        of: tombstone.body.cloudID, in: operation.branch, before: accepted.line)
      try follow(.tombstone, tombstone.body.cloudID, tombstone.hash, in: operation.branch, accepted, &advances)
    case .copy: try noteCopy(operation)
    case .permit, nil: break
    }
    return true
  }

  /// A server that says so and drops it would have what is written next go out under the key that somebody was to lose.
  private func acceptPermit(
    _ record: SignedRecord, _ operation: QueuedOperation, _ accepted: WireAccepted,
    _ advances: inout [BranchID: Advance]
  ) throws -> Bool {
    let permissions = try UnverifiedPermissions(record)
    let branch = operation.branch
    let before = try transaction.permissions(of: branch)?.body
    let isNext = try follow(.permissions, permissions.body.branch, permissions.hash, in: branch, accepted, &advances)
    // Who leaves writes nothing afterwards, and cannot read that they have left.
    let isKnown = try isNext || transaction.hasRead(permissions.hash, of: branch) || transaction.isLeave(operation)
    guard isKnown || Defence.permitRead.isDown else { return false }
    try remove(operation)
    if isNext {
      try transaction.insertPermissions(permissions.record, permissions.body, line: accepted.line, in: branch)
      try transaction.forgetClosedRecords(of: branch, permissions.body.branch, before: accepted.line)
      if let before { try transaction.tellPermitted(branch, from: before, to: permissions.body, delegate) }
    }
    if permissions.body.transfer != nil { try transaction.endTransfer(of: branch) }
    if permissions.body.isClosed || permissions.body.entry(of: permissions.body.author.user) == nil {
      try transaction.takeOffTree(branch, telling: delegate)
    }
    return true
  }

  private func acceptPut(
    _ record: SignedRecord, _ operation: QueuedOperation, _ accepted: WireAccepted,
    _ advances: inout [BranchID: Advance]
  ) throws {
    let header = try UnverifiedHeader(record)
    // A later version may have been read while the answer was under way.
    if try transaction.stateVersion(of: header.body.cloudID, in: operation.branch) < header.body.version {
      try transaction.setState(record, header.body, header.hash, line: accepted.line, in: operation.branch)
    }
    if try follow(.header, header.body.cloudID, header.hash, in: operation.branch, accepted, &advances) {
      try transaction.forgetReplaced(header.body.cloudID, in: operation.branch, before: accepted.line)
    }
    // A node that went to another branch meanwhile has nothing to do with this one any more.
    guard let id = operation.node, let node = try transaction.node(id), node.branch == operation.branch else { return }
    let update = try transaction.db.cachedStatement(
      sql: """
        UPDATE nodes SET author = ?1, placed = EXISTS (SELECT 1 FROM operations WHERE node = ?2 AND kind = 'put')
        WHERE id = ?2
        """)
    try update.execute(arguments: [header.body.author.user, id])
    try transaction.endUpload(header.body, of: id)
    _ = try delegate.receive(.pushed(node), in: transaction)
  }

  /// A line that follows the cursor directly is known in full, because it is ours: no pull is needed to read it.
  @discardableResult
  private func follow(
    _ kind: Line.Kind, _ cloudID: CloudID, _ hash: Hash32, in branch: BranchID, _ accepted: WireAccepted,
    _ advances: inout [BranchID: Advance]
  ) throws -> Bool {
    guard let cursor = try transaction.cursor(of: branch) else { return false }
    let line = Line(number: accepted.line, kind: kind, cloudID: cloudID, hash: hash)
    let head = cursor.appending(line)
    let isNext = accepted.line == cursor.line + 1
    guard isNext, Array(accepted.logHash) == head.hash.bytes || Defence.outcomeHash.isDown else {
      guard let told = Hash32(bytes: accepted.logHash) else { throw CloudFailure.nonsense }
      try transaction.expect(line, told, in: branch)
      return false
    }
    try transaction.append(line, to: branch, head: head)
    advances[branch, default: Advance(start: cursor.line, head: head)].head = head
    return true
  }

  private func remove(_ operation: QueuedOperation) throws {
    let delete = try transaction.db.cachedStatement(sql: "DELETE FROM operations WHERE sequence = ?")
    try delete.execute(arguments: [operation.sequence])
  }
}
