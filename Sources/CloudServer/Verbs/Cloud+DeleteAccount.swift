import CloudAPI
import Signing

extension Cloud {
  /// Begins to delete what a user owns, whose account is at its end; refuses that while others share any of it (spec §2.7).
  func beginDeletingBranches(of user: UserID, in storage: any CloudStorageTransaction) throws {
    for branch in try storage.branches(ownedBy: user) {
      guard let record = try storage.permissions(of: branch) else { throw StorageFailure.damaged }
      let body = try memory.permissions(record).body
      // A list that its owner has deleted for everybody stays for its grace period (spec §3.7).
      guard body.owner == user, !body.isClosed else { continue }
      // A list that its owner has deleted is nobody's any more.
      let isGone = try storage.node(branch, in: branch)?.kind == .tombstone
      if isGone || body.entries.allSatisfy({ $0.user == nil || $0.user == user || $0.letters.isEmpty }) {
        try storage.beginDeleting(branch)
      } else if try !isMade(branch, forOwner: user, in: storage) {
        throw Refusal.listsShared
      }
    }
  }

  /// Deletes the rest in pieces, so that nobody waits for all of it. What an end of the server interrupts goes on later.
  func finishDeletions() {
    do {
      while try storage.write({ try $0.goOnDeleting(limit: ServerLimits.rowsDeletedAtOnce) }) {}
    } catch {
      report(error)
    }
  }

  /// Whether somebody else nested a branch in a user's name (spec §3.8), who may never have heard of it. It goes on without them.
  private func isMade(
    _ branch: CloudID, forOwner user: UserID, in storage: any CloudStorageTransaction
  ) throws -> Bool {
    guard let line = try storage.lines(of: branch, after: 0, limit: 1).first,
      let record = try storage.permissions(of: branch, named: line.hash)
    else { throw StorageFailure.damaged }
    let first = try PermissionsBody(decoding: record.body)
    return first.enclosing != nil && first.owner == user && first.author.user != user
  }
}
