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
    while true {
      let inboxes = try await inboxFacts(connection, &report)
      let (batch, dropped) = try sealNext(inboxes)
      if batch.isEmpty {
        // What had nothing left to do may have been what others waited for.
        if dropped > 0 { continue }
        return false
      }
      let request = try WireBatch.with {
        $0.operations = try batch.compactMap { try $0.sealed.map { try WireOperation(serializedBytes: $0) } }
      }
      let answer = try await connection.call(.batch, request, answer: WireOutcomes.self)
      guard answer.outcomes.count == batch.count else { throw CloudFailure.nonsense }
      let result = try database.write { transaction in
        try OutcomeRecorder(transaction: transaction, delegate: delegate).record(answer.outcomes, of: batch)
      }
      report.sent += result.accepted
      let unsent = try database.read { try $0.pendingOperationCount() }
      progress?(SyncProgress(received: report.received, sent: report.sent, unsent: unsent))
      if result.conflicts > 0 { return true }
    }
  }

  /// Seals what is ready and stores the bytes, so that whatever happens next they are sent again unchanged.
  private func sealNext(_ inboxes: [UserID: InboxFacts]) throws -> (batch: [QueuedOperation], dropped: Int) {
    try database.write { transaction in
      let sealer = Sealer(
        transaction: transaction, delegate: delegate, identity: try transaction.identity(), inboxes: inboxes)
      var batch: [QueuedOperation] = []
      var size = 0
      var dropped = 0
      for operation in try PushPlan(transaction: transaction, limit: batchOperations).next() {
        guard let sealed = try operation.sealed ?? store(sealer.seal(operation), operation, transaction) else {
          if operation.kind != .copy { dropped += 1 }
          continue
        }
        size += sealed.count
        if size > Limits.batchBytes, !batch.isEmpty { break }
        batch.append(operation.sealing(sealed))
      }
      return (batch, dropped)
    }
  }

  /// An operation with nothing left to do is done: a member who is one already, a deletion of what is gone.
  private func store(
    _ sealed: [UInt8]?, _ operation: QueuedOperation, _ transaction: CloudTransaction
  ) throws -> [UInt8]? {
    guard let sealed else {
      if operation.kind != .copy {
        try transaction.db.execute(
          sql: "DELETE FROM operations WHERE sequence = ?", arguments: [operation.sequence])
      }
      return nil
    }
    try transaction.db.execute(
      sql: "UPDATE operations SET state = 'sealed', sealed = ? WHERE sequence = ?",
      arguments: [Data(sealed), operation.sequence])
    return sealed
  }

  /// Asks for the inboxes that waiting copies go to.
  private func inboxFacts(
    _ connection: CloudConnection, _ report: inout SyncReport
  ) async throws -> [UserID: InboxFacts] {
    let users = try database.read { transaction in
      try Set(
        PushPlan(transaction: transaction, limit: batchOperations).next()
          .compactMap { $0.kind == .copy && $0.sealed == nil ? $0.user : nil })
    }
    var facts: [UserID: InboxFacts] = [:]
    for user in users.sorted() {
      // An inbox that cannot be believed keeps its own messages waiting, and nothing else.
      do {
        facts[user] = try await inboxFacts(of: user, connection)
      } catch let refusal as Refusal {
        report.troubles[Trunk.inbox.cloudID(of: user)] = refusal
      } catch CloudFailure.refused(let refusal) where refusal == .letterMissing || refusal == .notFound {
        report.troubles[Trunk.inbox.cloudID(of: user)] = refusal
      }
    }
    return facts
  }

  private func inboxFacts(of user: UserID, _ connection: CloudConnection) async throws -> InboxFacts {
    try await fetchKeyrings([user], connection)
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
      cloudID: cloudID, user: user, letters: letters, sealed: bytes, reason: nil, created: created, read: read)
  }
}
