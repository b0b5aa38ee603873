import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

extension Sealer {
  /// Builds a permissions record from the intent in the queue, on top of the record in force.
  func sealPermit(_ operation: QueuedOperation) throws -> WirePermit? {
    let body: PermissionsBody?
    if let user = operation.user, let letters = operation.letters {
      body = try succession(in: operation.branch, user, letters)
    } else {
      body = try first(of: operation.branch)
    }
    return body.map { body in
      WirePermit.with { $0.permissions = SignedRecord(signing: body, with: identity.signingKey).wire }
    }
  }

  /// The record that makes a branch: only its owner is there.
  private func first(of branch: BranchID) throws -> PermissionsBody? {
    guard try transaction.permissions(of: branch) == nil, let cloudID = try transaction.cloudID(of: branch) else {
      return nil
    }
    let key = try newKey(of: branch, cloudID, epoch: 1)
    return PermissionsBody(
      branch: cloudID, owner: identity.user, version: 1, previous: .zeros, epoch: 1, commitment: key.commitment,
      entries: [try entry(identity.user, [.read, .write, .share], key)], olderKeys: [],
      author: try author(reading: LogHead(startOf: cloudID)))
  }

  /// Sets a user's letters; none removes the user, and who may no longer read makes a new epoch.
  private func succession(in branch: BranchID, _ user: UserID, _ letters: Letters) throws -> PermissionsBody? {
    guard let before = try transaction.permissions(of: branch),
      let secret = try transaction.branchKey(of: branch, epoch: before.body.epoch)
    else { return nil }
    var body = before.body
    if (body.entry(of: user)?.letters ?? []) == letters { return nil }
    body.version += 1
    body.previous = before.hash
    body.author = try author(in: branch)
    body.enclosing = nil
    let others = body.entries.filter { $0.user != user }
    let present = BranchKey(branch: body.branch, epoch: body.epoch, secret: secret)
    let mayReadNow = body.entry(of: user)?.letters.contains(.read) ?? false
    if mayReadNow, !letters.contains(.read) {
      let next = try newKey(of: branch, body.branch, epoch: body.epoch + 1)
      let olderKeys = try (1...body.epoch).map { try older($0, of: branch, under: next) }
      body.epoch = next.epoch
      body.commitment = next.commitment
      body.olderKeys = olderKeys
      body.entries = try others.map { try $0.user.map { [letters = $0.letters] in try entry($0, letters, next) } ?? $0 }
      if !letters.isEmpty { body.entries.append(try entry(user, letters, next)) }
    } else {
      body.entries = others
      if !letters.isEmpty { body.entries.append(try entry(user, letters, present)) }
    }
    body.entries.sort { ($0.user?.bytes ?? []).lexicographicallyPrecedes($1.user?.bytes ?? []) }
    return body
  }

  private func older(_ epoch: UInt64, of branch: BranchID, under key: BranchKey) throws -> OlderKey {
    guard let secret = try transaction.branchKey(of: branch, epoch: epoch) else { throw Refusal.keyMismatch }
    let older = BranchKey(branch: key.branch, epoch: epoch, secret: secret)
    return OlderKey(epoch: epoch, sealed: key.seal(older: older, transaction.entropy))
  }

  private func newKey(of branch: BranchID, _ cloudID: CloudID, epoch: UInt64) throws -> BranchKey {
    let secret = SecretBytes(transaction.entropy.bytes(32))
    try transaction.setBranchKey(secret, of: branch, epoch: epoch)
    return BranchKey(branch: cloudID, epoch: epoch, secret: secret)
  }

  private func entry(_ user: UserID, _ letters: Letters, _ key: BranchKey) throws -> PermissionsEntry {
    guard let keyring = try transaction.keyring(user), let generation = keyring.generation(at: keyring.position) else {
      throw TreeError.unknownUser
    }
    let sealed = letters.contains(.read) ? generation.publicKey.sealBox(key.secret, transaction.entropy) : []
    return PermissionsEntry(
      user: user, letters: letters, keyringPosition: keyring.position, generation: generation.number, sealedKey: sealed)
  }
}
