import CloudAPI
import Sealing

/// The record in force and the branch key of its epoch, read once for all operations of a batch: sealing changes neither.
final class BranchFacts {
  /// What holds for one branch.
  struct Facts {
    let permissions: UnverifiedPermissions
    /// Nil where this device lacks it.
    let key: BranchKey?
  }

  private let transaction: CloudTransaction
  private var known: [BranchID: Facts] = [:]

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
}
