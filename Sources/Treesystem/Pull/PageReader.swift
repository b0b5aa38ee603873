import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

/// Takes in one page of a branch within one transaction: verify, open, apply, and advance the cursor (spec §4.3).
struct PageReader {
  let transaction: CloudTransaction
  let delegate: any TreesystemDelegate
  let identity: Identity
  var keyrings = KeyringCache()
  var checked = CheckedSignatures()

  /// Returns whether the page reached the head that the server names. Throws a `Refusal` if the chain does not hold;
  /// then nothing of the page counts.
  func read(_ page: IncomingPage, of branch: BranchID) throws -> Bool {
    guard var view = try LocalBranchView(branch, in: transaction, keyrings: keyrings, checked) else { return true }
    guard page.branch == view.branch.bytes else { throw Refusal.branchMismatch }
    var waiting = WaitingRows(transaction: transaction, branch: branch)
    for line in page.lines {
      guard line.number == view.head.line + 1 else { throw Refusal.chainBroken }
      if let row = page.rows[line.number] {
        guard row.hash == line.hash else { throw Refusal.rowMismatch }
        try judge(line, row, &view, &waiting)
      } else if line.kind == .permissions {
        throw Refusal.rowMissing
      } else {
        try owe(line, view.id)
      }
      view.head = view.head.appending(line)
      try transaction.insertLine(line, of: branch, head: view.head)
    }
    try transaction.moveCursor(of: branch, to: view.head)
    guard page.headLine >= view.head.line else { throw Refusal.fork }
    let complete = page.headLine == view.head.line
    if complete, page.headHash != view.head.hash.bytes { throw Refusal.chainBroken }
    try openWaiting(&waiting, in: view, atHead: complete)
    if complete { try requireRows(of: branch) }
    return complete
  }

  /// A permissions record that does not verify breaks the branch; any other record is put into quarantine alone.
  private func judge(
    _ line: Line, _ row: IncomingRow, _ view: inout LocalBranchView, _ waiting: inout WaitingRows
  ) throws {
    if line.kind == .permissions {
      guard line.cloudID == view.branch else { throw Refusal.rowMismatch }
      let permissions = try verify(row.asPermissions(), in: view)
      try transaction.insertPermissions(row.signed, permissions.body, line: line.number, in: view.id)
      view.permissions = PermissionsInForce(permissions)
      try takeKey(from: permissions.body, line, row.wire, view)
      if permissions.body.letters(of: identity.user).contains(.write) { try transaction.reopenRefused(in: view.id) }
      return
    }
    do {
      try verifyNode(line, row, view, &waiting)
    } catch let refusal as Refusal {
      try transaction.quarantine(line, encode(row.wire), in: view.id, refusal)
    }
  }

  private func verifyNode(
    _ line: Line, _ row: IncomingRow, _ view: LocalBranchView, _ waiting: inout WaitingRows
  ) throws {
    if line.kind == .tombstone {
      let tombstone = try verify(row.asTombstone(), in: view)
      guard tombstone.body.cloudID == line.cloudID else { throw Refusal.rowMismatch }
      try LocalTree(transaction: transaction, branch: view.id, line: line.number, node: line.cloudID)
        .requireSeen(below: tombstone.body)
      try transaction.setDeleted(tombstone.body, tombstone.hash, in: view.id)
      try applyDeletion(of: line.cloudID, in: view.id)
      return
    }
    let header = try verify(row.asHeader(), in: view)
    guard header.body.cloudID == line.cloudID else { throw Refusal.rowMismatch }
    if try transaction.stateHash(of: line.cloudID, in: view.id) == header.hash { return }
    try transaction.setState(header, in: view.id)
    waiting.add(row)
  }

  private func applyDeletion(of cloudID: CloudID, in branch: BranchID) throws {
    try transaction.db.execute(
      sql: "DELETE FROM operations WHERE branch = ? AND cloud_id = ? AND kind = 'delete' AND state = 'pending'",
      arguments: [branch, cloudID])
    guard let node = try transaction.node(cloudID, in: branch), !node.isBranchRoot else { return }
    if try transaction.hasUnconfirmedPut(node, in: branch) { return }
    // What was written here and not sent yet must not go with a list that was removed elsewhere: the list comes back.
    if let target = node.pointer, try transaction.pendingOperationCount(of: target) > 0 {
      return try transaction.queueDataUpload(forNodeID: node.id)
    }
    _ = try delegate.receive(.deleted(node), in: transaction)
    try transaction.forget(node)
  }

  /// Opens verified rows, parents first. A row whose parent has not come stays until the head of the pull.
  private func openWaiting(_ waiting: inout WaitingRows, in view: LocalBranchView, atHead: Bool) throws {
    try waiting.addStored()
    try waiting.open { try tryOpen($0, in: view, atHead: false) }
    guard atHead else { return try waiting.store() }
    try waiting.open { try tryOpen($0, in: view, atHead: true) }
    try retryOrphans(in: view)
    try waiting.addStored()
    try waiting.open { try tryOpen($0, in: view, atHead: true) }
    try clearQuarantine(of: view.id)
  }

  /// False: the row has to wait, because what it hangs below may come with a later page.
  private func tryOpen(_ row: IncomingRow, in view: LocalBranchView, atHead: Bool) throws -> Bool {
    let header = try row.asHeader()
    // Superseded by a later line of the same pull.
    guard try transaction.stateHash(of: header.body.cloudID, in: view.id) == header.hash else { return true }
    // Who was invited late gets the key with a later line, perhaps on a later page.
    if !atHead, header.body.recipient == nil,
      try transaction.branchKey(of: view.id, epoch: header.body.epoch) == nil
    {
      return false
    }
    do {
      let tree = LocalTree(
        transaction: transaction, branch: view.id, line: row.wire.line, node: header.body.cloudID)
      try verifyPlace(of: header.body, in: tree)
      if try tree.isBelowDeleted(header.body) { return true }
      let parent = try header.body.parent.flatMap { try transaction.node($0, in: view.id) }
      guard parent != nil || header.body.parent == nil else { throw Refusal.parentWrong }
      let key = try KeyOpener(transaction: transaction, identity: identity).nodeKey(of: header.body, in: view.id)
      let opened = try OpenedNode(header.body, key: key, contents: row.wire.contents)
      // What the app refuses at the end leaves no trace in the tree.
      try apply(opened, in: view.id, parent: parent)
    } catch let refusal as Refusal {
      if !atHead, [.parentWrong, .nameTaken, .limitExceeded].contains(refusal) { return false }
      let line = Line(number: row.wire.line, kind: .header, cloudID: header.body.cloudID, hash: header.hash)
      try transaction.quarantine(line, encode(row.wire), in: view.id, refusal)
    }
    return true
  }

  /// What breaks a rule of the tables is this row's fault and must not end the sync, now and every time after.
  private func apply(_ opened: OpenedNode, in branch: BranchID, parent: Node?) throws {
    do {
      try transaction.db.inSavepoint {
        try Applier(transaction: transaction, delegate: delegate, identity: identity).apply(
          opened, in: branch, parent: parent)
        return .commit
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw Refusal.malformed
    }
  }

  private func owe(_ line: Line, _ branch: BranchID) throws {
    let insert = try transaction.db.cachedStatement(sql: "INSERT OR IGNORE INTO owed (branch, cloud_id) VALUES (?, ?)")
    try insert.execute(arguments: [branch, line.cloudID])
  }

  /// At the head every node's last line must have come with its row: the server keeps it, so a gap is an omission.
  private func requireRows(of branch: BranchID) throws {
    let missing = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT max(l.number), l.cloud_id, l.hash FROM owed o JOIN lines l ON l.branch = o.branch AND l.cloud_id = o.cloud_id
        LEFT JOIN node_states s ON s.branch = l.branch AND s.cloud_id = l.cloud_id
        LEFT JOIN quarantine q ON q.branch = l.branch AND q.line = l.number
        WHERE o.branch = ? AND l.kind <> 3 GROUP BY l.cloud_id HAVING q.line IS NULL AND (s.hash IS NULL OR s.hash <> l.hash)
        """, arguments: [branch])
    try transaction.db.execute(sql: "DELETE FROM owed WHERE branch = ?", arguments: [branch])
    for row in missing {
      // Our own later change was confirmed and not read yet: the gap closes with the next pull.
      let line = Line(number: UInt64(row[0] as Int64), kind: .header, cloudID: row[1], hash: row[2])
      if let state = try transaction.state(of: line.cloudID, in: branch), state.hash != line.hash,
        try isAhead(state, of: line, in: branch)
      {
        continue
      }
      try transaction.quarantine(line, [], in: branch, .rowMissing)
    }
  }

  private func isAhead(_ state: NodeState, of line: Line, in branch: BranchID) throws -> Bool {
    let lines = try Int64.fetchOne(
      transaction.db, sql: "SELECT count(*) FROM lines WHERE branch = ? AND cloud_id = ? AND kind <> 3",
      arguments: [branch, line.cloudID])
    return state.lines > UInt64(lines ?? 0)
  }
}
