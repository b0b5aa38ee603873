import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
import TodoCore
import Treesystem

/// The laws of a world with a hostile member, over the devices of honest people, old and new.
extension Verdict {
  /// One device alone. What the member could write may be set aside, or wait; nothing else may.
  func judgeBeside(_ member: HostileMember, _ seat: Seat) {
    seen(seat) { transaction in
      for trouble in try transaction.troubles() where trouble.reason != .branchDenied {
        let branch = try transaction.cloudID(of: trouble.branch)
        if trouble.reason == .firstRecordWrong, let branch, try member.mayBreak(branch, transaction) { continue }
        world.fail("\(seat.name): a member stops a branch: \(trouble.reason)")
      }
      for operation in try transaction.operations()
      where try !isExpected(operation, transaction) && !isReached(operation, member, transaction)
        && !isLostPicture(operation, transaction)
      {
        let reason = operation.reason.map { "\($0)" } ?? ""
        world.fail("\(seat.name): a change waits for ever: \(operation.kind) \(operation.state) \(reason)")
      }
      for row in try transaction.quarantined() where try !mayHoldForgeries(row.branch, member, transaction) {
        let branch = try transaction.cloudID(of: row.branch)
        world.fail("\(seat.name): an honest record is in quarantine: \(row.words(branch))")
      }
      for finding in try transaction.findings() {
        world.fail("\(seat.name): an honest server is accused: \(finding.kind) at line \(finding.line)")
      }
      for problem in try String.fetchAll(transaction.db, sql: "PRAGMA quick_check") where problem != "ok" {
        world.fail("\(seat.name): the database is damaged: \(problem)")
      }
    }
  }

  private func mayHoldForgeries(
    _ branch: BranchID, _ member: HostileMember, _ transaction: CloudTransaction
  ) throws -> Bool {
    if try transaction.root(of: branch)?.trunk == .inbox { return true }
    return try transaction.cloudID(of: branch).map(member.mayHaveWritten) ?? false
  }

  /// Whether a picture that was borrowed is gone, because whoever brought it took it away before this device could sync: its user decides.
  private func isLostPicture(_ operation: QueuedOperation, _ transaction: CloudTransaction) throws -> Bool {
    guard operation.reason == .contentMissing else { return false }
    return try operation.node.flatMap { try transaction.file(of: $0) } != nil
  }

  /// Whether a change, or one that has to come before it, is in a branch where the member could write.
  private func isReached(
    _ operation: QueuedOperation, _ member: HostileMember, _ transaction: CloudTransaction
  ) throws -> Bool {
    let branches = try BranchID.fetchAll(
      transaction.db, sql: "\(Self.needed) SELECT branch FROM needed JOIN operations USING (sequence)",
      arguments: [operation.sequence])
    return try branches.contains { try transaction.cloudID(of: $0).map(member.mayHaveWritten) ?? false }
  }

  /// No document of a branch holds anything of somebody who never could write there, unless the node left from where they could. What the
  /// server refused never came there, whatever else has that id.
  func judgeForeignValues(_ member: HostileMember) {
    let natives = member.authorship.natives(where: member.mayHaveWritten)
    for seat in seats {
      seen(seat) { transaction in
        let rows = try Row.fetchAll(
          transaction.db,
          sql: """
            SELECT b.cloud_id, n.cloud_id, d.document, d.history FROM nodes n JOIN branches b ON b.id = n.branch
            JOIN (SELECT node, document, history FROM todos UNION ALL SELECT node, document, history FROM lists) d
              ON d.node = n.id
            WHERE b.cloud_id IS NOT NULL AND n.cloud_id IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.node = n.id AND o.kind = 'put' AND o.state = 'refused')
            ORDER BY n.id
            """)
        for row in rows {
          let place = Authorship.Place(branch: row[0], node: row[1])
          guard natives.contains(place), !member.mayHaveWritten(place.branch) else { continue }
          let content = VersionedDocument(
            try Document(bytes: Array(row[2] as Data)), history: try TodoCore.History(bytes: Array(row[3] as Data)))
          guard member.authorship.isTouched(content) else { continue }
          world.fail(
            "\(seat.name): \(place) holds a value of somebody who may not write there: '\(content.document.title)'")
        }
      }
    }
  }

  /// An old and a new device agree: on what each node is, where it hangs and how it is called.
  func judgeTrees() {
    var first: [CloudID: (seat: Seat, tree: [String])] = [:]
    for seat in seats {
      seen(seat) { transaction in
        for list in try transaction.allLists()
        where try isCurrent(list, transaction) && !keepsMore(of: list, seat, transaction) {
          guard let branch = try transaction.cloudID(of: list.branch) else { continue }
          let tree = try Self.tree(of: list.branch, transaction)
          guard let other = first[branch] else {
            first[branch] = (seat, tree)
            continue
          }
          if other.tree == tree { continue }
          let words = tree.difference(from: other.tree).map { change in
            switch change {
            case .remove(_, let line, _): "\n     only \(other.seat.name): \(line)"
            case .insert(_, let line, _): "\n     only \(seat.name): \(line)"
            }
          }
          world.fail("\(other.seat.name) and \(seat.name) have different trees\(words.joined())")
        }
      }
    }
  }

  /// A pointer to a list that was not made there is refused by whoever reads that one, and leads nobody else anywhere: nothing is shown of it,
  /// and of what hangs below.
  private static func tree(of branch: BranchID, _ transaction: CloudTransaction) throws -> [String] {
    try String.fetchAll(
      transaction.db,
      sql: """
        WITH RECURSIVE shown (id) AS (
          SELECT id FROM nodes WHERE branch = ?1 AND parent IS NULL
          UNION SELECT n.id FROM shown s JOIN nodes n ON n.parent = s.id LEFT JOIN branches t ON t.id = n.pointer
          WHERE n.pointer IS NULL OR t.line > 0 AND NOT EXISTS (
            SELECT 1 FROM nodes h JOIN branches b ON b.id = h.branch WHERE h.pointer = n.pointer AND b.trunk = 'home'))
        SELECT lower(hex(n.cloud_id)) || ' below ' || coalesce(lower(hex(p.cloud_id)), '-') || ' called ' || n.name
          || coalesce(' to ' || lower(hex(t.cloud_id)), '') || coalesce(' file ' || lower(hex(f.root)), '')
          || coalesce(' ' || d.state, '') AS line
        FROM shown JOIN nodes n USING (id) LEFT JOIN nodes p ON p.id = n.parent LEFT JOIN branches t ON t.id = n.pointer
        LEFT JOIN node_files f ON f.node = n.id LEFT JOIN todos d ON d.node = n.id
        ORDER BY line
        """, arguments: [branch])
  }

  /// Whether a promise was about lists only where the member never could write.
  func isOutOfReach(_ promise: Oracle.Promise) -> Bool {
    guard let member = world.hostileMember else { return true }
    return !world.oracle.lists(of: promise).contains(where: member.mayHaveWritten(list:))
  }
}

extension HostileMember {
  /// Whether she may be why a list's first record is not what was said of it. She hung the list in another one, in which it was not
  /// made; or she invited somebody to it and named another record, which they are told when they accept.
  func mayBreak(_ branch: CloudID, _ transaction: CloudTransaction) throws -> Bool {
    guard try transaction.hangsInHome(branch) else { return true }
    let pinned = try transaction.branch(branch).flatMap { try transaction.firstPermissions(of: $0) }
    guard let user = try world.server.user(handle: Self.handle) else { return false }
    let history = try world.server.permissionsHistory(of: branch)
    let mayHaveInvited = history.contains { $0.body.letters(of: user).contains(.share) }
    return mayHaveInvited && pinned != history.first?.hash
  }
}

extension CloudTransaction {
  /// Whether a list hangs in this user's home. One that hangs in other lists alone was put there by whoever may write in those.
  func hangsInHome(_ branch: CloudID) throws -> Bool {
    try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM nodes n JOIN branches h ON h.id = n.branch JOIN branches b ON b.id = n.pointer
        WHERE h.trunk = 'home' AND b.cloud_id = ?
        """, arguments: [branch]) != nil
  }
}
