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
    if operation.closes {
      body = try closing(operation)
    } else if try transaction.isLeave(operation) {
      body = try leave(operation.branch)
    } else if let user = operation.user, let letters = operation.letters {
      // Somebody removed them meanwhile: whoever changed their role, or gave them the list, has not seen that.
      if !letters.isEmpty, try transaction.hasLost(user, since: operation) { throw NothingToSend() }
      let transfer = try operation.handsOver ? transaction.transfer(of: operation.branch, to: user) : nil
      if operation.handsOver, transfer == nil { throw NothingToSend() }
      body = try succession(in: operation.branch, user, letters, transfer)
    } else if operation.isRenewal {
      body = try renewal(of: operation.branch)
    } else {
      body = try first(of: operation.branch)
    }
    return body.map { body in
      WirePermit.with { $0.permissions = SignedRecord(signing: body, with: identity.signingKey).wire }
    }
  }

  /// The record that makes a branch: only its owner is there.
  private func first(of branch: BranchID) throws -> PermissionsBody? {
    guard try transaction.permissions(of: branch) == nil, try transaction.firstPermissions(of: branch) == nil,
      let cloudID = try transaction.cloudID(of: branch)
    else {
      return nil
    }
    if let outer = try transaction.enclosing(of: branch) { return try nested(branch, cloudID, in: outer) }
    let key = try newKey(of: branch, cloudID, epoch: 1)
    return PermissionsBody(
      branch: cloudID, owner: identity.user, version: 1, previous: .zeros, epoch: 1, commitment: key.commitment,
      entries: [try entry(identity.user, [.read, .write, .share], key)], olderKeys: [],
      author: try author(reading: LogHead(startOf: cloudID)), created: transaction.clock.now())
  }

  /// The record that makes a nested branch: who is in the branch around it is there too, and its owner is that one's.
  private func nested(_ branch: BranchID, _ cloudID: CloudID, in outer: BranchID) throws -> PermissionsBody? {
    guard let above = try transaction.permissions(of: outer) else { return nil }
    let key = try newKey(of: branch, cloudID, epoch: 1)
    let entries = try above.body.entries.compactMap { old in try old.user.map { try entry($0, old.letters, key) } }
    return PermissionsBody(
      branch: cloudID, owner: above.body.owner, version: 1, previous: .zeros, epoch: 1, commitment: key.commitment,
      entries: entries, olderKeys: [], author: try author(reading: LogHead(startOf: cloudID)),
      enclosing: Enclosing(
        branch: above.body.branch, permissionsVersion: above.body.version, permissions: above.hash,
        owner: above.body.owner), created: transaction.clock.now())
  }

  /// Sets a user's letters; none removes the user, and who may no longer read makes a new epoch. Where anyone has letters, as in an inbox,
  /// an entry without letters refuses the user, and one with anyone's is none.
  private func succession(
    in branch: BranchID, _ user: UserID, _ letters: Letters, _ transfer: SignedRecord?
  ) throws -> PermissionsBody? {
    guard let before = try transaction.permissions(of: branch) else { return nil }
    // The owner's letters are the owner's, also where they became one after this was queued.
    if user == before.body.owner, user != identity.user { throw Refusal.letterMissing }
    if transfer != nil, before.body.owner != identity.user { throw Refusal.letterMissing }
    let anyones = before.body.entry(of: nil)?.letters
    let stays = anyones.map { $0 != letters } ?? !letters.isEmpty
    if before.body.entry(of: user)?.letters == (stays ? letters : nil), transfer == nil { return nil }
    var body = try successor(of: before, in: branch)
    if let transfer {
      body.owner = user
      body.transfer = transfer
    }
    let others = body.entries.filter { $0.user != user }
    let losesKey = body.entry(of: user)?.letters.contains(.read) ?? false && !letters.contains(.read)
    if let present = try presentKey(before.body, of: branch), try !losesKey && !needsNewKey(before.body, of: branch) {
      body.entries = others
      if stays { body.entries.append(try entry(user, letters, present)) }
    } else {
      let next = try beginEpoch(&body, of: branch)
      body.entries = try others.map { try renewed($0, next) }
      if stays { body.entries.append(try entry(user, letters, next)) }
    }
    body.entries.sort { ($0.user?.bytes ?? []).lexicographicallyPrecedes($1.user?.bytes ?? []) }
    return body
  }

  /// The same people with the same letters, under a key that only those have who may read now.
  private func renewal(of branch: BranchID) throws -> PermissionsBody? {
    guard let before = try transaction.permissions(of: branch),
      try !transaction.outdated(in: before.body, of: branch).isEmpty
    else { return nil }
    var body = try successor(of: before, in: branch)
    let present = try presentKey(before.body, of: branch)
    let isKept = try !needsNewKey(before.body, of: branch)
    let key = try present.flatMap { isKept ? $0 : nil } ?? beginEpoch(&body, of: branch)
    body.entries = try body.entries.map { try renewed($0, key) }
    return body
  }

  /// Nil: whoever began the epoch sealed something else to this user, or nothing that opens. Then the next record begins another.
  private func presentKey(_ body: PermissionsBody, of branch: BranchID) throws -> BranchKey? {
    let key = try transaction.branchKey(of: branch, epoch: body.epoch).map {
      BranchKey(branch: body.branch, epoch: body.epoch, secret: $0)
    }
    return key?.commitment == body.commitment ? key : nil
  }

  /// Whether somebody has the present key who may not, on a device that was ended or because they left, or whether it does not open the
  /// older ones.
  private func needsNewKey(_ body: PermissionsBody, of branch: BranchID) throws -> Bool {
    let isKeyKnown = try body.entries.contains {
      try $0.user.flatMap { try transaction.keyring($0) }?.hasNewKey(since: $0) ?? false
    }
    return try isKeyKnown || !transaction.readersWhoLeft(branch, body).isEmpty
      || transaction.hidesOlderKeys(of: branch, body)
  }

  /// The record without this user. It keeps the key: whoever writes next gives the branch a new one.
  private func leave(_ branch: BranchID) throws -> PermissionsBody? {
    guard let before = try transaction.permissions(of: branch), before.body.entry(of: identity.user) != nil else {
      return nil
    }
    var body = try successor(of: before, in: branch)
    body.entries.removeAll { $0.user == identity.user }
    return body
  }

  /// The last record of a branch, which changes nothing else. Nil where another device of its owner was first.
  private func closing(_ operation: QueuedOperation) throws -> PermissionsBody? {
    guard let before = try transaction.permissions(of: operation.branch), !before.body.isClosed else { return nil }
    guard before.body.owner == identity.user else { throw Refusal.letterMissing }
    // What a person wrote on another device, and nobody has seen here, does not go with a list that they thought they knew.
    if try transaction.hasWrittenElsewhere(since: operation) { throw NothingToSend() }
    var body = try successor(of: before, in: operation.branch)
    body.isClosed = true
    return body
  }

  /// The next record as far as it does not depend on what changes.
  private func successor(of before: UnverifiedPermissions, in branch: BranchID) throws -> PermissionsBody {
    var body = before.body
    body.version += 1
    body.previous = before.hash
    body.author = try author(in: branch)
    body.enclosing = nil
    // A transfer is judged by it, wherever the record is read.
    body.created = try transaction.serverTime()
    body.transfer = nil
    return body
  }

  private func beginEpoch(_ body: inout PermissionsBody, of branch: BranchID) throws -> BranchKey {
    let next = try newKey(of: branch, body.branch, epoch: body.epoch + 1)
    body.olderKeys = try mended(in: branch, under: next) + [older(body.epoch, of: branch, under: next)]
    body.epoch = next.epoch
    body.commitment = next.commitment
    return next
  }

  /// The keys that do not follow from the epoch before, as many as a record takes; the others come with the next ones.
  private func mended(in branch: BranchID, under key: BranchKey) throws -> [OlderKey] {
    try KeyChain(transaction: transaction, branch: branch).hidden().prefix(Limits.mendedKeys).reversed()
      .map { OlderKey(epoch: $0.epoch, sealed: key.seal(older: $0, transaction.entropy)) }
  }

  private func renewed(_ old: PermissionsEntry, _ key: BranchKey) throws -> PermissionsEntry {
    try old.user.map { try entry($0, old.letters, key) } ?? old
  }

  /// A key that this user never had cannot be handed on. Random bytes stand for it, which fit no commitment (spec §3.1).
  private func older(_ epoch: UInt64, of branch: BranchID, under key: BranchKey) throws -> OlderKey {
    let known = try transaction.branchKey(of: branch, epoch: epoch)
    let secret = known ?? SecretBytes(transaction.entropy.bytes(32))
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
    let sealed = letters.contains(.read) ? key.box(for: user, generation.publicKey) : []
    return PermissionsEntry(
      user: user, letters: letters, keyringPosition: keyring.position, generation: generation.number, sealedKey: sealed)
  }
}
