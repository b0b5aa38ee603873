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
  /// Whether what is too far ahead of the time was so an hour ago as well: then it counts as empty.
  var isSecondLook = false
  /// Filled when rows are opened: by then every key of the page is stored.
  let branchKeys = BranchKeyCache()

  /// Returns whether the page reached the head that the server names. Throws a `Refusal` if the chain does not hold;
  /// then nothing of the page counts.
  func read(_ page: IncomingPage, of branch: BranchID) throws -> Bool {
    try blamingRows { try take(page, of: branch) }
  }

  private func take(_ page: IncomingPage, of branch: BranchID) throws -> Bool {
    guard var view = try LocalBranchView(branch, in: transaction, keyrings: keyrings, checked) else { return true }
    guard page.branch == view.branch.bytes || Defence.pageBranch.isDown else { throw Refusal.branchMismatch }
    var waiting = WaitingRows(transaction: transaction, branch: branch)
    let start = view.head
    for line in page.lines {
      guard line.number == view.head.line + 1 || Defence.lineOrder.isDown else { throw Refusal.chainBroken }
      try relocations.confirm(line, in: branch)
      if let row = page.rows[line.number] {
        guard row.hash == line.hash || Defence.rowHash.isDown else { throw Refusal.rowMismatch }
        try hearing(page, after: start) { try judge(line, row, &view, &waiting) }
      } else if line.kind == .permissions, !Defence.permissionsRow.isDown {
        throw Refusal.rowMissing
      } else {
        try owe(line, view.id)
      }
      view.head = view.head.appending(line)
      try transaction.insertLine(line, of: branch, head: view.head)
    }
    try transaction.moveCursor(of: branch, to: view.head)
    guard page.headLine >= view.head.line || Defence.headAhead.isDown else { throw Refusal.fork }
    let complete = page.headLine == view.head.line
    if complete, page.headHash != view.head.hash.bytes, !Defence.headHash.isDown { throw Refusal.chainBroken }
    if Defect.cursorBeforeApply.isPlanted, !page.lines.isEmpty {
      try waiting.store()
      return complete
    }
    // What waits from earlier pages is tried when a key may have come, and at the head.
    if complete || page.lines.contains(where: { $0.kind == .permissions }) { try waiting.addStored() }
    if complete {
      try reachHead(&waiting, of: branch, view)
    } else {
      try waiting.open { try tryOpen($0, in: view, .early) }
      try waiting.store()
    }
    return complete
  }

  /// Does at the head of a branch what waits for that, where the last page that was read ended there and spoke of more.
  func finish(_ branch: BranchID) throws {
    guard let view = try LocalBranchView(branch, in: transaction, keyrings: keyrings, checked) else { return }
    var waiting = WaitingRows(transaction: transaction, branch: branch)
    try waiting.addStored()
    try blamingRows { try reachHead(&waiting, of: branch, view) }
  }

  private func reachHead(_ waiting: inout WaitingRows, of branch: BranchID, _ view: LocalBranchView) throws {
    try requireNested(branch)
    try settle(&waiting, in: view)
    if !Defence.latestRow.isDown { try requireRows(of: branch) }
    try replaceUnbelieved(in: view)
    try transaction.endProvisional(of: branch, view.head)
    try transaction.setCaughtUp(branch)
  }

  /// A permissions record that does not verify breaks the branch; any other record is put into quarantine alone.
  private func judge(
    _ line: Line, _ row: IncomingRow, _ view: inout LocalBranchView, _ waiting: inout WaitingRows
  ) throws {
    do {
      guard line.kind == .permissions else { return try verifyNode(line, row, view, &waiting) }
      guard line.cloudID == view.branch || Defence.lineKind.isDown else { throw Refusal.rowMismatch }
      let permissions = try verify(row.asPermissions(), in: view)
      try transaction.insertPermissions(row.signed, permissions.body, line: line.number, in: view.id)
      if let before = view.permissions?.body {
        if before.owner != permissions.body.owner { try transaction.endTransfer(of: view.id) }
        try transaction.tellPermitted(view.id, from: before, to: permissions.body, delegate)
      }
      view.permissions = PermissionsInForce(permissions)
      try takeKey(from: permissions.body, line, row.wire, view)
      if !permissions.body.isClosed, permissions.body.letters(of: identity.user).contains(.write) {
        try transaction.reopenRefused(in: view.id)
      }
    } catch let refusal as Refusal {
      try hear(line, row, in: view, refusedFor: refusal)
      if line.kind == .permissions { throw refusal }
      try transaction.quarantine(line, encode(row.wire), in: view.id, refusal)
    }
  }

  private func verifyNode(
    _ line: Line, _ row: IncomingRow, _ view: LocalBranchView, _ waiting: inout WaitingRows
  ) throws {
    if line.kind == .tombstone {
      let tombstone = try verify(row.asTombstone(), in: view)
      guard tombstone.body.cloudID == line.cloudID || Defence.lineKind.isDown else { throw Refusal.rowMismatch }
      return waiting.add(row)
    }
    let header = try verify(row.asHeader(), in: view)
    guard header.body.cloudID == line.cloudID || Defence.lineKind.isDown else { throw Refusal.rowMismatch }
    if try transaction.stateHash(of: line.cloudID, in: view.id) == header.hash {
      // One of ours, at the line that the server told when it took it: the chain tells it for certain.
      if try transaction.stateLine(of: line.cloudID, in: view.id) != line.number {
        try transaction.setState(header, line: line.number, in: view.id)
      }
      return
    }
    try LocalTree(transaction: transaction, branch: view.id, line: line.number).requireSeen(below: header.body)
    let before = header.body.version > 1 ? try transaction.stateLine(of: line.cloudID, in: view.id) : nil
    let life = try transaction.setState(header, line: line.number, in: view.id)
    if let before, before < life { try beginAnew(line.cloudID, as: header.body.form, in: view.id) }
    waiting.add(row)
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
      let known = try LocalBranchView.storedHash(line.number, branch, transaction)
      try transaction.note(
        Contradiction(kind: .omission, line: line.number, known: known, told: line.hash), of: branch)
    }
  }

  private func isAhead(_ state: NodeState, of line: Line, in branch: BranchID) throws -> Bool {
    let lines = try Int64.fetchOne(
      transaction.db, sql: "SELECT count(*) FROM lines WHERE branch = ? AND cloud_id = ? AND kind <> 3",
      arguments: [branch, line.cloudID])
    return state.lines > UInt64(lines ?? 0)
  }
}
