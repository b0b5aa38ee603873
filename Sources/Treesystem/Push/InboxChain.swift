import CloudAPI
import Signing

/// Follows the permissions of somebody's inbox from the record that their keyring names. A sender cannot read the inbox,
/// so it checks the chain of records, but not the lines between them.
struct InboxChain {
  let branch: CloudID
  let keyring: Keyring
  let first: Hash32

  func facts(_ records: [SignedRecord]) throws -> InboxFacts {
    var previous: UnverifiedPermissions?
    for record in records {
      let next = try UnverifiedPermissions(record)
      try check(next, after: previous)
      previous = next
    }
    guard let inForce = previous, let owner = inForce.body.entry(of: keyring.user),
      let generation = keyring.generations.first(where: { $0.number == owner.generation })
    else { throw Refusal.firstRecordWrong }
    // A device that was ended has the key of an older generation: the message waits until the inbox has a new one.
    guard generation.number == keyring.generations.last?.number else { throw Refusal.keyringStale }
    return InboxFacts(
      branch: branch, permissions: inForce.hash, epoch: inForce.body.epoch, generation: owner.generation,
      userKey: generation.publicKey)
  }

  private func check(_ next: UnverifiedPermissions, after previous: UnverifiedPermissions?) throws {
    let body = next.body
    guard body.branch == branch && body.owner == keyring.user || Defence.inboxBranch.isDown else {
      throw Refusal.branchMismatch
    }
    if let previous {
      guard body.previous == previous.hash && body.version == previous.body.version + 1 || Defence.inboxChain.isDown
      else {
        throw Refusal.chainBroken
      }
    } else {
      guard next.hash == first && body.version == 1 && body.previous == .zeros || Defence.inboxFirst.isDown else {
        throw Refusal.firstRecordWrong
      }
    }
    guard body.author.user == keyring.user,
      let device = keyring.device(body.author.device, at: body.author.keyringPosition)
    else { throw Refusal.deviceUnknown }
    guard
      device.signKey.verifies(next.record.signature, PermissionsBody.domain, next.record.body)
        || Defence.inboxSignature.isDown
    else {
      throw Refusal.signatureBad
    }
  }
}
