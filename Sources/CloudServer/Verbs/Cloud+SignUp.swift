import CloudAPI
import Signing

extension Cloud {
  /// Makes an account with its four trunks (spec §2.2, §3.4). A repeat of the very same sign-up is answered alike.
  func signUp(_ request: CloudRequest) throws -> CloudResponse {
    let message = try decode(WireSignUp.self, request.body)
    try policy.admit(token: message.token, isLocal: request.isLocal)
    try Problem.ofRecord {
      guard message.keyring.count == 4, message.permissions.count == 4 else { throw Refusal.malformed }
      let entries = try message.keyring.map { try SignedRecord($0) }
      let permissions = try message.permissions.map { try SignedRecord($0) }
      let keyring = try Self.newKeyring(entries)
      checkSignatures(of: permissions, by: keyring)
      try storage.write { try signUp(keyring, permissions, of: request, in: $0) }
    }
    return CloudResponse(status: 201)
  }

  private func signUp(
    _ keyring: Keyring, _ permissions: [SignedRecord], of request: CloudRequest, in storage: any CloudStorageTransaction
  ) throws {
    let user = keyring.user
    if try isRepeat(keyring, permissions, in: storage) { return }
    guard try storage.keyringHead(of: user) == nil else { throw Problem(.chainBroken) }
    guard try storage.user(handle: keyring.handle) == nil else { throw Problem(.handleTaken) }
    try checkHandles(of: request)
    try storage.addAccount(user)
    try storage.claim(handle: keyring.handle, for: user)
    for (entry, position) in zip(keyring.entries, UInt32(1)...) {
      try storage.append(entry, hash: entry.hash, at: position, to: user)
    }
    try storage.storeSigners(of: keyring, after: nil)
    for (trunk, record) in zip(Trunk.allCases, permissions) {
      let first = keyring.trunks?.firstPermissions(of: trunk)
      let branch = try StoredBranch(trunk.cloudID(of: user), in: storage, memory, firstPermissions: first)
      let record = try UnverifiedPermissions(record)
      guard branch.permissions == nil, record.hash == first else { throw Refusal.firstRecordWrong }
      try Self.checkEntries(of: record.body, trunk, user)
      try branch.append(try verify(record, in: branch), to: storage)
    }
    countHandle(of: request)
  }

  /// Refuses one more handle to an address that has taken its share today.
  func checkHandles(of request: CloudRequest) throws {
    guard !request.isLocal, !request.origin.isEmpty else { return }
    do {
      try signUps.check(request.origin, now: clock.now())
    } catch {
      // It is about who asks, and not about a record.
      throw Problem(error)
    }
  }

  /// Counts a handle for the address that took it.
  func countHandle(of request: CloudRequest) {
    guard !request.isLocal, !request.origin.isEmpty else { return }
    signUps.take(request.origin, now: clock.now())
  }

  /// Before anybody else has to wait for it.
  private func checkSignatures(of permissions: [SignedRecord], by keyring: Keyring) {
    for record in permissions {
      guard let author = try? PermissionsBody(decoding: record.body).author,
        let key = keyring.devices[author.device]?.signKey
      else { continue }
      _ = memory.signatures.verifies(key, record.signature, PermissionsBody.domain, record.body)
    }
  }

  private func isRepeat(
    _ keyring: Keyring, _ permissions: [SignedRecord], in storage: any CloudStorageTransaction
  ) throws -> Bool {
    let stored = try storage.keyringEntries(of: keyring.user, after: 0).prefix(4)
    guard Array(stored) == keyring.entries else { return false }
    for (trunk, record) in zip(Trunk.allCases, permissions) {
      let branch = trunk.cloudID(of: keyring.user)
      guard try storage.head(of: branch, atRecord: record.hash)?.line == 1 else { return false }
    }
    return true
  }

  /// Exactly the four entries of spec §2.2, all signed by the root.
  private static func newKeyring(_ entries: [SignedRecord]) throws -> Keyring {
    let bodies = try entries.map { try KeyringEntryBody(decoding: $0.body) }
    guard let user = bodies.first?.user else { throw Refusal.malformed }
    let keyring = try Keyring(user: user, entries: entries)
    guard bodies.allSatisfy({ $0.signer == nil }), case .setHandle = bodies[0].change,
      case .addDevice(let device) = bodies[1].change, device.generation == 0,
      case .rotateUserKey(let key) = bodies[2].change, key.generation == 1, case .setTrunks = bodies[3].change
    else { throw Refusal.malformed }
    return keyring
  }

  /// The owner with `rws`, pinned at position 3; in the inbox anyone with `WB` as well (spec §3.4).
  private static func checkEntries(of body: PermissionsBody, _ trunk: Trunk, _ user: UserID) throws(Refusal) {
    let owner = body.entry(of: user)
    guard body.owner == user, owner?.letters == [.read, .write, .share], owner?.keyringPosition == 3,
      body.entry(of: nil)?.letters == (trunk == .inbox ? [.writeOnce, .burn] : nil),
      body.entries.count == (trunk == .inbox ? 2 : 1)
    else { throw .firstRecordWrong }
  }
}
