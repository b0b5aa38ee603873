import Signing

/// The one judge of records: the server asks it before it stores, every client before it believes (spec §3 to §5).
/// Nothing in it reads a clock, a disk or a network; `view` is the branch just before the record's line.
public func verify(_ header: UnverifiedHeader, in view: some BranchView) throws -> Header {
  let body = header.body
  guard body.branch == view.branch || Defence.recordBranch.isDown else { throw Refusal.branchMismatch }
  let permissions = try permissionsInForce(body.permissions, body.epoch, view)
  let isMessage = body.recipient != nil
  let keyring = try verifyAuthor(body.author, permissions: permissions, view)
  try verifySignature(of: header.record, HeaderBody.domain, by: body.author, keyring, view)
  guard !isMessage || permissions.body.entry(of: nil) != nil || Defence.message.isDown else {
    throw Refusal.messageWrong
  }
  // The inbox pins nobody, so no record in it tells when a device ended: its keyring does.
  guard
    !isMessage || keyring.device(body.author.device, at: keyring.position) != nil || Defence.endedSender.isDown
  else {
    throw Refusal.deviceUnknown
  }
  guard permissions.body.admits(body) || Defence.letter.isDown else { throw Refusal.letterMissing }
  let before = try view.node(body.cloudID)
  guard
    body.previous == before?.hash ?? .zeros && body.version == (before?.lines ?? 0) + 1 || Defence.nodeVersion.isDown
  else {
    throw Refusal.versionStale
  }
  try verifyLife(body, before)
  try verifyRead(body.author.read, view)
  if isMessage { try verifyMessage(body, permissions.body, view) }
  try verifyKeysAndContents(body, before)
  try verifyForm(body, before)
  return Header(believing: header)
}

/// Judges a deletion like a header; the server looks for unseen children besides (spec §5.6).
public func verify(_ tombstone: UnverifiedTombstone, in view: some BranchView) throws -> Tombstone {
  let body = tombstone.body
  guard body.branch == view.branch || Defence.recordBranch.isDown else { throw Refusal.branchMismatch }
  let permissions = try permissionsInForce(body.permissions, body.epoch, view)
  let keyring = try verifyAuthor(body.author, permissions: permissions, view)
  try verifySignature(of: tombstone.record, TombstoneBody.domain, by: body.author, keyring, view)
  guard permissions.body.admits(body) || Defence.letter.isDown else { throw Refusal.letterMissing }
  let before = try view.node(body.cloudID)
  guard before.map({ succeeds(body, $0) }) ?? false || Defence.nodeVersion.isDown else { throw Refusal.versionStale }
  try verifyRead(body.author.read, view)
  return Tombstone(believing: tombstone)
}

private func succeeds(_ body: TombstoneBody, _ before: NodeState) -> Bool {
  !before.isDeleted && body.previous == before.hash && body.version == before.lines + 1
    && goesOn(body.revived, before)
}

private func permissionsInForce(_ named: Hash32, _ epoch: UInt64, _ view: some BranchView) throws -> PermissionsInForce
{
  guard let permissions = view.permissions else { throw Refusal.permissionsUnknown }
  guard permissions.hash == named || Defence.permissionsInForce.isDown else {
    throw try view.wasInForce(named) ? Refusal.permissionsSuperseded : Refusal.permissionsUnknown
  }
  guard permissions.body.epoch == epoch || Defence.headerEpoch.isDown else { throw Refusal.epochWrong }
  guard !permissions.body.isClosed || Defence.closed.isDown else { throw Refusal.branchClosed }
  return permissions
}

/// Nothing is pinned for anyone: whoever writes under the letters of `*` is taken at their keyring's word.
private func verifyAuthor(_ author: Author, permissions: PermissionsInForce, _ view: some BranchView) throws -> Keyring
{
  let pinned = permissions.body.entry(of: author.user)?.keyringPosition ?? 0
  return try activeAuthor(author, pinned: pinned, view)
}

func activeAuthor(_ author: Author, pinned: UInt32, _ view: some BranchView) throws -> Keyring {
  guard let keyring = try view.keyring(author.user),
    keyring.position >= author.keyringPosition || Defence.keyringLength.isDown
  else {
    throw Refusal.keyringStale
  }
  guard author.keyringPosition >= pinned || Defence.pinnedPosition.isDown else { throw Refusal.keyringStale }
  guard keyring.device(author.device, at: author.keyringPosition) != nil || Defence.activeDevice.isDown else {
    throw Refusal.deviceUnknown
  }
  return keyring
}

func verifySignature(
  of record: SignedRecord, _ domain: Domain, by author: Author, _ keyring: Keyring, _ view: some BranchView
) throws(Refusal) {
  guard let device = keyring.devices[author.device] else { throw .deviceUnknown }
  guard view.verifies(device.signKey, record.signature, domain, record.body) || Defence.signature.isDown else {
    throw .signatureBad
  }
}

/// Which life of the node this is: what lay below a node that went stays gone until it gets a line of its own, and readers
/// who never saw the lines between have to agree about that. Only the author's word counts: a line's kind is the server's.
private func verifyLife(_ body: HeaderBody, _ before: NodeState?) throws(Refusal) {
  if Defence.life.isDown { return }
  guard let before else {
    guard body.revived == 0 else { throw .versionStale }
    return
  }
  let begins = body.revived == body.version
  let isGone = before.isDeleted ? true : before.isGone
  let goesOn = goesOn(body.revived, before)
  guard isGone.map({ $0 ? begins : goesOn }) ?? (begins || goesOn) else { throw .versionStale }
}

/// Whether this is the life that the header before belongs to, and none from before a tombstone.
private func goesOn(_ revived: UInt64, _ before: NodeState) -> Bool {
  Defence.life.isDown
    || before.header.map { $0.revived == revived } ?? true
      && (before.lastTombstone == 0 || revived > before.lastTombstone)
}

/// Who read a node once and who comes later take it for the same thing, so nothing becomes another in one life. A branch's root is no file.
private func verifyForm(_ body: HeaderBody, _ before: NodeState?) throws(Refusal) {
  guard body.parent != nil || body.form != .file else { throw .malformed }
  guard let header = before?.header, before?.isDeleted == false, header.revived == body.revived else { return }
  guard header.form == body.form || Defect.formForgotten.isPlanted else { throw .malformed }
}

private func verifyRead(_ read: LogHead, _ view: some BranchView) throws {
  if Defence.readLine.isDown { return }
  guard read.line <= view.head.line, try view.logHash(at: read.line) == read.hash else { throw Refusal.readWrong }
}

private func verifyMessage(_ body: HeaderBody, _ permissions: PermissionsBody, _ view: some BranchView) throws {
  if Defence.message.isDown { return }
  guard let recipient = body.recipient, recipient == permissions.owner, permissions.entry(of: nil) != nil,
    permissions.entry(of: recipient)?.generation == body.recipientGeneration,
    body.version == 1, body.previous == .zeros, body.author.read == LogHead(startOf: view.branch),
    body.parent == view.branch
  else { throw Refusal.messageWrong }
}

private func verifyKeysAndContents(_ body: HeaderBody, _ before: NodeState?) throws(Refusal) {
  // A header that was superseded before this reader came is not there to compare with.
  let header = before?.header
  for content in body.contents where content.device != body.author.device && (header != nil || before == nil) {
    guard header?.contents.contains(content) ?? false || Defence.contentOwner.isDown else { throw .contentUnknown }
  }
  guard let header, let before else { return }
  if header.epoch != body.epoch {
    guard
      header.wrappedKey != body.wrappedKey && header.keyCommitment != body.keyCommitment
        || Defence.nodeKeyReused.isDown
    else {
      throw .nodeKeyReused
    }
  } else if !before.isDeleted {
    guard
      header.wrappedKey == body.wrappedKey && header.keyCommitment == body.keyCommitment || Defence.nodeKey.isDown
    else {
      throw .nodeKeySwapped
    }
  }
}
