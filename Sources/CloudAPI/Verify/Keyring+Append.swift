import Signing

extension Keyring {
  /// Verifies one entry against the chain before it (spec §2.2, in the order given there); of one that was stored all but the signature.
  mutating func append(_ record: SignedRecord, isStored: Bool) throws(Refusal) {
    guard deleted == nil else { throw .accountDeleted }
    guard position < Limits.keyringEntries else { throw .limitExceeded }
    let entry = try Unverified<KeyringEntryBody>(record)
    let body = entry.body
    guard body.signer == nil || hasRoom(for: body.change) || Defence.keyringReserve.isDown else { throw .limitExceeded }
    guard body.user == user || Defence.entryUser.isDown else { throw .userMismatch }
    guard body.position == position + 1 && body.previous == head || Defence.entryChain.isDown else {
      throw .chainBroken
    }
    if !isStored { try checkSigner(of: body, record) }
    try apply(body)
    entries.append(record)
    head = entry.hash
  }

  /// Whether there is room for what a device signs. In the last places that devices have they do nothing but end each other.
  private func hasRoom(for change: KeyringChange) -> Bool {
    if position < Limits.keyringEntriesOfDevices { return true }
    guard position < Limits.keyringEntriesToEndDevices else { return false }
    return switch change {
    case .revokeDevice: true
    case .rotateUserKey: isKeyDue
    default: false
    }
  }

  /// Whether a device has ended and knows the newest user key.
  private var isKeyDue: Bool {
    let last = generations.last?.position ?? 0
    return devices.values.contains { ($0.ended ?? 0) > last }
  }

  private func checkSigner(of body: KeyringEntryBody, _ record: SignedRecord) throws(Refusal) {
    let key: PublicKey
    if let signer = body.signer {
      guard let device = device(signer) ?? (Defence.entrySigner.isDown ? devices[signer] : nil) else {
        throw .deviceUnknown
      }
      key = device.signKey
    } else {
      key = rootKey
    }
    guard key.verifies(record.signature, KeyringEntryBody.domain, record.body) || Defence.entrySignature.isDown else {
      throw .signatureBad
    }
  }

  private mutating func apply(_ body: KeyringEntryBody) throws(Refusal) {
    switch body.change {
    case .setHandle(let handle, let root, let box):
      guard (body.position == 1) == (root != nil), (body.position == 1) == (box != nil) else { throw .rootMismatch }
      guard isValidHandle(handle) else { throw .malformed }
      self.handle = handle
    case .addDevice(let new): try add(new, body)
    case .revokeDevice(let id, let since): try revoke(id, since: since, at: body.position)
    case .rotateUserKey(let new): try rotate(new, at: body.position)
    case .setTrunks(let trunks):
      guard body.signer == nil, self.trunks == nil else { throw .malformed }
      self.trunks = trunks
    case .deleteAccount:
      for device in devices.values where device.ended == nil { devices[device.id]?.ended = body.position }
      deleted = body.position
    }
  }

  private mutating func add(_ new: KeyringChange.NewDevice, _ body: KeyringEntryBody) throws(Refusal) {
    guard new.device == DeviceID(signKey: new.signKey, boxKey: new.boxKey) else { throw .malformed }
    guard devices[new.device] == nil else { throw .deviceExists }
    let current = generations.last?.number ?? 0
    guard new.generation == 0 || new.generation == current, new.sealedUserKey.count == (new.generation == 0 ? 0 : 80)
    else { throw .malformed }
    devices[new.device] = Device(
      id: new.device, signKey: new.signKey, boxKey: new.boxKey, added: body.position, addedBy: body.signer)
    sealedToNewDevices[new.device] = new
  }

  private mutating func revoke(_ id: DeviceID, since: UInt32, at position: UInt32) throws(Refusal) {
    guard device(id) != nil else { throw .deviceUnknown }
    guard since >= 1, since < position else { throw .malformed }
    devices[id]?.ended = position
    let added = Dictionary(grouping: devices.values) { $0.addedBy }
    var revoked = [(id, since)]
    while let (adder, since) = revoked.popLast() {
      // Through devices that ended before, too: else a thief could shield a device behind one that is gone.
      for device in added[adder] ?? [] where device.added >= since {
        if device.ended == nil { devices[device.id]?.ended = position }
        revoked.append((device.id, device.added))
      }
    }
  }

  private mutating func rotate(_ new: KeyringChange.NewUserKey, at position: UInt32) throws(Refusal) {
    let last = generations.last?.number ?? 0
    guard new.generation == last + 1, new.older.isEmpty == (new.generation == 1) else { throw .generationWrong }
    let recipients: [DeviceID?] = [nil] + activeDevices.map { $0.id }
    guard Set(new.sealed.map(\.device)) == Set(recipients), new.sealed.count == recipients.count,
      new.sealed.allSatisfy({ $0.sealed.count == 80 }), new.older.isEmpty || new.older.count == 72
    else { throw .malformed }
    generations.append(
      Generation(
        number: new.generation, publicKey: new.publicKey, position: position, sealed: new.sealed, older: new.older))
  }
}
