import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

extension SyncEngine {
  /// Sends what can go, batch after batch. Returns whether something has to be pulled and tried again.
  func push(
    _ connection: CloudConnection, _ report: inout SyncReport, _ progress: (@Sendable (SyncProgress) -> Void)?
  ) async throws -> Bool {
    // A conflict in one branch must not keep the others waiting.
    var held: Set<BranchID> = []
    var awaited: Set<BranchID> = []
    // One that falls away may queue others, those below it, and they wait for the next sync rather than go round for ever.
    // What is due besides, such as renewals, is queued only before it is sealed.
    var spare = try batchOperations + 2 * database.read { try $0.pendingOperationCount() }
    while true {
      let inboxes = try await inboxFacts(connection, &report)
      let (batch, dropped) = try sealNext(inboxes, held, report.unreadable)
      if batch.isEmpty {
        // What had nothing left to do may have been what others waited for.
        if dropped > 0, spare > 0 {
          spare -= dropped
          continue
        }
        return !held.isEmpty
      }
      let result = try await send(batch, connection)
      report.sent += result.accepted
      let unsent = try database.read { try $0.pendingOperationCount() }
      progress?(SyncProgress(received: report.received, sent: report.sent, unsent: unsent))
      held.formUnion(result.conflicts)
      // Once each: a server that is not content with it would keep us here for ever.
      try await giveBackAwaited(result.awaited.subtracting(awaited), connection)
      awaited.formUnion(result.awaited)
    }
  }

  /// Sends a batch and records what came of it.
  private func send(_ batch: [QueuedOperation], _ connection: CloudConnection) async throws -> BatchResult {
    let request = try WireBatch.with {
      $0.operations = try batch.compactMap { try $0.sealed.map { try WireOperation(serializedBytes: $0) } }
    }
    let outcomes: [WireOutcome]
    do {
      outcomes = try await connection.call(.batch, request, answer: WireOutcomes.self).outcomes
    } catch CloudFailure.unreachable where Defect.lostReplyIsFailure.isPlanted {
      outcomes = batch.map { operation in
        WireOutcome.with {
          $0.operation = data(operation.operation.bytes)
          $0.conflict.reason = Refusal.versionStale.rawValue
        }
      }
    } catch CloudFailure.refused(.limitExceeded) where batch.count == 1 {
      // Too large for any request: it must not stand before everything else for ever.
      outcomes = [
        WireOutcome.with {
          $0.operation = data(batch[0].operation.bytes)
          $0.refused.reason = Refusal.limitExceeded.rawValue
        }
      ]
    }
    guard outcomes.count == batch.count || Defence.outcomeCount.isDown else { throw CloudFailure.nonsense }
    return try database.write { transaction in
      try OutcomeRecorder(transaction: transaction, delegate: delegate).record(outcomes, of: batch)
    }
  }

  /// Seals what is ready and stores the bytes, so that whatever happens next they are sent again unchanged.
  private func sealNext(
    _ inboxes: [UserID: InboxFacts], _ held: Set<BranchID>, _ unreadable: Set<BranchID>
  ) throws -> (batch: [QueuedOperation], dropped: Int) {
    try database.write { transaction in
      // What was read since may have ended somebody's device: nothing more is sealed under a key that it has.
      try transaction.queueRenewals()
      try transaction.queueNestedPermits()
      let sealer = Sealer(
        transaction: transaction, delegate: delegate, identity: try transaction.identity(), inboxes: inboxes,
        branches: BranchFacts(transaction: transaction))
      var batch: [QueuedOperation] = []
      var size = 0
      var dropped = 0
      // Nothing is written on top of a past that the server does not share.
      let stopped = try transaction.forkedBranches()
      // A denial that has just been heard holds before it is stored, and a stored one until the branch can be read.
      let denied = Defence.deniedHold.isDown ? [] : try transaction.deniedBranches().union(unreadable)
      for operation in try PushPlan(
        transaction: transaction, limit: batchOperations, held: held.union(stopped),
        denied: denied
      ).next() {
        let known = Defect.retryNotIdempotent.isPlanted ? nil : operation.sealed
        guard let sealed = try known ?? seal(operation, sealer) else {
          if !operation.goesToInbox { dropped += 1 }
          continue
        }
        size += sealed.count
        if size > Limits.batchBytes, !batch.isEmpty { break }
        batch.append(operation.sealing(sealed))
      }
      return (batch, dropped)
    }
  }

  /// One that cannot be sealed is kept as refused, with the reason, and keeps no other waiting; only the database's errors end
  /// the sync.
  private func seal(_ operation: QueuedOperation, _ sealer: Sealer) throws -> [UInt8]? {
    let transaction = sealer.transaction
    do {
      var sealed: [UInt8]?
      try transaction.db.inSavepoint {
        sealed = try store(sealer.seal(operation), operation, transaction)
        return .commit
      }
      return sealed
    } catch is NothingToSend {
      try transaction.discardOperation(operation.sequence)
      return nil
    } catch let error where !(error is DatabaseError || error is StoreError) {
      try transaction.db.execute(
        sql: "UPDATE operations SET state = 'refused', reason = ? WHERE sequence = ?",
        arguments: [(error as? Refusal ?? .malformed).rawValue, operation.sequence])
      return nil
    }
  }

  /// An operation with nothing left to do is done: a member who is one already, a deletion of what is gone.
  private func store(
    _ sealed: [UInt8]?, _ operation: QueuedOperation, _ transaction: CloudTransaction
  ) throws -> [UInt8]? {
    guard let sealed else {
      if !operation.goesToInbox {
        try transaction.db.execute(
          sql: "DELETE FROM operations WHERE sequence = ?", arguments: [operation.sequence])
      }
      return nil
    }
    let update = try transaction.db.cachedStatement(
      sql: "UPDATE operations SET state = 'sealed', sealed = ? WHERE sequence = ?")
    try update.execute(arguments: [Data(sealed), operation.sequence])
    return sealed
  }

  /// Asks for the inboxes that waiting copies go to.
  private func inboxFacts(
    _ connection: CloudConnection, _ report: inout SyncReport
  ) async throws -> [UserID: InboxFacts] {
    let users = try database.read { transaction -> Set<UserID> in
      // Most pushes carry no message, and a plan over a long queue is not free.
      guard try transaction.hasPendingCopies() else { return [] }
      return try Set(
        PushPlan(transaction: transaction, limit: batchOperations).next()
          .compactMap { $0.goesToInbox && $0.sealed == nil ? $0.user : nil })
    }
    var facts: [UserID: InboxFacts] = [:]
    for user in users.sorted() {
      // An inbox that cannot be believed keeps its own messages waiting, and nothing else.
      do {
        facts[user] = try await inboxFacts(of: user, connection)
      } catch let refusal as Refusal {
        report.troubles[Trunk.inbox.cloudID(of: user)] = refusal
      } catch CloudFailure.refused(let refusal) {
        report.troubles[Trunk.inbox.cloudID(of: user)] = refusal
      }
    }
    return facts
  }

  /// Nil: they have deleted their account, and what was on its way to them went with that.
  private func inboxFacts(of user: UserID, _ connection: CloudConnection) async throws -> InboxFacts? {
    try await fetchKeyrings([user], connection)
    if try database.read({ try $0.keyring(user)?.deleted != nil }) { return nil }
    let branch = Trunk.inbox.cloudID(of: user)
    let request = WirePermissionsRequest.with { $0.branch = data(branch.bytes) }
    let history = try await connection.call(.permissions, request, answer: WirePermissionsHistory.self)
    return try database.read { transaction in
      guard let keyring = try transaction.keyring(user), let trunks = keyring.trunks else {
        throw Refusal.keyringStale
      }
      return try InboxChain(branch: branch, keyring: keyring, first: trunks.inbox).facts(
        history.records.map { try SignedRecord($0) })
    }
  }
}

extension QueuedOperation {
  func sealing(_ bytes: [UInt8]) -> QueuedOperation {
    QueuedOperation(
      sequence: sequence, operation: operation, kind: kind, state: .sealed, branch: branch, node: node,
      cloudID: cloudID, user: user, letters: letters, sealed: bytes, reason: nil, created: created, read: read,
      handsOver: handsOver, closes: closes)
  }
}
