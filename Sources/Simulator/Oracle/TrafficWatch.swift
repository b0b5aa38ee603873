import CloudAPI
import Foundation
import GRDB
import Signing
import Treesystem

/// Watches what devices send: what was sent once is sent again unchanged, until there is an answer.
final class TrafficWatch {
  /// What an operation changes: one node, or the permissions of a branch.
  private struct Subject: Hashable {
    let device: String
    let branch: CloudID
    let cloudID: CloudID
    let isPermit: Bool
  }

  private struct Sent {
    let subject: Subject
    let operation: OperationID
    let kind: String
    /// Of the node, or of the permissions.
    let version: UInt64
    /// The record that it is signed on top of, and itself.
    let previous: Hash32
    let hash: Hash32
    let bytes: [UInt8]

    /// Whether its author has read what became of the one before: another record is in its place, so that it is refused whenever it arrives.
    func follows(_ before: Sent) -> Bool {
      guard kind == before.kind, version > before.version else { return false }
      return kind == "permit" || kind == "delete" && previous != before.hash
    }
  }

  /// Without a definite answer so far.
  private var unanswered: [Subject: Sent] = [:]
  /// The first bytes of each operation id.
  private var sealed: [String: [OperationID: [UInt8]]] = [:]

  /// A device was put back to an older state: it does not know what it sent since.
  func forget(_ device: String) {
    unanswered = unanswered.filter { $0.key.device != device }
    sealed[device] = nil
    edits = edits.filter { $0.key.device != device }
  }

  /// A device let go of a branch with all that it had under way there.
  func left(_ branch: CloudID, on device: SimDevice) {
    unanswered = unanswered.filter { $0.key.device != device.name || $0.key.branch != branch }
  }

  /// A program changed a node, or queued a removal, at this point of its history.
  func changed(_ node: NodeID, on device: SimDevice) {
    count += 1
    edits[Place(device: device.name, number: node.rawValue, isRemoval: false)] = count
  }

  func removed(somebodyFrom branch: BranchID, on device: SimDevice) {
    count += 1
    edits[Place(device: device.name, number: branch.rawValue, isRemoval: true)] = count
  }

  private struct Place: Hashable {
    let device: String
    let number: Int64
    let isRemoval: Bool
  }

  private var edits: [Place: Int] = [:]
  private var count = 0

  func sent(_ request: CloudRequest, by process: SimProcess?, on device: SimDevice, in world: World) {
    guard request.path == Route.batch.path, let operations = try? operations(request, device) else { return }
    for operation in operations {
      // A deletion that does not know somebody's change is refused whenever it arrives, so that it may be withdrawn.
      if let before = unanswered[operation.subject], before.bytes != operation.bytes,
        before.kind != "delete" || operation.kind == "delete", !operation.follows(before)
      {
        world.fail(
          """
          sent bytes never change: \(device.name) sent a \(operation.kind) of version \(operation.version) before it had an \
          answer to a \(before.kind) of version \(before.version)
          """)
      }
      unanswered[operation.subject] = operation
      if let before = sealed[device.name]?[operation.operation], before != operation.bytes {
        world.fail("sent bytes never change: \(device.name) used an operation id twice")
      }
      sealed[device.name, default: [:]][operation.operation] = operation.bytes
    }
    if let process {
      checkOrder(operations, process, in: world)
      checkRefused(operations, process, in: world)
      checkInvitations(operations, process, in: world)
    }
  }

  /// An answer came through, and it is about each operation.
  func answered(_ request: CloudRequest, _ response: CloudResponse, on device: SimDevice) {
    guard request.path == Route.batch.path, let operations = try? operations(request, device) else { return }
    let isDefinite = response.status == 200 || operations.count == 1 && response.status == 400
    guard isDefinite else { return }
    for operation in operations { unanswered[operation.subject] = nil }
  }

  /// While a removal waits, nothing that its author did afterwards on the branch overtakes it.
  private func checkOrder(_ operations: [Sent], _ process: SimProcess, in world: World) {
    try? process.database.read { transaction in
      for operation in operations where !operation.subject.isPermit {
        let overtaken = try Row.fetchAll(
          transaction.db,
          sql: """
            SELECT r.sequence < o.sequence, o.node, o.branch, EXISTS (SELECT 1 FROM operations p
              WHERE p.node = o.node AND p.kind = 'put' AND p.sequence > o.sequence)
            FROM operations o JOIN operations r ON r.branch = o.branch AND r.kind = 'permit' AND r.letters = 0
              AND r.state <> 'refused' AND r.user IS NOT (SELECT user FROM account) WHERE o.operation = ? AND o.kind <> 'copy'
            """, arguments: [operation.operation])
        if overtaken.contains(where: { $0[0] as Bool || ridesAlong($0, process.device) }) {
          world.fail("nothing overtakes a removal: \(process.device.name) sent a change that came after one")
        }
      }
    }
  }

  /// While somebody's key is still in force because the server refuses an owner, nothing is written for whoever has it.
  private func checkRefused(_ operations: [Sent], _ process: SimProcess, in world: World) {
    guard let ledger = world.liar?.ledger else { return }
    try? process.database.read { transaction in
      let me = try transaction.account()?.user
      let refused = try transaction.operations().filter { operation in
        try operation.state == .refused && operation.takesAway && !operation.closes
          && transaction.permissions(of: operation.branch)?.body.owner == me
      }
      let branches = Set(try refused.compactMap { try transaction.cloudID(of: $0.branch) })
      for operation in operations where !operation.subject.isPermit && branches.contains(operation.subject.branch) {
        guard ledger.hasRefused(process.device.name, operation.subject.branch) else { continue }
        world.fail("a refusal needs a ground: \(process.device.name) wrote for whoever it was not let remove")
      }
    }
  }

  /// An invitation is sent when the branch is open to whom it invites, and not before.
  private func checkInvitations(_ operations: [Sent], _ process: SimProcess, in world: World) {
    try? process.database.read { transaction in
      for operation in operations where operation.kind == "copy" {
        let isWaiting = try Int.fetchOne(
          transaction.db,
          sql: "SELECT 1 FROM operations o JOIN dependencies d ON d.operation = o.sequence WHERE o.operation = ?",
          arguments: [operation.operation])
        if isWaiting != nil {
          world.fail("an invitation never arrives early: \(process.device.name) sent one that waits for something")
        }
      }
    }
  }

  /// An edit that was made after a removal, and joined an upload that was queued before it.
  private func ridesAlong(_ row: Row, _ device: SimDevice) -> Bool {
    guard let node = row[1] as Int64?, !(row[3] as Bool),
      let edit = edits[Place(device: device.name, number: node, isRemoval: false)],
      let removal = edits[Place(device: device.name, number: row[2], isRemoval: true)]
    else { return false }
    return edit > removal
  }

  private func operations(_ request: CloudRequest, _ device: SimDevice) throws -> [Sent] {
    try decode(WireBatch.self, request.body).operations.compactMap { wire in
      let record: SignedRecord
      let kind: String
      let branch: CloudID
      let cloudID: CloudID
      let version: UInt64
      let previous: Hash32
      switch wire.change {
      case .put(let put):
        kind = "put"
        record = try SignedRecord(put.header)
        (branch, cloudID, version, previous) = try Self.place(UnverifiedHeader(record).body)
      case .copy(let copy):
        kind = "copy"
        record = try SignedRecord(copy.header)
        (branch, cloudID, version, previous) = try Self.place(UnverifiedHeader(record).body)
      case .delete(let delete):
        kind = "delete"
        record = try SignedRecord(delete.tombstone)
        let body = try UnverifiedTombstone(record).body
        (branch, cloudID, version, previous) = (body.branch, body.cloudID, body.version, body.previous)
      case .permit(let permit):
        kind = "permit"
        record = try SignedRecord(permit.permissions)
        let body = try UnverifiedPermissions(record).body
        (branch, cloudID, version, previous) = (body.branch, body.branch, body.version, body.previous)
      case nil: return nil
      }
      return Sent(
        subject: Subject(device: device.name, branch: branch, cloudID: cloudID, isPermit: kind == "permit"),
        operation: try fixed(wire.operation), kind: kind, version: version, previous: previous,
        hash: record.hash, bytes: record.body)
    }
  }

  private static func place(_ body: HeaderBody) -> (CloudID, CloudID, UInt64, Hash32) {
    (body.branch, body.cloudID, body.version, body.previous)
  }
}
