import CloudAPI
import Signing

extension Cloud {
  /// Extends a keyring. Entries that are there already, byte for byte, are not appended again.
  func appendToKeyring(_ request: CloudRequest) throws -> CloudResponse {
    let signature = try RequestSignature(of: request)
    let message = try decode(WireKeyringAppend.self, request.body)
    let user: UserID = try fixed(message.user)
    let entries = try message.entries.map { try SignedRecord($0) }
    guard let first = try entries.first.map({ try KeyringEntryBody(decoding: $0.body) }) else {
      throw Refusal.malformed
    }
    guard signature.caller.user == user else { throw Refusal.deviceUnknown }
    guard first.position >= 1 else { throw Problem(record: .chainBroken) }
    var isAdmitted = false
    // Nobody waits while signatures are checked; whoever was faster is followed, a few times.
    for _ in 0..<Self.appendAttempts {
      guard let before = try storage.read({ try memory.keyring(of: user, in: $0) }) else {
        throw Refusal.deviceUnknown
      }
      if !isAdmitted, let key = Self.signer(signature.caller, at: first.position, before) {
        try admit(signature, of: request, key)
        isAdmitted = true
      }
      let after = try Problem.ofRecord { try Self.extend(before, by: entries, from: first.position) }
      if !isAdmitted {
        guard let key = signature.caller.device.flatMap({ after.device($0)?.signKey }) else {
          throw Refusal.deviceUnknown
        }
        try admit(signature, of: request, key)
        isAdmitted = true
      }
      guard try append(after, to: before, of: request) else { continue }
      hub.end(of: user) { after.device($0) != nil }
      return CloudResponse(status: 200)
    }
    throw Refusal.tooMany
  }

  private static let appendAttempts = 8

  /// Keeps what is new of a keyring. Returns false where it has another end by now.
  private func append(_ after: Keyring, to before: Keyring, of request: CloudRequest) throws -> Bool {
    let new = Array(after.entries.dropFirst(before.entries.count))
    let room = KeyringRoom(before: before, after: after, entries: new)
    try room.check()
    let isEnd = after.deleted != nil && !new.isEmpty
    let isKept = try storage.write { storage in
      guard try storage.keyringHead(of: after.user)?.hash == before.head else { return false }
      try allowance.take(room, of: after.user, now: clock.now())
      try keep(after, before, of: request, in: storage)
      if isEnd { try beginDeletingBranches(of: after.user, in: storage) }
      return true
    }
    if isKept, isEnd { finishDeletions() }
    return isKept
  }

  static func extend(
    _ keyring: Keyring, by entries: [SignedRecord], from position: UInt32
  ) throws(Refusal) -> Keyring {
    guard position >= 1, position <= keyring.position + 1 else { throw .chainBroken }
    let known = keyring.entries.dropFirst(Int(position) - 1).prefix(entries.count)
    guard known.elementsEqual(entries.prefix(known.count)) else { throw .chainBroken }
    var extended = keyring
    try extended.append(Array(entries.dropFirst(known.count)))
    return extended
  }

  /// The key of the root, or of a device that is active before these entries: one may end itself.
  private static func signer(_ caller: Caller, at position: UInt32, _ before: Keyring) -> PublicKey? {
    guard let id = caller.device else { return before.rootKey }
    return (before.device(id, at: position - 1) ?? before.device(id))?.signKey
  }

  func keep(
    _ after: Keyring, _ before: Keyring, of request: CloudRequest, in storage: any CloudStorageTransaction
  ) throws {
    let bytes = after.entries.reduce(0) { $0 + $1.body.count }
    guard bytes <= ServerLimits.keyringBytes else { throw Refusal.limitExceeded }
    for (index, entry) in after.entries.enumerated().dropFirst(before.entries.count) {
      try storage.append(entry, hash: entry.hash, at: UInt32(index + 1), to: after.user)
      guard case .setHandle(let handle, _, _) = try KeyringEntryBody(decoding: entry.body).change else { continue }
      switch try storage.user(handle: handle) {
      case nil:
        guard try storage.handleCount(of: after.user) < ServerLimits.handlesOfAccount else {
          throw Refusal.limitExceeded
        }
        try checkHandles(of: request)
        try storage.claim(handle: handle, for: after.user)
        countHandle(of: request)
      case after.user: continue
      default: throw Refusal.handleTaken
      }
    }
    try storage.storeSigners(of: after, after: before)
  }
}
