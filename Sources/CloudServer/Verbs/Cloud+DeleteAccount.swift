import CloudAPI
import Signing

extension Cloud {
  /// Deletes what a user owns, whose account is at its end; refuses that while others share any of it (spec §2.7).
  func deleteBranches(of user: UserID, in storage: any CloudStorageTransaction) throws {
    for branch in try storage.branches(naming: user) {
      guard let record = try storage.permissions(of: branch) else { throw StorageFailure.damaged }
      let body = try memory.permissions(record).body
      // A list that its owner has deleted for everybody stays for its grace period (spec §3.7).
      guard body.owner == user, !body.isClosed else { continue }
      // A list that its owner has deleted is nobody's any more.
      let isGone = try storage.node(branch, in: branch)?.kind == .tombstone
      guard isGone || body.entries.allSatisfy({ $0.user == nil || $0.user == user }) else { throw Refusal.listsShared }
      try storage.delete(branch)
    }
  }
}
