import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing

/// Opens the keys that verified records carry for this user.
struct KeyOpener {
  let transaction: CloudTransaction
  let identity: Identity
  var keys = BranchKeyCache()

  /// Opens the branch key of a permissions record, and with it the older ones. Nothing to do without `r`.
  func open(_ permissions: PermissionsBody, of branch: BranchID) throws {
    // A later record of the same epoch cannot take a key away that fits its commitment.
    if try fitting(branchKey(of: branch, permissions, epoch: permissions.epoch), permissions.commitment) != nil {
      return
    }
    // What was drawn here for this epoch, before somebody else began it, is nobody's key. It goes although the record gives this user
    // none: one that comes with a later epoch would find its place taken.
    try transaction.removeBranchKey(of: branch, epoch: permissions.epoch)
    guard let entry = permissions.entry(of: identity.user), entry.letters.contains(.read) else { return }
    guard let userKey = try transaction.userKey(generation: entry.generation),
      let secret = userKey.box.open(sealedBox: entry.sealedKey), secret.count == 32
    else { throw Refusal.keyMismatch }
    let key = BranchKey(branch: permissions.branch, epoch: permissions.epoch, secret: secret)
    guard key.commitment == permissions.commitment || Defence.branchKeyCommitment.isDown else {
      throw Refusal.keyMismatch
    }
    try transaction.setBranchKey(secret, of: branch, epoch: permissions.epoch)
    try KeyChain(transaction: transaction, branch: branch).open(below: permissions, key)
  }

  private func branchKey(of branch: BranchID, _ permissions: PermissionsBody, epoch: UInt64) throws -> BranchKey? {
    try transaction.branchKey(of: branch, epoch: epoch).map {
      BranchKey(branch: permissions.branch, epoch: epoch, secret: $0)
    }
  }

  private func fitting(_ key: BranchKey?, _ commitment: Hash32) -> BranchKey? {
    key?.commitment == commitment ? key : nil
  }

  /// Opens a node's key: wrapped under the branch key, or for a message sealed to this user.
  func nodeKey(of header: HeaderBody, in branch: BranchID) throws -> NodeKey {
    if header.recipient != nil {
      guard let userKey = try transaction.userKey(generation: header.recipientGeneration),
        let secret = userKey.box.open(sealedBox: header.wrappedKey),
        let key = NodeKey(
          branch: header.branch, node: header.cloudID, secret: secret, commitment: header.keyCommitment)
      else { throw Refusal.keyMismatch }
      return key
    }
    guard let branchKey = try keys.key(of: header, in: branch, transaction) else { throw Refusal.keyMismatch }
    guard let key = branchKey.unwrap(header.wrappedKey, of: header.cloudID, commitment: header.keyCommitment) else {
      throw Refusal.keyMismatch
    }
    return key
  }
}

/// Branch keys are read once, however many nodes they open.
final class BranchKeyCache {
  private var known: [BranchID: [UInt64: BranchKey]] = [:]

  /// The key that a header's node key is wrapped under; nil where this device lacks it.
  func key(of header: HeaderBody, in branch: BranchID, _ transaction: CloudTransaction) throws -> BranchKey? {
    if let key = known[branch]?[header.epoch] { return key }
    guard let secret = try transaction.branchKey(of: branch, epoch: header.epoch) else { return nil }
    let key = BranchKey(branch: header.branch, epoch: header.epoch, secret: secret)
    known[branch, default: [:]][header.epoch] = key
    return key
  }
}
