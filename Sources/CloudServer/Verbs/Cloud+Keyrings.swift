import CloudAPI
import Signing
import SwiftProtobuf

extension Cloud {
  /// The keyring of whoever has, or ever had, a handle.
  func lookUp(_ handle: String, _ request: CloudRequest) throws -> CloudResponse {
    _ = try authenticate(request, root: true)
    return try storage.read { storage in
      guard let user = try storage.user(handle: handle) else { throw Refusal.notFound }
      return answer(Self.wire(try storage.keyringEntries(of: user, after: 0), of: user))
    }
  }

  /// Several keyrings, each from a position on. A user that is not there is left out.
  func keyrings(_ request: CloudRequest) throws -> CloudResponse {
    let message = try decode(WireKeyringsRequest.self, request.body)
    guard message.users.count <= Limits.requestItems else { throw Refusal.limitExceeded }
    // Whoever has ended may learn how.
    let caller = try authenticate(request, root: true, ended: message.users.count == 1)
    if let device = caller.device, message.users.first.map({ Array($0.user) }) != caller.user.bytes {
      let signer = try storage.read { try $0.signer(device, of: caller.user) }
      guard signer?.hasEnded == false else { throw Refusal.deviceUnknown }
    }
    return try storage.read { storage in
      var answer = WireKeyrings()
      var bytes = 0
      for item in message.users {
        let user: UserID = try fixed(item.user)
        guard let keyring = try keyring(of: user, after: item.after, in: storage) else { continue }
        bytes += keyring.entries.reduce(64) { $0 + $1.body.count + 80 }
        guard bytes <= ServerLimits.answerBytes else { throw Refusal.limitExceeded }
        answer.keyrings.append(keyring)
      }
      return self.answer(answer)
    }
  }

  /// As it is stored: nobody has to decode it to pass it on.
  private func keyring(
    of user: UserID, after position: UInt32, in storage: any CloudStorageReader
  ) throws -> WireKeyring? {
    let head = try storage.keyringHead(of: user)
    if try storage.lostKeyringLength(of: user) > head?.position ?? 0 {
      guard let known = try memory.anyKeyring(of: user, in: storage) else { return nil }
      return Self.wire(Array(known.entries.dropFirst(Int(position))), of: user)
    }
    return try head.map { _ in Self.wire(try storage.keyringEntries(of: user, after: position), of: user) }
  }

  private static func wire(_ entries: [SignedRecord], of user: UserID) -> WireKeyring {
    WireKeyring.with {
      $0.user = data(user.bytes)
      $0.entries = entries.map(\.wire)
    }
  }
}
