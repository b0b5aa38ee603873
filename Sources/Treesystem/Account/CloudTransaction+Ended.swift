import CloudAPI
public import Signing

/// That this device is none of the account's any more, by a signed entry of its keyring.
public struct AccountEnd: Hashable, Sendable {
  /// Nil: it was done with the 24 words.
  public let by: DeviceID?
  /// Milliseconds since 1970, by the clock of whoever did it.
  public let at: Int64
  /// Whether the whole account was deleted.
  public let isDeletion: Bool
}

extension CloudTransaction {
  /// How this device has ended, if it has and its keyring was read that far.
  public func accountEnd() throws -> AccountEnd? {
    guard let account = try account(), let keyring = try keyring(account.user),
      let ended = keyring.devices[account.device]?.ended
    else { return nil }
    let entry = try KeyringEntryBody(decoding: keyring.entries[Int(ended) - 1].body)
    return AccountEnd(by: entry.signer, at: entry.created, isDeletion: keyring.deleted == ended)
  }

  /// The devices that a device has added, and those that they have, which have not ended.
  public func devices(addedBy device: DeviceID) throws -> [DeviceID] {
    guard let keyring = try account().flatMap({ try keyring($0.user) }) else { return [] }
    var (found, next): ([DeviceID], [DeviceID]) = ([], [device])
    while let adder = next.popLast() {
      let added = keyring.devices.values.filter { $0.addedBy == adder }.map(\.id).sorted()
      found += added
      next += added
    }
    return found.filter { keyring.device($0) != nil }
  }
}
