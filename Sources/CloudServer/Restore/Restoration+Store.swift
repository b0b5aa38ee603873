import CloudAPI
import Signing

extension Restoration {
  /// Appends what was judged, and keeps of each node its last row, with those of its contents that are still here. `giver` pays for what has
  /// no author here, and for no more than `room` bytes in all.
  func store(in storage: any CloudStorageTransaction, from giver: UserID, room: UInt64) throws {
    guard !parts.isEmpty else { return }
    guard isVouched else { throw Refusal.rowMissing }
    let before = try storage.bytes(of: giver)
    try store(in: storage, from: giver)
    let after = try storage.bytes(of: giver)
    guard after <= before || after <= room else { throw Refusal.quotaExceeded }
  }

  private func store(in storage: any CloudStorageTransaction, from giver: UserID) throws {
    try keepKeyrings(in: storage, by: giver)
    var payers = Payers(giver: giver)
    try storage.append(
      parts.map {
        PaidLine(line: $0.line, head: $0.head, payer: try payers.payer(for: $0.record.author, in: storage))
      }, to: branch)
    var last: [CloudID: Int] = [:]
    for (index, part) in parts.enumerated() {
      if case .permissions(let permissions) = part.record {
        let payer = try payers.payer(for: part.record.author, in: storage)
        try storage.putInForce(permissions, at: part.line.number, by: payer)
      } else {
        last[part.line.cloudID] = index
      }
    }
    let ends = last.values.sorted().map { parts[$0] }
    // A node whose last record nobody gives would be no node for those who read.
    for part in ends { try keep(part, in: storage, by: payers.payer(for: part.record.author, in: storage)) }
    let live = try LiveNodes(of: branch, in: storage)
    for part in ends { try live.requireSeen(part.record, at: part.line.number) }
    try live.mark(in: storage)
    for part in ends { try keepContents(part, in: storage) }
  }

  /// Only of those whom these records name: nobody fills a server with others.
  private func keepKeyrings(in storage: any CloudStorageTransaction, by giver: UserID) throws {
    let named = Set(
      parts.flatMap { part -> [UserID] in
        var named = part.record.author.map { [$0] } ?? []
        if case .permissions(let permissions) = part.record { named += permissions.body.entries.compactMap(\.user) }
        return named
      })
    for keyring in lost.values where named.contains(keyring.user) {
      guard try storage.lostKeyring(of: keyring.user).count < keyring.entries.count else { continue }
      try storage.keepLost(keyring.entries, of: keyring.user, by: giver)
    }
  }

  /// As gone, until it is known what lives.
  private func keep(_ part: Part, in storage: any CloudStorageTransaction, by payer: UserID) throws {
    let line = part.line
    switch part.record {
    case .header(let header):
      let body = header.body
      try storage.store(
        StoredNode(
          cloudID: body.cloudID, line: line.number, lines: body.version, kind: .header, hash: header.hash,
          record: header.record, parent: body.parent, nameToken: body.nameToken, isGone: true),
        in: branch, by: payer)
      try storage.noteExpiry(body.expires, of: body.cloudID, in: branch)
      if body.recipient != nil { try storage.noteMessage(body.cloudID, in: branch, by: body.author.user) }
    case .tombstone(let tombstone):
      let before = try storage.node(line.cloudID, in: branch)
      try storage.store(
        StoredNode(
          cloudID: line.cloudID, line: line.number, lines: tombstone.body.version, kind: .tombstone,
          hash: tombstone.hash, record: tombstone.record, parent: before?.parent, nameToken: before?.nameToken),
        in: branch, by: payer)
    case .permissions, .superseded: throw Refusal.rowMissing
    }
  }

  private func keepContents(_ part: Part, in storage: any CloudStorageTransaction) throws {
    let cloudID = part.line.cloudID
    guard case .header(let header) = part.record, try storage.node(cloudID, in: branch)?.isLive == true else {
      return try storage.dropContents(of: cloudID, in: branch)
    }
    let here = try header.body.contents.filter {
      try $0.file != nil || storage.contentHash($0.content, in: branch) == $0.hash
    }
    // Whoever wrote the header may have uploaded its file again since.
    let file = try here.first { $0.file != nil }.flatMap {
      try storage.file($0, in: branch) ?? storage.file($0, of: header.body.author.user)
    }
    try storage.setContents(here, file: file, of: cloudID, in: branch, by: header.body.author.user)
  }
}

extension Restoration.Record {
  /// Who signed it; nil where nobody has it any more.
  fileprivate var author: UserID? {
    switch self {
    case .header(let header): header.body.author.user
    case .tombstone(let tombstone): tombstone.body.author.user
    case .permissions(let permissions): permissions.body.author.user
    case .superseded: nil
    }
  }
}

/// Who pays for what is given back: its author, or where that is nobody with an account here, who gives it back.
private struct Payers {
  let giver: UserID
  private var known: [UserID: UserID] = [:]

  init(giver: UserID) { self.giver = giver }

  mutating func payer(for author: UserID?, in storage: any CloudStorageReader) throws -> UserID {
    guard let author else { return giver }
    if let payer = known[author] { return payer }
    let payer = try storage.keyringHead(of: author) == nil ? giver : author
    known[author] = payer
    return payer
  }
}
