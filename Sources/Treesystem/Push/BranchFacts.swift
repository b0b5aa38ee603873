import CloudAPI
import Sealing
import Signing

/// What sealing does not change, read once for all operations of a batch: the record in force of a branch, the key of its epoch,
/// how far the branch was read.
final class BranchFacts {
  /// What holds for one branch.
  struct Facts {
    let permissions: UnverifiedPermissions
    /// Nil where this device lacks it.
    let key: BranchKey?
  }

  private let transaction: CloudTransaction
  private var known: [BranchID: Facts] = [:]
  private var cursors: [BranchID: LogHead] = [:]
  private var positions: [UserID: UInt32] = [:]

  init(transaction: CloudTransaction) { self.transaction = transaction }

  /// Nil for a branch that the server does not have yet.
  func facts(of branch: BranchID) throws -> Facts? {
    if let facts = known[branch] { return facts }
    guard let permissions = try transaction.permissions(of: branch) else { return nil }
    let body = permissions.body
    // One that was drawn for a record which lost the race to another is no key of the branch.
    let key = try transaction.branchKey(of: branch, epoch: body.epoch)
      .map { BranchKey(branch: body.branch, epoch: body.epoch, secret: $0) }
      .flatMap { $0.commitment == body.commitment ? $0 : nil }
    let facts = Facts(permissions: permissions, key: key)
    known[branch] = facts
    return facts
  }

  /// How far a branch was read.
  func cursor(of branch: BranchID) throws -> LogHead? {
    if let cursor = cursors[branch] { return cursor }
    let cursor = try transaction.cursor(of: branch)
    cursors[branch] = cursor
    return cursor
  }

  /// How much of somebody's keyring is here.
  func keyringPosition(_ user: UserID) throws -> UInt32 {
    if let position = positions[user] { return position }
    let position = try transaction.keyringPosition(user)
    positions[user] = position
    return position
  }
}
