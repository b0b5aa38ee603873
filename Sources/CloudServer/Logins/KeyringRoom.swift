import CloudAPI
import Signing

/// What an append means for the room in a keyring (spec §2.5): a thief must leave enough for ending each device, and for the root.
struct KeyringRoom {
  let before: Keyring
  let after: Keyring
  /// What is new in `after`. It has been verified.
  let entries: [SignedRecord]
  let bodies: [KeyringEntryBody]

  init(before: Keyring, after: Keyring, entries: [SignedRecord]) {
    (self.before, self.after, self.entries) = (before, after, entries)
    bodies = entries.compactMap { try? KeyringEntryBody(decoding: $0.body) }
  }

  /// How many entries devices have signed.
  var signedByDevices: Int { bodies.count { $0.signer != nil } }

  /// Whether it ends a device, or all, and does little else.
  var isEnding: Bool {
    let isEnding = bodies.contains { if case .revokeDevice = $0.change { true } else { $0.change == .deleteAccount } }
    // Else a thief adds a device and ends it again, as often as they like.
    let isAdding = bodies.contains { if case .addDevice = $0.change { true } else { false } }
    return isEnding && !isAdding && entries.count <= ServerLimits.entriesToEnd
  }

  /// Refuses what leaves too little.
  func check() throws(Refusal) {
    if signedByDevices == 0 { return }
    var keyring = before
    for (body, record) in zip(bodies, entries) {
      try keyring.append(stored: [record])
      guard body.signer != nil else { continue }
      if case .addDevice = body.change, keyring.activeDevices.count > Limits.devices { throw .limitExceeded }
      guard record.body.count <= Self.limit(of: body.change, in: keyring) else { throw .limitExceeded }
    }
    let bytes = after.entries.reduce(0) { $0 + $1.body.count }
    let limit = isEnding ? ServerLimits.keyringBytesToEndDevices : ServerLimits.keyringBytesOfDevices
    guard bytes <= limit else { throw .limitExceeded }
  }

  /// Of a body, in bytes.
  private static func limit(of change: KeyringChange, in keyring: Keyring) -> Int {
    guard case .rotateUserKey = change else { return ServerLimits.entryBytes }
    return ServerLimits.entryBytes + ServerLimits.sealedUserKeyBytes * (keyring.activeDevices.count + 1)
  }
}
