import CloudAPI
import Sealing
import Signing

/// The keys of a trunk of one's own, from its permissions records alone: where they stand in the log is told by reading that (spec §6.6).
struct NewestKeys {
  private var keys: [Hash32: BranchKey] = [:]
  private var epochs: [Hash32: UInt64] = [:]

  init(_ records: [WireSignedRecord], of trunk: Trunk, _ owner: Keyring, in transaction: CloudTransaction) throws {
    let branch = trunk.cloudID(of: owner.user)
    var before: (version: UInt64, hash: Hash32) = (0, .zeros)
    for wire in records {
      let record = try UnverifiedPermissions(SignedRecord(wire))
      let body = record.body
      guard body.branch == branch else { throw Refusal.branchMismatch }
      guard body.owner == owner.user, body.author.user == owner.user else { throw Refusal.ownerChanged }
      guard body.version == before.version + 1, body.previous == before.hash else {
        throw Refusal.permissionsSuperseded
      }
      guard body.version > 1 || record.hash == owner.trunks?.firstPermissions(of: trunk) else {
        throw Refusal.firstRecordWrong
      }
      try owner.requireSigned(record.record, PermissionsBody.domain, by: body.author)
      before = (body.version, record.hash)
      epochs[record.hash] = body.epoch
      keys[record.hash] = try Self.key(of: body, for: owner.user, transaction)
    }
    guard before.version > 0 else { throw Refusal.rowMissing }
  }

  /// Nil where this device lacks the user key that it is sealed to.
  private static func key(
    of body: PermissionsBody, for user: UserID, _ transaction: CloudTransaction
  ) throws -> BranchKey? {
    guard let entry = body.entry(of: user), entry.letters.contains(.read),
      let userKey = try transaction.userKey(generation: entry.generation)
    else { return nil }
    guard let secret = userKey.box.open(sealedBox: entry.sealedKey), secret.count == 32 else {
      throw Refusal.keyMismatch
    }
    let key = BranchKey(branch: body.branch, epoch: body.epoch, secret: secret)
    guard key.commitment == body.commitment else { throw Refusal.keyMismatch }
    return key
  }

  /// The key that a header's node key is wrapped under.
  func key(of header: HeaderBody) throws(Refusal) -> BranchKey {
    guard let epoch = epochs[header.permissions] else { throw .permissionsUnknown }
    guard epoch == header.epoch else { throw .epochWrong }
    guard let key = keys[header.permissions] else { throw .keyMismatch }
    return key
  }
}

extension Keyring {
  /// Refuses what no device of this person's signed that was active at the position which the record names.
  func requireSigned(_ record: SignedRecord, _ domain: Domain, by author: Author) throws(Refusal) {
    guard position >= author.keyringPosition else { throw .keyringStale }
    guard let device = device(author.device, at: author.keyringPosition) else { throw .deviceUnknown }
    guard device.signKey.verifies(record.signature, domain, record.body) || Defence.newestSignature.isDown else {
      throw .signatureBad
    }
  }
}
