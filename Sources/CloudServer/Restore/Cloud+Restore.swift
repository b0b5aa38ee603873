import CloudAPI
import Signing
import SwiftProtobuf

extension Cloud {
  /// Takes lines back that this server lost, from whoever reads them (spec §4.5). Records vouch for themselves; nothing is
  /// taken that does not continue what is here.
  func restore(_ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    guard acceptsRestores else { throw Refusal.restoreClosed }
    let message = try decode(WireRestoreRequest.self, request.body)
    guard message.keyrings.count <= Limits.requestItems else { throw Refusal.limitExceeded }
    try storage.write { storage in
      for keyring in message.keyrings { try takeBack(keyring, in: storage) }
    }
    let branch: CloudID = try fixed(message.branch)
    let (restored, moves) = try storage.write { storage in
      let mayRead = try storage.letters(of: caller.user, on: branch).contains(.read)
      do {
        let restored = try takeBack(message, branch, for: caller.user, mayRead: mayRead, in: storage)
        return (restored, hub.isIdle ? [] : try storage.moves(of: [branch: true]))
      } catch is Refusal where !mayRead {
        throw Refusal.letterMissing
      }
    }
    hub.announce(moves)
    return answer(restored)
  }

  /// The end of a keyring that is here; one that does not continue it is left alone, and nobody gets an account this way.
  private func takeBack(_ wire: WireKeyring, in storage: any CloudStorageTransaction) throws {
    do {
      try storage.attempt {
        let user: UserID = try fixed(wire.user)
        let entries = try wire.entries.map { try SignedRecord($0) }
        guard let before = try memory.keyring(of: user, in: storage), let first = entries.first else { return }
        let position = try KeyringEntryBody(decoding: first.body).position
        try keep(try Self.extend(before, by: entries, from: position), before, in: storage)
      }
    } catch is Refusal {
      return
    }
  }

  private func takeBack(
    _ message: WireRestoreRequest, _ branch: CloudID, for user: UserID, mayRead: Bool,
    in storage: any CloudStorageTransaction
  ) throws -> WireRestored {
    let after = LogHead(line: message.afterLine, hash: try fixed(message.afterHash))
    let view = try StoredBranch(branch, in: storage, memory)
    var restoration = RestoredBranch(view)
    try restoration.take(
      Line.decode(Array(message.lines)), after: after,
      rows: Dictionary(message.rows.map { ($0.line, $0) }, uniquingKeysWith: { first, _ in first }))
    guard mayRead || restoration.permissions?.body.entry(of: user)?.letters.contains(.read) == true else {
      throw Refusal.letterMissing
    }
    try restoration.store(in: storage)
    // When it was closed nobody can tell any more: its grace period begins anew.
    if restoration.permissions?.body.isClosed == true { try storage.noteClosing(of: branch, at: clock.now()) }
    let bare = try storage.bareNodes(of: branch)
    return WireRestored.with {
      $0.line = restoration.head.line
      $0.logHash = data(restoration.head.hash.bytes)
      $0.bare = bare.map { data($0.bytes) }
    }
  }
}

extension CloudStorageReader {
  /// The live nodes whose header lists what is not here.
  fileprivate func bareNodes(of branch: CloudID) throws -> [CloudID] {
    try nodes(of: branch).filter(\.isLive).filter { node in
      try !node.header().contents.allSatisfy { try contentHash($0.content, in: branch) == $0.hash }
    }.map(\.cloudID)
  }
}
