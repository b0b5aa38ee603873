package import CloudAPI
import Sealing
import Signing

extension CloudTransaction {
  /// The epochs of a branch that open with what is on this device and what is public: the branch keys that are here, what these
  /// records seal to a key of this user's, what this keyring seals to this device, and the older epochs that those lead to.
  package func reach(_ records: [PermissionsBody], of keyring: Keyring) throws -> Set<UInt64> {
    guard let branch = try records.first.flatMap({ try self.branch($0.branch) }) else {
      return try reach(records, of: keyring) { _ in nil }
    }
    return try reach(records, of: keyring) { try self.branchKey(of: branch, epoch: $0) }
  }

  private func reach(
    _ records: [PermissionsBody], of keyring: Keyring, stored: (UInt64) throws -> SecretBytes?
  ) throws -> Set<UInt64> {
    let identity = try identity()
    let userKeys = try self.userKeys(of: keyring)
    var open: Set<UInt64> = []
    var found: [UInt64: [SecretBytes]] = [:]
    // Older keys follow from newer ones.
    for record in records.reversed() {
      let sealed = record.entry(of: identity.user).flatMap { entry in
        userKeys.first { $0.generation == entry.generation }?.box.open(sealedBox: entry.sealedKey)
      }
      let secrets = try [stored(record.epoch), sealed].compactMap { $0 } + found[record.epoch, default: []]
      let key = secrets.map { BranchKey(branch: record.branch, epoch: record.epoch, secret: $0) }
        .first { $0.commitment == record.commitment }
      guard let key, open.insert(record.epoch).inserted else { continue }
      for older in record.olderKeys {
        guard let candidate = key.open(older: older.sealed, epoch: older.epoch) else { continue }
        found[older.epoch, default: []].append(candidate.secret)
      }
    }
    return open
  }

  private func userKeys(of keyring: Keyring) throws -> [UserKey] {
    let identity = try identity()
    let box = BoxKey(secret: identity.boxSecret)
    return try keyring.generations.compactMap { generation in
      if let known = try userKey(generation: generation.number) { return known }
      let sealed = generation.sealed.first { $0.device == identity.device }?.sealed
      return sealed.flatMap { box.open(sealedBox: $0) }.map {
        UserKey(generation: generation.number, box: BoxKey(secret: $0))
      }
    }
  }
}
