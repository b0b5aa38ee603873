import CloudAPI
import GRDB
import Signing

/// Contents that the server listed and has lost: a backup that was put back may lack them, and clients keep no sealed bytes. Whoever had read
/// them and may write seals them anew (spec §4.5); where nobody had, they are gone.
extension CloudTransaction {
  /// The nodes that were never read here for want of their contents, of which this user may say that they are given up. A branch's root stays:
  /// with it all of the branch would go.
  public func lostNodes() throws -> [Quarantined] {
    try quarantined().filter { lost in
      guard lost.reason == .contentMissing, try cloudID(of: lost.branch) != lost.cloudID,
        try node(lost.cloudID, in: lost.branch) == nil, try isLive(lost.cloudID, in: lost.branch)
      else { return false }
      return try mayDelete(in: lost.branch) && !isBeingDeleted(lost.cloudID, in: lost.branch)
    }
  }

  /// Whether this user may delete what others wrote in a branch: where they may write, and in their own inbox.
  public func mayDelete(in branch: BranchID) throws -> Bool { try trunk(of: branch) == .inbox || mayWrite(branch) }

  /// Queues the deletion of nodes whose contents are lost, for everybody. What was written there since then is not deleted with them.
  public func giveUp(_ lost: [Quarantined]) throws {
    for one in lost {
      guard let read = try cursor(of: one.branch) else { continue }
      try enqueue(.delete, branch: one.branch, node: nil, cloudID: one.cloudID, read: read)
    }
  }

  private func isBeingDeleted(_ cloudID: CloudID, in branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations WHERE branch = ? AND cloud_id = ? AND kind = 'delete'",
      arguments: [branch, cloudID]) != nil
  }
}
