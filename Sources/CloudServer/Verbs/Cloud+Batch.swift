import CloudAPI
import Foundation
import Signing
import SwiftProtobuf

extension Cloud {
  /// Carries out operations in order, all in one transaction (spec §6.3). Storage has one writer at a time, so the
  /// branches of a batch need no locks of their own.
  func batch(_ request: CloudRequest) throws -> CloudResponse {
    let (caller, key) = try signer(of: request)
    let batch = try decode(WireBatch.self, request.body)
    guard batch.operations.count <= Limits.batchOperations,
      batch.operations.reduce(0, { $0 + $1.bytes }) <= Limits.batchBytes
    else { throw Refusal.limitExceeded }
    guard Set(batch.operations.map(\.operation)).count == batch.operations.count else { throw Refusal.malformed }
    sweep()
    try checkSignatures(of: batch.operations, by: caller, key)
    let (outcomes, moves) = try storage.write { storage in
      let now = clock.now()
      var run = BatchRun(
        caller: caller, storage: storage, memory: memory, now: now, awaitsOwners: awaitsOwners, files: fileRules,
        bytes: try storage.bytes(of: caller.user))
      let outcomes = try batch.operations.map { try run.carryOut($0) }
      return (outcomes, hub.isIdle ? [] : try storage.moves(of: Self.branches(of: batch.operations, outcomes)))
    }
    hub.announce(moves)
    collectFiles()
    return answer(WireOutcomes.with { $0.outcomes = outcomes })
  }
}

extension Cloud {
  /// The branches of the operations that were accepted, and whether that changed who may read them.
  private static func branches(of operations: [WireOperation], _ outcomes: [WireOutcome]) throws -> [CloudID: Bool] {
    var branches: [CloudID: Bool] = [:]
    for (operation, outcome) in zip(operations, outcomes) {
      guard case .accepted = outcome.result, let branch = try operation.branch() else { continue }
      branches[branch] = branches[branch] == true || operation.isPermit
    }
    return branches
  }
}

/// One batch while it is carried out. Its verbs stand in extensions: put, copy, delete, permit.
struct BatchRun {
  let caller: Caller
  let storage: any CloudStorageTransaction
  let memory: Memory
  /// Milliseconds since 1970.
  let now: Int64
  /// Whether branches wait for their owners after a restore.
  let awaitsOwners: Bool
  let files: FileRules
  let places = KnownPlaces()
  /// What the caller makes this server keep by now.
  private var bytes: UInt64
  /// Of each operation before, whether it was accepted.
  private var accepted: [Data: Bool] = [:]

  init(
    caller: Caller, storage: any CloudStorageTransaction, memory: Memory, now: Int64, awaitsOwners: Bool,
    files: FileRules, bytes: UInt64
  ) {
    self.caller = caller
    self.storage = storage
    self.memory = memory
    self.now = now
    self.awaitsOwners = awaitsOwners
    self.files = files
    self.bytes = bytes
  }

  /// Carries out one operation in its own savepoint. A refusal is its outcome, anything else ends the batch.
  mutating func carryOut(_ operation: WireOperation) throws -> WireOutcome {
    var outcome = WireOutcome()
    outcome.operation = operation.operation
    var isAccepted = false
    if let failed = operation.dependsOn.first(where: { accepted[$0] == false }) {
      outcome.dependencyFailed = .with { $0.operation = failed }
    } else {
      do {
        let before = bytes
        let (head, after) = try storage.attempt {
          let head = try append(operation)
          let after = try storage.bytes(of: caller.user)
          guard after <= before || after <= operation.room(files, growth: after - before) else {
            throw Refusal.quotaExceeded
          }
          return (head, after)
        }
        bytes = after
        outcome.accepted = .with {
          $0.line = head.line
          $0.logHash = data(head.hash.bytes)
        }
        isAccepted = true
      } catch let refusal as Refusal where refusal.isConflict {
        outcome.conflict = .with { $0.reason = refusal.rawValue }
      } catch let refusal as Refusal {
        outcome.refused = .with { $0.reason = refusal.rawValue }
      }
    }
    accepted[operation.operation] = isAccepted && accepted[operation.operation] != false
    return outcome
  }

  private func append(_ operation: WireOperation) throws -> LogHead {
    let id: OperationID = try fixed(operation.operation)
    return switch operation.change {
    case .put(let put): try self.put(put, id)
    case .copy(let copy): try self.copy(copy, id)
    case .delete(let delete): try self.delete(delete, id)
    case .permit(let permit): try self.permit(permit)
    case nil: throw Refusal.malformed
    }
  }

  /// People send what they signed themselves.
  func checkAuthor(_ author: Author) throws(Refusal) {
    guard author.user == caller.user else { throw .userMismatch }
  }
}

extension WireOperation {
  fileprivate var isPermit: Bool { if case .permit = change { true } else { false } }

  fileprivate func branch() throws -> CloudID? {
    switch change {
    case .put(let put): try HeaderBody(decoding: Array(put.header.body)).branch
    case .copy(let copy): try HeaderBody(decoding: Array(copy.header.body)).branch
    case .delete(let delete): try TombstoneBody(decoding: Array(delete.tombstone.body)).branch
    case .permit(let permit): try PermissionsBody(decoding: Array(permit.permissions.body)).branch
    case nil: nil
    }
  }

  /// Up to how many bytes its author may keep with it (spec §6.7). Deleting is always possible, and makes room.
  fileprivate func room(_ files: FileRules, growth: UInt64) -> UInt64 {
    switch change {
    case .put, .copy: growth < ServerLimits.smallestFile ? files.quotaForWords : files.quota
    case .permit: files.quotaForPermissions
    case .delete, nil: .max
    }
  }

  /// Of its record and contents.
  fileprivate var bytes: Int {
    switch change {
    case .put(let put): put.contents.reduce(put.header.body.count) { $0 + $1.ciphertext.count }
    case .copy(let copy): copy.header.body.count
    case .delete(let delete): delete.tombstone.body.count
    case .permit(let permit): permit.permissions.body.count
    case nil: 0
    }
  }
}
