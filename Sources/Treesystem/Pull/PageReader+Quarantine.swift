import CloudAPI
import Foundation
import GRDB
import Signing

/// What is in quarantine gets another chance when what it lacked has come, and leaves when something newer stands in its place.
extension PageReader {
  /// A key that its sealer got wrong, or made wrong, must not close the branch to this reader for ever: the record is signed
  /// and stands, what needs its key waits in quarantine, and a later record brings the key after all.
  func takeKey(from permissions: PermissionsBody, _ line: Line, _ row: WireRow, _ view: LocalBranchView) throws {
    do {
      try KeyOpener(transaction: transaction, identity: identity).open(permissions, of: view.id)
    } catch Refusal.keyMismatch {
      try transaction.quarantine(line, encode(row), in: view.id, .keyMismatch)
      return
    }
    try retry(.keyMismatch, in: view.id)
    try transaction.forgetClosedRecords(of: view.id, view.branch, before: line.number)
  }

  /// Of what had no place, or no name there, when it was judged: what it hangs below may have come since.
  private static let misplaced: [Refusal] = [.parentWrong, .nameTokenWrong]

  /// Rows whose parent was missing, or known by another name key, if it is here now.
  func retryOrphans(in view: LocalBranchView) throws {
    for reason in Self.misplaced { try retry(reason, in: view.id) }
  }

  /// Rows for a reason that were judged so long ago, in milliseconds; verified ones only: what did not verify is not kept as the node's state,
  /// and stays where it is.
  private static let judged = "reason = ? AND \(isOld)"
  private static let isOld = """
    abs(since - ?) >= ? AND length(row) > 0 AND EXISTS (
      SELECT 1 FROM node_states s JOIN lines l ON l.branch = s.branch AND l.hash = s.hash
      WHERE s.branch = quarantine.branch AND s.cloud_id = quarantine.cloud_id AND s.deleted = 0
        AND l.number = quarantine.line)
    """

  func retry(_ reason: Refusal, in branch: BranchID, judgedBefore age: Int64 = 0) throws {
    let condition = "\(Self.judged) AND branch = ?"
    let arguments: StatementArguments = [reason.rawValue, transaction.clock.now(), age, branch]
    try transaction.db.execute(
      sql:
        "INSERT OR REPLACE INTO waiting (branch, line, row) SELECT branch, line, row FROM quarantine WHERE \(condition)",
      arguments: arguments)
    try transaction.db.execute(sql: "DELETE FROM quarantine WHERE \(condition)", arguments: arguments)
  }

  /// Judges what the app found too far ahead of its clock once more, an hour after it did so last: its time may have come, or the clock was wrong.
  /// Else who has more of the node puts it again now: once an hour, because an honest device whose clock is wrong may do the same.
  /// What had no place, or no name there, may have one since contents came, or somebody put again what it hangs below.
  static func judgeAgain(telling delegate: any TreesystemDelegate, in transaction: CloudTransaction) throws {
    let reasons = [.stampAhead] + misplaced
    let branches = try BranchID.fetchAll(
      transaction.db, sql: "SELECT DISTINCT branch FROM quarantine WHERE reason IN (?, ?, ?) AND \(isOld)",
      arguments: StatementArguments(reasons.map(\.rawValue)) + [transaction.clock.now(), CloudTransaction.farApart])
    if branches.isEmpty { return }
    var reader = PageReader(transaction: transaction, delegate: delegate, identity: try transaction.identity())
    reader.isSecondLook = true
    for branch in branches {
      for reason in reasons { try reader.retry(reason, in: branch, judgedBefore: CloudTransaction.farApart) }
      do {
        try reader.reopen([], of: branch)
      } catch is Refusal {
        // What is wrong with the branch is said where it is read.
      }
    }
  }

  /// The nodes whose last row is signed as it should be, and says what cannot be believed: not what the server may have caused by keeping rows back.
  /// Says of each whether it has no place by that row; of others it may have one, and count as empty.
  func unbelievable(in branch: BranchID) throws -> [(cloudID: CloudID, isPlaceless: Bool)] {
    let rows = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT q.cloud_id, q.reason, s.parent, n.id IS NOT NULL, n.pointer IS NOT NULL, s.header, q.placed
        FROM quarantine q JOIN lines l ON l.branch = q.branch AND l.number = q.line
        JOIN node_states s ON s.branch = q.branch AND s.cloud_id = q.cloud_id AND s.hash = l.hash AND s.deleted = 0
        LEFT JOIN nodes n ON n.branch = s.branch AND n.cloud_id = s.parent
        WHERE q.branch = ? ORDER BY q.line
        """, arguments: [branch])
    let known = Dictionary(rows.map { ($0[0] as CloudID, $0) }, uniquingKeysWith: { $1 })
    func signer(_ row: Row) -> UserID? {
      (row[5] as Data?).flatMap { try? HeaderBody(decoding: SignedRecord(encoded: Array($0)).body).author.user }
    }
    // Of what somebody else hung below a node that a member spoiled nothing was opened here: that node's holders put it again.
    func isItsWriters(_ row: Row, by writer: UserID?, _ depth: Int = 0) -> Bool {
      guard let reason = Refusal(rawValue: row[1]), depth < Limits.depth, signer(row) == writer else { return false }
      let above = (row[2] as CloudID?).flatMap { known[$0] }
      switch reason {
      // By what name key it was named, nobody knows while what it hangs below is not believed.
      case .nameTokenWrong: return above.map { isItsWriters($0, by: writer, depth + 1) } ?? true
      case .parentWrong:
        return row[4] as Bool || !(row[3] as Bool) && above.map { isItsWriters($0, by: writer, depth + 1) } ?? false
      // Whatever becomes of a pointer that leads nowhere yet: nothing hangs below one.
      case .firstRecordWrong, .tooManyBranches: return depth > 0
      default: return Self.writersFaults.contains(reason)
      }
    }
    return known.sorted { $0.key < $1.key }.compactMap { cloudID, row in
      let isOwnKey = row[1] as String == Refusal.keyMismatch.rawValue
      guard isOwnKey || isItsWriters(row, by: signer(row)) else { return nil }
      let isMisplaced = Self.misplaced.map(\.rawValue).contains(row[1] as String)
      return (cloudID, isMisplaced || !(row[6] as Bool))
    }
  }

  /// Whether the server keeps something of a branch back: then by what name key something was named, nobody knows for certain.
  func isKeptBack(in branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      transaction.db, sql: "SELECT 1 FROM quarantine WHERE branch = ? AND reason IN (?, ?, ?) LIMIT 1",
      arguments: [
        branch, Refusal.rowMissing.rawValue, Refusal.contentMissing.rawValue, Refusal.contentMismatch.rawValue,
      ]) != nil
  }

  private static let writersFaults: Set<Refusal> = [.malformed, .contentUnopenable, .paddingWrong]

  /// The server keeps the contents of a branch that its owner ended for some weeks only (spec §3.7). Until then what does not come is withheld.
  func forgetWhatWasPurged(in branch: BranchID, _ permissions: PermissionsBody) throws {
    guard permissions.isClosed else { return }
    // No server can say that the time is over.
    let (age, overflow) = try transaction.earlierTime().subtractingReportingOverflow(permissions.created)
    guard age > Limits.closedLife || overflow else { return }
    try transaction.db.execute(
      // What hung below such a node has nothing to hang on here.
      sql: "DELETE FROM quarantine WHERE branch = ? AND reason IN (?, ?)",
      arguments: [branch, Refusal.contentMissing.rawValue, Refusal.parentWrong.rawValue])
  }

  /// What a later, believed version of the same node has replaced is nothing to report any more.
  func clearQuarantine(of branch: BranchID) throws {
    try transaction.db.execute(
      sql: """
        DELETE FROM quarantine WHERE branch = ?1 AND EXISTS (
          SELECT 1 FROM lines l JOIN node_states s
            ON s.branch = l.branch AND s.cloud_id = l.cloud_id AND s.hash = l.hash
          LEFT JOIN quarantine q ON q.branch = l.branch AND q.line = l.number
          WHERE l.branch = ?1 AND l.cloud_id = quarantine.cloud_id AND l.number > quarantine.line AND q.line IS NULL)
        """, arguments: [branch])
  }
}

extension CloudTransaction {
  /// Permissions records whose key did not open are nothing to report any more once a later one's does.
  func forgetClosedRecords(of branch: BranchID, _ cloudID: CloudID, before line: UInt64) throws {
    try db.execute(
      sql: "DELETE FROM quarantine WHERE branch = ? AND cloud_id = ? AND reason = ? AND line < ?",
      arguments: [branch, cloudID, Refusal.keyMismatch.rawValue, Int64(line)])
  }
}
