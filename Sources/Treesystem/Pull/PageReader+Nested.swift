import CloudAPI
import GRDB
import Signing

/// Pointers in shared branches are believed by what they lead to (spec §3.8).
extension PageReader {
  /// A branch that hangs only in others has to say, by its first record, that it does.
  func requireNested(_ branch: BranchID) throws {
    let places = try Row.fetchAll(
      transaction.db,
      sql: """
        SELECT t.cloud_id, t.trunk IS NOT NULL FROM nodes n JOIN branches t ON t.id = n.branch WHERE n.pointer = ?
        """, arguments: [branch])
    if places.isEmpty || places.contains(where: { $0[1] }) { return }
    let around = Set(places.compactMap { $0[0] as CloudID? })
    guard
      try Defence.nestedPlace.isDown || transaction.namedEnclosing(of: branch).map({ around.contains($0) }) ?? false
    else { throw Refusal.firstRecordWrong }
  }

  /// Tries pointers again that led to a branch of which it was not known yet that it hangs there, or for which there was no room.
  ///
  /// Returns whether one of them is believed now.
  func retryPointers(in branch: BranchID, refusedAs reason: Refusal) throws -> Bool {
    let before = try unbelieved(in: branch)
    guard let view = try LocalBranchView(branch, in: transaction, keyrings: keyrings, checked) else { return false }
    try retry(reason, in: branch)
    var waiting = WaitingRows(transaction: transaction, branch: branch)
    try waiting.addStored()
    try waiting.open { try tryOpen($0, in: view, .final) }
    try waiting.store()
    try clearQuarantine(of: branch)
    return try !unbelieved(in: branch).isSuperset(of: before)
  }

  private func unbelieved(in branch: BranchID) throws -> Set<Int64> {
    try Int64.fetchSet(transaction.db, sql: "SELECT line FROM quarantine WHERE branch = ?", arguments: [branch])
  }
}

/// A header whose parent is a pointer (spec §5.5).
struct HangsBelowPointer: Error {}

extension SyncEngine {
  /// Returns whether a pointer is believed that was not before: then there may be more to read. One that cannot be followed is no
  /// reason to ask again.
  func retryPointers() throws -> Bool {
    try database.write { transaction in
      let branches = try BranchID.fetchAll(
        transaction.db,
        sql: """
          SELECT DISTINCT q.branch FROM quarantine q JOIN branches i ON i.enclosing = q.branch AND i.nesting = 1
          WHERE q.reason = ? AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.branch = q.branch AND n.pointer = i.id)
          """, arguments: [Refusal.firstRecordWrong.rawValue])
      let reader = PageReader(transaction: transaction, delegate: delegate, identity: try transaction.identity())
      let crowded = try transaction.crowdedBranches()
      return try branches.map { try reader.retryPointers(in: $0, refusedAs: .firstRecordWrong) }.contains(true)
        || crowded.map { try reader.retryPointers(in: $0, refusedAs: .tooManyBranches) }.contains(true)
    }
  }
}

extension CloudTransaction {
  /// Tells whether a node is a pointer, be it one that is not believed here: what it leads to is known to some readers and not to others,
  /// and all of them have to agree on what hangs below it.
  func isPointer(_ cloudID: CloudID, in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: """
        SELECT 1 FROM nodes WHERE branch = ?1 AND cloud_id = ?2 AND pointer IS NOT NULL
        UNION ALL SELECT 1 FROM quarantine WHERE branch = ?1 AND cloud_id = ?2 AND reason IN (?3, ?4, ?5)
        """)
    let refused = [Refusal.firstRecordWrong, .tooManyBranches, .branchMismatch].map(\.rawValue)
    return try Int.fetchOne(statement, arguments: [branch, cloudID] + StatementArguments(refused)) != nil
  }

  /// Branches with pointers that were not followed for want of room, in which there is some now.
  fileprivate func crowdedBranches() throws -> [BranchID] {
    guard try hasRoomToFollow() else { return [] }
    return try BranchID.fetchAll(
      db, sql: "SELECT DISTINCT branch FROM quarantine WHERE reason = ?", arguments: [Refusal.tooManyBranches.rawValue]
    ).filter { try hasRoom(below: $0, for: 1) }
  }
}
