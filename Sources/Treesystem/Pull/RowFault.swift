import CloudAPI
import GRDB
import Signing

/// Does what rows of a branch ask for. Of all errors only those of this machine's own come out as they are (spec §4.3): the
/// database's, the store's and the connection's. Whatever else goes wrong with rows is a `Refusal` or a `Contradiction`, and their branch's.
func blamingRows<Result>(_ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
    throw Refusal.malformed
  } catch let error where error.isOfThisMachine || error is Refusal || error is Contradiction {
    throw error
  } catch {
    throw Refusal.malformed
  }
}

extension Error {
  var isOfThisMachine: Bool {
    self is DatabaseError || self is StoreError || self is CloudFailure || Defect.faultEndsSync.isPlanted
  }
}

extension CloudTransaction {
  /// Does what the last line of a node asks for. Where that fails nothing of it is done, the line is in quarantine, and all else
  /// goes on. Returns whether it was done.
  @discardableResult
  func answering(_ cloudID: CloudID?, in branch: BranchID, _ body: () throws -> Void) throws -> Bool {
    do {
      try blamingRows {
        try db.inSavepoint {
          try body()
          return .commit
        }
      }
      // It may have failed before.
      try db.execute(
        sql: "DELETE FROM quarantine WHERE branch = ? AND cloud_id = ? AND reason = ? AND length(row) = 0",
        arguments: [branch, cloudID, Refusal.malformed.rawValue])
      return true
    } catch let refusal as Refusal {
      if let cloudID { try quarantineLast(of: cloudID, in: branch, refusal) }
      return false
    }
  }

  /// Puts the last line of a node into quarantine.
  private func quarantineLast(of cloudID: CloudID, in branch: BranchID, _ refusal: Refusal) throws {
    let last = try Row.fetchOne(
      db,
      sql: """
        SELECT number, kind, hash FROM lines WHERE branch = ? AND cloud_id = ? AND kind <> 3 ORDER BY number DESC LIMIT 1
        """, arguments: [branch, cloudID])
    guard let last, let kind = Line.Kind(rawValue: last[1]) else { return }
    let line = Line(number: UInt64(last[0] as Int64), kind: kind, cloudID: cloudID, hash: last[2])
    try quarantine(line, [], in: branch, refusal)
  }
}
