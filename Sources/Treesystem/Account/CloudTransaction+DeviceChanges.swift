import CloudAPI
public import Signing

/// That another device of the account came, or ended: somebody who has the recovery words could be behind it.
public struct DeviceChange: Hashable, Sendable {
  /// What became of a device.
  public enum Kind: String, Sendable {
    /// It may sign for the account from then on.
    case added
    /// It may not any more.
    case ended
  }

  /// What became of it.
  public let kind: Kind
  /// Which one.
  public let device: DeviceID
  /// The device that did it; nil: the recovery words did.
  public let by: DeviceID?
  /// Milliseconds since 1970, by the clock of whoever did it.
  public let time: Int64
}

extension CloudTransaction {
  /// What became of this account's other devices since this one is among them, but for what this one did; the first first.
  public func deviceChanges() throws -> [DeviceChange] {
    guard let account = try account(), let keyring = try keyring(account.user),
      let own = keyring.devices[account.device]
    else { return [] }
    var changes: [(position: UInt32, change: DeviceChange)] = []
    for device in keyring.devices.values where device.id != account.device {
      for (kind, position) in [(DeviceChange.Kind.added, device.added), (.ended, device.ended ?? 0)] {
        // An account that is no more says so by itself.
        guard position > own.added, position != keyring.deleted else { continue }
        let entry = try KeyringEntryBody(decoding: keyring.entries[Int(position) - 1].body)
        if entry.signer == account.device { continue }
        let change = DeviceChange(
          kind: kind, device: device.id, by: entry.signer, time: min(entry.created, clock.now()))
        changes.append((position, change))
      }
    }
    return changes.sorted { $0.position < $1.position }.map(\.change)
  }
}
