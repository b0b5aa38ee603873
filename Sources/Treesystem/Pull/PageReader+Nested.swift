import CloudAPI
import GRDB
import Signing

/// Pointers in shared branches are believed by what they lead to (spec §3.8).
extension PageReader {
  /// A branch that hangs only in others has to say, by one of its records, that it does.
  func requireNested(_ branch: BranchID) throws {
    let places = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT t.cloud_id, t.trunk IS NOT NULL FROM nodes n JOIN branches t ON t.id = n.branch WHERE n.pointer = ?1
        -- and where this user has taken it from, as long as that waits
        UNION SELECT t.cloud_id, t.trunk IS NOT NULL FROM nodes n JOIN departures d ON d.node = n.id
          JOIN branches t ON t.id = d.branch WHERE n.pointer = ?1
        """, arguments: [branch])
    if places.isEmpty || places.contains(where: { $0[1] }) { return }
    let around = Set(places.compactMap { $0[0] as CloudID? })
    guard
      try Defence.nestedPlace.isDown
        || transaction.permissionsHistory(of: branch).contains(where: {
          $0.enclosing.map { around.contains($0.branch) } ?? false
        })
    else { throw Refusal.firstRecordWrong }
  }

  /// Tries pointers again that led to a branch of which it was not known yet that it hangs there.
  func retryPointers(in branch: BranchID) throws {
    guard let view = try LocalBranchView(branch, in: transaction, keyrings: keyrings, checked) else { return }
    try retry(.firstRecordWrong, in: branch)
    var waiting = WaitingRows(transaction: transaction, branch: branch)
    try waiting.addStored()
    try waiting.open { try tryOpen($0, in: view, .final) }
    try waiting.store()
    try clearQuarantine(of: branch)
  }
}

extension SyncEngine {
  /// Returns whether there was a pointer to try again: then there may be more to read.
  func retryPointers() throws -> Bool {
    try database.write { transaction in
      let branches = try BranchID.fetchAll(
        transaction.db,
        sql: """
          SELECT DISTINCT q.branch FROM quarantine q JOIN branches i ON i.enclosing = q.branch AND i.nesting = 1
          WHERE q.reason = ? AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.branch = q.branch AND n.pointer = i.id)
          """, arguments: [Refusal.firstRecordWrong.rawValue])
      let reader = PageReader(transaction: transaction, delegate: delegate, identity: try transaction.identity())
      for branch in branches { try reader.retryPointers(in: branch) }
      return !branches.isEmpty
    }
  }
}
