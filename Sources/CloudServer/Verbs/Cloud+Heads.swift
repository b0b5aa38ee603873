import CloudAPI
import Signing
import SwiftProtobuf

extension Cloud {
  /// How far branches and keyrings are. A branch that is not there looks like one that the caller may not read.
  func heads(_ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    let message = try decode(WireHeadsRequest.self, request.body)
    guard message.branches.count <= Limits.requestItems, message.users.count <= Limits.requestItems else {
      throw Refusal.limitExceeded
    }
    let branches: [CloudID] = try message.branches.map { try fixed($0) }
    hub.note(branches, askedBy: caller.user)
    return try storage.read { storage in
      var heads = WireHeads()
      heads.branches = try branches.map { try Self.head(of: $0, for: caller, in: storage) }
      for bytes in message.users {
        let user: UserID = try fixed(bytes)
        guard let head = try keyringHead(of: user, in: storage) else { continue }
        heads.keyrings.append(
          .with {
            $0.user = bytes
            $0.position = head.position
            $0.hash = data(head.hash.bytes)
          })
      }
      return answer(heads)
    }
  }

  /// Read from one row, for nearly everybody.
  private func keyringHead(of user: UserID, in storage: any CloudStorageReader) throws -> StoredKeyringHead? {
    let head = try storage.keyringHead(of: user)
    guard try storage.lostKeyringLength(of: user) > head?.position ?? 0 else { return head }
    return try memory.anyKeyring(of: user, in: storage).map {
      StoredKeyringHead(position: $0.position, hash: $0.head)
    }
  }

  private static func head(
    of branch: CloudID, for caller: Caller, in storage: any CloudStorageReader
  ) throws -> WireBranchHead {
    var answer = WireBranchHead()
    answer.branch = data(branch.bytes)
    if try storage.letters(of: caller.user, on: branch).contains(.read), let head = try storage.head(of: branch) {
      answer.line = head.line
      answer.logHash = data(head.hash.bytes)
    } else {
      answer.denied = true
    }
    return answer
  }
}
