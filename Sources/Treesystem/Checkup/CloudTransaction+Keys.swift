import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing

/// What is wrong with the keys on this device.
public enum KeyProblem: Hashable, Sendable {
  /// The account's devices, as everybody reads them, do not have this one among them.
  case deviceInactive
  /// A generation of the account's key is missing, or is another than the one that others seal to.
  case userKey(generation: UInt32)
  /// A key of a branch is missing, or does not fit what the permissions say about it.
  case branchKey(BranchID, epoch: UInt64)
}

extension CloudTransaction {
  /// Compares every key on this device with what signed records say about it.
  public func keyProblems() throws -> [KeyProblem] {
    guard let me = try account() else { return [] }
    guard let keyring = try keyring(me.user) else { return [.deviceInactive] }
    return try deviceProblems(keyring) + userKeyProblems(keyring) + branchKeyProblems(keyring.user)
  }

  private func deviceProblems(_ keyring: Keyring) throws -> [KeyProblem] {
    let mine = try identity()
    guard let device = keyring.device(mine.device), device.signKey == mine.signingKey.publicKey,
      device.boxKey == BoxKey(secret: mine.boxSecret).publicKey
    else { return [.deviceInactive] }
    return []
  }

  private func userKeyProblems(_ keyring: Keyring) throws -> [KeyProblem] {
    try keyring.generations.compactMap { generation in
      let mine = try userKey(generation: generation.number)?.box.publicKey
      return mine == generation.publicKey ? nil : .userKey(generation: generation.number)
    }
  }

  /// Every epoch that a record committed to, of the branches that this user may read.
  private func branchKeyProblems(_ me: UserID) throws -> [KeyProblem] {
    var problems: [KeyProblem] = []
    for branch in try BranchID.fetchAll(db, sql: "SELECT id FROM branches WHERE cloud_id IS NOT NULL ORDER BY id") {
      guard let latest = try permissions(of: branch)?.body, latest.letters(of: me).contains(.read) else { continue }
      let commitments = try commitments(in: branch)
      for (epoch, commitment) in commitments.sorted(by: { $0.key < $1.key }) {
        let key = try branchKey(of: branch, epoch: epoch)
        let fits = key.map { BranchKey(branch: latest.branch, epoch: epoch, secret: $0).commitment == commitment }
        if fits != true { problems.append(.branchKey(branch, epoch: epoch)) }
      }
    }
    return problems
  }

  private func commitments(in branch: BranchID) throws -> [UInt64: Hash32] {
    let records = try Data.fetchAll(
      db, sql: "SELECT record FROM permissions WHERE branch = ? ORDER BY version", arguments: [branch])
    var commitments: [UInt64: Hash32] = [:]
    for record in records {
      let body = try UnverifiedPermissions(SignedRecord(encoded: Array(record))).body
      commitments[body.epoch] = body.commitment
    }
    return commitments
  }
}
