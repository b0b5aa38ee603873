import CloudAPI
public import Signing

extension SyncEngine {
  /// Reads what is new of the account's own keyring, also where this device has ended.
  public func askAboutAccount() async throws {
    try await fetchKeyrings([database.read { try $0.requireAccount().user }], connection())
  }

  /// Deletes this account and all that the server has of it (spec §2.7). What is on this device stays as it is.
  public func deleteAccount() async throws {
    try await database.syncing {
      try await append(connection()) { try $0.entriesDeletingAccount() }
    }
  }

  /// Ends a device of this account and draws a new user key that it does not get. What it could read stays known to it; lists
  /// get new keys with the next syncs of those who may write on them.
  public func endDevice(_ device: DeviceID, withAdded: Bool) async throws {
    try await database.syncing {
      try await append(connection()) { try $0.entries(ending: device, withAdded: withAdded) }
      // They wait in the queue like everything that is still to be sent.
      try database.write { try $0.queueRenewals() }
    }
  }

  /// Ends this device, whose user signs out, unless it has ended. Whoever calls this keeps others from syncing meanwhile
  /// (`CloudDatabase.whileNothingSyncs`). What this device has stays as it is. Throws `.refused(.deviceUnknown)` where the server has never
  /// heard of it: what this device has may be nowhere else then.
  public func endThisDevice() async throws {
    do {
      try await append(connection()) { try $0.entriesEndingThisDevice() }
    } catch CloudFailure.refused(.deviceUnknown) {
      // Another device may have ended it just now.
      await learnEnd()
      guard try database.read({ try $0.accountEnd() }) != nil else { throw CloudFailure.refused(.deviceUnknown) }
    }
  }

  /// Draws the user key that a device did not get which has ended itself: it could not.
  func drawKeyAfterEnding(_ connection: CloudConnection) async throws {
    guard try database.read({ try $0.lacksKeyAfterEnding() }) else { return }
    do {
      try await append(connection) { try $0.entriesDrawingKey() }
    } catch DeviceFailure.tooOften {
      // A later sync draws it.
    } catch DeviceFailure.noRoom {
      // Nor is there a place for a device that would use it.
    }
  }
}
