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
    let keyring = try storage.write { storage in
      guard signature.caller.user == user, let before = try memory.keyring(of: user, in: storage) else {
        throw Refusal.deviceUnknown
      }
      let after = try Problem.ofRecord { try Self.extend(before, by: entries, from: first.position) }
      guard let key = Self.signer(signature.caller, at: first.position, before, after) else {
        throw Refusal.deviceUnknown
      }
      try admit(signature, of: request, key)
      let new = Array(after.entries.dropFirst(before.entries.count))
      let room = KeyringRoom(before: before, after: after, entries: new)
      try room.check()
      try allowance.take(room, of: user, now: clock.now())
      try keep(after, before, of: request, in: storage)
      if after.deleted != nil, !new.isEmpty { try deleteBranches(of: user, in: storage) }
      return after
    }
    hub.end(of: user) { keyring.device($0) != nil }
    return CloudResponse(status: 200)
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

  /// The key of a device that is active before these entries or after them: one may add itself, or end itself.
  private static func signer(
    _ caller: Caller, at position: UInt32, _ before: Keyring, _ after: Keyring
  ) -> PublicKey? {
    guard let id = caller.device else { return before.rootKey }
    let device = before.device(id, at: position - 1) ?? before.device(id) ?? after.device(id)
    return device?.signKey
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
  }
}
