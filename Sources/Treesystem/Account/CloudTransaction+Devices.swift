import CloudAPI
import GRDB
import Sealing
public import Signing

/// Why a device cannot be ended or added.
public enum DeviceFailure: Error, Equatable, Sendable {
  /// The account has no such device, or had it long ago.
  case unknown
  /// This one: another has to end it.
  case thisOne
  /// No device wants to be added, or not this one any more.
  case noLogin
  /// No device that wants to be added shows this code; so many more may be tried.
  case wrongCode(left: Int)
  /// Too many wrong codes: the devices that wanted to be added have to ask again.
  case withdrawn
  /// A device that wants to be added is not what it was.
  case untrusted
  /// The keyring has no room for what a device signs; the root still has some.
  case noRoom
  /// The account has as many devices as one may have.
  case tooManyDevices
  /// The devices of this account have signed as much as a day allows.
  case tooOften

  /// Tells a keyring that is full from one that is wrong.
  static func checkingRoom(_ body: () throws -> Void) throws {
    do { try body() } catch Refusal.limitExceeded { throw noRoom }
  }
}

/// A device of an account, as its keyring tells.
public struct AccountDevice: Hashable, Sendable {
  /// Which one.
  public let id: DeviceID
  /// Milliseconds since 1970, by the clock of whoever added it.
  public let added: Int64
  /// Nil: it was added with the 24 words.
  public let addedBy: DeviceID?
  /// Nil while it is active.
  public let ended: Int64?
  /// The device that ended it: perhaps itself. Nil while it is active, and where it was ended with the 24 words.
  public let endedBy: DeviceID?
  /// Whether it is the one that this runs on.
  public let isThisOne: Bool
}

extension CloudTransaction {
  /// The devices of this account in the order in which they were added, as far as its keyring was read.
  public func devices() throws -> [AccountDevice] {
    let account = try requireAccount()
    guard let keyring = try keyring(account.user) else { return [] }
    let entries = try keyring.entries.map { try KeyringEntryBody(decoding: $0.body) }
    return keyring.devices.values.sorted { $0.added < $1.added }.map { device in
      AccountDevice(
        id: device.id, added: entries[Int(device.added) - 1].created, addedBy: device.addedBy,
        ended: device.ended.map { entries[Int($0) - 1].created },
        endedBy: device.ended.flatMap { entries[Int($0) - 1].signer }, isThisOne: device.id == account.device)
    }
  }

  /// The keyring entries that end a device and draw a user key which it does not get; nil if all of that is done.
  ///
  /// What it added stays, unless `withAdded`: then all of it ends, but for what this device hangs on.
  func entries(ending device: DeviceID, withAdded: Bool) throws -> [SignedRecord]? {
    let account = try requireAccount()
    guard let keyring = try keyring(account.user), let target = keyring.devices[device] else {
      throw DeviceFailure.unknown
    }
    guard device != account.device else { throw DeviceFailure.thisOne }
    if target.ended != nil { return try entriesDrawingKey() }
    let identity = try identity()
    var chain = try revocation(of: device, in: keyring, withAdded: withAdded)
    try DeviceFailure.checkingRoom {
      var after = keyring
      try after.append(chain.records)
      guard after.device(account.device) != nil else { throw DeviceFailure.noRoom }
      chain.append(.rotateUserKey(try newUserKey(for: after)), signedBy: identity.signingKey, signer: identity.device)
      after = keyring
      try after.append(chain.records)
    }
    return chain.records
  }

  /// The keyring entries that end this device at its user's word; nil if it has ended. What it added stays.
  ///
  /// It cannot draw the user key that follows: that is for those that stay (`entriesDrawingKey`).
  func entriesEndingThisDevice() throws -> [SignedRecord]? {
    let account = try requireAccount()
    guard let keyring = try keyring(account.user) else { throw DeviceFailure.unknown }
    guard keyring.device(account.device) != nil else { return nil }
    let chain = try revocation(of: account.device, in: keyring, withAdded: false)
    try DeviceFailure.checkingRoom {
      var after = keyring
      try after.append(chain.records)
    }
    return chain.records
  }

  /// The keyring entry with a user key that a device which has ended does not get; nil where there is one already.
  func entriesDrawingKey() throws -> [SignedRecord]? {
    guard let keyring = try keyring(requireAccount().user), keyring.lacksKeyAfterEnding else { return nil }
    let identity = try identity()
    guard keyring.device(identity.device) != nil else { return nil }
    var chain = KeyringChain(after: keyring, now: clock.now())
    chain.append(.rotateUserKey(try newUserKey(for: keyring)), signedBy: identity.signingKey, signer: identity.device)
    try DeviceFailure.checkingRoom {
      var after = keyring
      try after.append(chain.records)
    }
    return chain.records
  }

  func lacksKeyAfterEnding() throws -> Bool {
    try keyring(requireAccount().user)?.lacksKeyAfterEnding ?? false
  }

  private func revocation(of device: DeviceID, in keyring: Keyring, withAdded: Bool) throws -> KeyringChain {
    let identity = try identity()
    var chain = KeyringChain(after: keyring, now: clock.now())
    var since = keyring.lastAddition(by: device, keeping: withAdded ? identity.device : nil) + 1
    // The entry to revoke from has to be there already. In a full keyring what was added last ends as well.
    if since > keyring.position, keyring.position >= Limits.keyringEntriesOfDevices {
      since = keyring.position
    } else if since > keyring.position {
      chain.append(
        .setHandle(keyring.handle, rootKey: nil, rootBoxKey: nil), signedBy: identity.signingKey,
        signer: identity.device)
    }
    chain.append(.revokeDevice(device, since: since), signedBy: identity.signingKey, signer: identity.device)
    return chain
  }

  /// The next generation of this account's key, sealed to the root and every device that is active now.
  func newUserKey(for keyring: Keyring) throws -> KeyringChange.NewUserKey {
    let last = keyring.generations.last?.number ?? 0
    // A thief may have drawn a generation that opens for nobody else: ending their device does not depend on it.
    let older = try userKey(generation: last)
    return .init(UserKey(generation: last + 1, box: BoxKey(entropy)), over: older, of: keyring, entropy)
  }

  /// Opens the generations of this account's key that were sealed to this device since it was added.
  func openUserKeys(of keyring: Keyring) throws {
    let identity = try identity()
    guard keyring.user == identity.user else { return }
    let box = BoxKey(secret: identity.boxSecret)
    for generation in keyring.generations where try userKey(generation: generation.number) == nil {
      guard let sealed = generation.sealed.first(where: { $0.device == identity.device })?.sealed,
        let secret = box.open(sealedBox: sealed), secret.count == 32
      else { continue }
      let key = UserKey(generation: generation.number, box: BoxKey(secret: secret))
      // One that others do not seal to opens nothing; `doctor` tells that it is missing.
      if key.box.publicKey == generation.publicKey { try setUserKey(key) }
    }
  }
}

extension KeyringChange.NewUserKey {
  /// A generation for the root and every device that is active now. Where the one before is not known, nothing opens it.
  init(_ key: UserKey, over older: UserKey?, of keyring: Keyring, _ entropy: some Entropy) {
    let root = KeyringChange.SealedUserKey(
      device: nil, sealed: keyring.rootBoxKey.sealBox(key.box.secret, entropy))
    let devices = keyring.activeDevices.map { device in
      KeyringChange.SealedUserKey(device: device.id, sealed: device.boxKey.sealBox(key.box.secret, entropy))
    }
    self.init(
      generation: key.generation, publicKey: key.box.publicKey, sealed: [root] + devices,
      older: older.map { key.seal(older: $0, of: keyring.user, entropy) } ?? entropy.bytes(72))
  }
}

extension Keyring {
  /// Whether a device ended after the newest user key was drawn. Those of an account that is deleted need none.
  var lacksKeyAfterEnding: Bool {
    let drawn = generations.last?.position ?? 0
    return deleted == nil && devices.values.contains { ($0.ended ?? 0) > drawn }
  }

  /// The last entry by which a device added another one; with `keeping`, one that a device hangs on. 0: there is none.
  fileprivate func lastAddition(by adder: DeviceID, keeping device: DeviceID?) -> UInt32 {
    guard let device else { return devices.values.filter { $0.addedBy == adder }.map(\.added).max() ?? 0 }
    var last: UInt32 = 0
    var next = devices[device]
    while let here = next {
      if here.addedBy == adder { last = max(last, here.added) }
      next = here.addedBy.flatMap { devices[$0] }
    }
    return last
  }
}
