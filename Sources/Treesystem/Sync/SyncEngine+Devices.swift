import CloudAPI
public import Signing
import SwiftProtobuf

extension SyncEngine {
  /// Ends a device of this account and draws a new user key that it does not get. What it could read stays known to it; lists
  /// get new keys with the next syncs of those who may write on them.
  public func endDevice(_ device: DeviceID, withAdded: Bool) async throws {
    let connection = try connection()
    let user = try database.read { try $0.requireAccount().user }
    for attempt in 1... {
      try await fetchKeyrings([user], connection)
      guard let entries = try database.read({ try $0.entries(ending: device, withAdded: withAdded) }) else { return }
      let append = WireKeyringAppend.with {
        $0.user = data(user.bytes)
        $0.entries = entries.map(\.wire)
      }
      do {
        try await connection.call(.keyringAppend, append)
        return try database.write { _ = try $0.extendKeyring(user, with: entries) }
      } catch CloudFailure.refused(.chainBroken) where attempt < Self.appendAttempts {
        // The keyring has grown meanwhile.
      }
    }
  }

  private static let appendAttempts = 4
}
