import Signing

/// Judges a permissions record that stands at, or is to become, the line after `view.head` (spec §3).
public func verify(_ permissions: UnverifiedPermissions, in view: some BranchView) throws -> Permissions {
  let body = permissions.body
  guard body.branch == view.branch || Defence.recordBranch.isDown else { throw Refusal.branchMismatch }
  try verifyEntries(of: body, view)
  let pinned = view.permissions?.body.entry(of: body.author.user)?.keyringPosition ?? 0
  let keyring = try activeAuthor(body.author, pinned: pinned, view)
  try verifySignature(of: permissions.record, PermissionsBody.domain, by: body.author, keyring, view)
  if let before = view.permissions {
    guard body.author.read == view.head || Defence.nextLine.isDown else { throw Refusal.permissionsSuperseded }
    try verifySuccession(body, after: before, view)
  } else {
    if let first = view.firstPermissions, first != permissions.hash, !Defence.firstRecord.isDown {
      throw Refusal.firstRecordWrong
    }
    try verifyFirst(body, view)
  }
  return Permissions(believing: permissions)
}

private func verifyEntries(of body: PermissionsBody, _ view: some BranchView) throws {
  let owner = body.entry(of: body.owner)?.letters ?? []
  guard owner.isSuperset(of: [.read, .write, .share]) || Defence.ownerEntry.isDown else { throw Refusal.malformed }
  let users = body.entries.map { $0.user?.bytes ?? [] }
  for (a, b) in zip(users, users.dropFirst()) where !a.lexicographicallyPrecedes(b) { throw Refusal.malformed }
  for entry in body.entries { try verifyEntry(entry, of: body, view) }
}

private func verifyEntry(_ entry: PermissionsEntry, of body: PermissionsBody, _ view: some BranchView) throws {
  // Only where anyone has letters is there something to refuse.
  let refuses = entry.user != nil && body.entry(of: nil) != nil
  guard !entry.letters.isEmpty || refuses, Letters.all.isSuperset(of: entry.letters) else { throw Refusal.malformed }
  guard let user = entry.user else {
    guard entry.letters.isDisjoint(with: [.read, .write, .share]), entry.keyringPosition == 0, entry.generation == 0,
      entry.sealedKey.isEmpty
    else { throw Refusal.malformed }
    return
  }
  guard entry.sealedKey.count == (entry.letters.contains(.read) ? 80 : 0) else { throw Refusal.malformed }
  if Defence.entryPin.isDown { return }
  let lowest: UInt32 = isTrunk(body) ? 3 : 4
  guard let keyring = try view.keyring(user), (lowest...max(lowest, keyring.position)).contains(entry.keyringPosition),
    keyring.position >= entry.keyringPosition, keyring.generation(at: entry.keyringPosition)?.number == entry.generation
  else { throw Refusal.pinWrong }
}

/// A trunk's first record is older than the keyring entry that names it.
private func isTrunk(_ body: PermissionsBody) -> Bool {
  Trunk.allCases.contains { $0.cloudID(of: body.owner) == body.branch }
}

private func verifyFirst(_ body: PermissionsBody, _ view: some BranchView) throws {
  guard body.version == 1, body.previous == .zeros, body.epoch == 1, body.olderKeys.isEmpty,
    body.author.read == LogHead(startOf: view.branch)
  else { throw Refusal.firstRecordWrong }
  guard body.transfer == nil, !body.isClosed || Defence.closing.isDown else { throw Refusal.malformed }
  try verifyEnclosing(of: body, view)
}

/// Who may make a branch: its owner, or below another one whoever may share that (spec §3.8).
private func verifyEnclosing(of body: PermissionsBody, _ view: some BranchView) throws {
  if Defence.enclosing.isDown, body.enclosing != nil { return }
  guard view.maker.map({ $0 == body.owner && body.enclosing == nil }) ?? true else { throw Refusal.firstRecordWrong }
  guard let enclosing = body.enclosing else {
    guard body.author.user == body.owner || Defence.firstAuthor.isDown else { throw Refusal.firstRecordWrong }
    return
  }
  guard enclosing.owner == body.owner, enclosing.branch != body.branch else { throw Refusal.firstRecordWrong }
  guard let known = try view.enclosingPermissions(enclosing) else {
    // Whoever does not read that branch has this one from somebody who named its first record.
    guard view.firstPermissions != nil else { throw Refusal.firstRecordWrong }
    return
  }
  guard let outer = known, outer.hash == enclosing.permissions, outer.body.version == enclosing.permissionsVersion,
    outer.body.owner == enclosing.owner, !outer.body.isClosed,
    outer.body.letters(of: body.author.user).contains(.share)
  else { throw Refusal.firstRecordWrong }
}

private func verifySuccession(
  _ body: PermissionsBody, after before: PermissionsInForce, _ view: some BranchView
) throws {
  let old = before.body
  guard body.version == old.version + 1 && body.previous == before.hash || Defence.recordVersion.isDown else {
    throw Refusal.permissionsSuperseded
  }
  guard !old.isClosed || Defence.closed.isDown else { throw Refusal.branchClosed }
  // A branch stays nested where it was begun (spec §3.8).
  guard body.enclosing == nil else { throw Refusal.malformed }
  try verifyClosing(body, after: old)
  try verifyOwner(of: body, after: old, view)
  try verifyEpoch(body, after: old)
  let signer = body.author.user
  let mayShare = old.letters(of: signer).contains(.share)
  guard
    mayShare || isRenewal(body, of: old, by: signer) || isLeave(body, of: old, by: signer) || Defence.shareLetter.isDown
  else {
    throw Refusal.letterMissing
  }
  guard signer == old.owner || body.entry(of: body.owner)?.letters == old.entry(of: old.owner)?.letters else {
    throw Refusal.letterMissing
  }
  for entry in old.entries {
    guard let now = body.entry(of: entry.user) else { continue }
    guard now.keyringPosition >= entry.keyringPosition || Defence.pinOrder.isDown else { throw Refusal.keyringStale }
  }
}

/// The owner ends a branch: that and nothing else (spec §3.7).
private func verifyClosing(_ body: PermissionsBody, after old: PermissionsBody) throws(Refusal) {
  guard body.isClosed, !Defence.closing.isDown else { return }
  guard body.author.user == old.owner, !isTrunk(old) else { throw .letterMissing }
  guard body.entries == old.entries, body.epoch == old.epoch, body.transfer == nil else { throw .malformed }
}

/// The owner gives a branch away to somebody who has said that they take it (spec §3.5); a trunk stays whose it is.
private func verifyOwner(of body: PermissionsBody, after old: PermissionsBody, _ view: some BranchView) throws {
  if Defence.owner.isDown { return }
  guard let record = body.transfer else {
    guard body.owner == old.owner else { throw Refusal.ownerChanged }
    return
  }
  let transfer = try OwnershipTransferBody(decoding: record.body)
  guard body.owner != old.owner, body.author.user == old.owner, !isTrunk(old), transfer.branch == body.branch,
    transfer.owner == old.owner, transfer.successor == body.owner, body.created > 0, body.created <= transfer.expires
  else { throw Refusal.ownerChanged }
  let author = Author(
    user: transfer.successor, device: transfer.device, keyringPosition: transfer.keyringPosition, read: view.head)
  let keyring = try activeAuthor(author, pinned: old.entry(of: transfer.successor)?.keyringPosition ?? 4, view)
  // A device that has ended signs for nobody, though it may name a position where it was active.
  guard let pinned = body.entry(of: body.owner)?.keyringPosition, keyring.device(transfer.device, at: pinned) != nil
  else {
    throw Refusal.deviceUnknown
  }
  try verifySignature(of: record, OwnershipTransferBody.domain, by: author, keyring, view)
}

private func verifyEpoch(_ body: PermissionsBody, after old: PermissionsBody) throws(Refusal) {
  if Defence.branchEpoch.isDown { return }
  if body.epoch == old.epoch {
    guard body.commitment == old.commitment, body.olderKeys == old.olderKeys else { throw .epochWrong }
    let lost = old.entries.filter { $0.letters.contains(.read) && !mayRead($0.user, body) }.map(\.user)
    guard lost.isEmpty || isLeave(body, of: old, by: body.author.user) else { throw .epochWrong }
  } else {
    guard body.epoch == old.epoch + 1, body.commitment != old.commitment, leads(body.olderKeys, to: old.epoch) else {
      throw .epochWrong
    }
  }
}

/// Whether older keys stand in order, the last that of the epoch before. Once there was one for every epoch.
private func leads(_ keys: [OlderKey], to epoch: UInt64) -> Bool {
  let epochs = keys.map(\.epoch)
  return epochs.first.map { $0 > 0 } == true && epochs.last == epoch
    && zip(epochs, epochs.dropFirst()).allSatisfy { $0 < $1 } && keys.allSatisfy { $0.sealed.count == 72 }
}

private func mayRead(_ user: UserID?, _ body: PermissionsBody) -> Bool {
  body.entry(of: user)?.letters.contains(.read) ?? false
}

/// Same users and letters: only pins, generations and keys move on.
private func isRenewal(_ body: PermissionsBody, of old: PermissionsBody, by signer: UserID) -> Bool {
  old.letters(of: signer).contains(.write)
    && body.entries.map(\.user) == old.entries.map(\.user)
    && body.entries.map(\.letters) == old.entries.map(\.letters)
}

/// Only the signer's own entry is gone, and nothing else is touched; an owner cannot leave.
private func isLeave(_ body: PermissionsBody, of old: PermissionsBody, by signer: UserID) -> Bool {
  signer != old.owner && body.epoch == old.epoch && old.entry(of: signer) != nil
    && body.entries == old.entries.filter { $0.user != signer }
}
