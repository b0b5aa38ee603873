import CloudAPI
import Signing

extension BatchRun {
  /// Deletes a node and everything below it, provided that its author has seen all of that (spec §5.6).
  func delete(_ delete: WireDelete, _ id: OperationID) throws -> LogHead {
    let unverified = try UnverifiedTombstone(try SignedRecord(delete.tombstone))
    let body = unverified.body
    guard body.operation == id else { throw Refusal.operationMismatch }
    try checkAuthor(body.author)
    if let head = try storage.head(of: body.branch, atRecord: unverified.hash) { return head }
    try requireGivenBack(body.branch)
    let branch = try StoredBranch(body.branch, in: storage, memory)
    let tombstone = try verify(unverified, in: branch)
    guard let node = try storage.node(body.cloudID, in: body.branch), node.isLive else { throw Refusal.versionStale }
    if let newest = try storage.newestLine(below: body.cloudID, in: body.branch) {
      guard body.burned == nil else { throw Refusal.letterMissing }
      guard newest <= body.author.read.line || Defect.unseenChildrenDeleted.isPlanted else {
        throw Refusal.unseenChildren
      }
    }
    return try store(tombstone, of: node, in: branch)
  }

  private func store(_ tombstone: Tombstone, of node: StoredNode, in branch: StoredBranch) throws -> LogHead {
    let body = tombstone.body
    let line = Line(number: branch.head.line + 1, kind: .tombstone, cloudID: body.cloudID, hash: tombstone.hash)
    let head = branch.head.appending(line)
    try storage.append(line, head: head, to: body.branch, by: body.author.user)
    try storage.store(
      StoredNode(
        cloudID: body.cloudID, line: line.number, lines: body.version, kind: .tombstone, hash: tombstone.hash,
        record: tombstone.record, parent: node.parent, nameToken: node.nameToken),
      in: body.branch, by: body.author.user)
    if body.burned != nil, try node.header().recipient != nil {
      try storage.countMessageLine(in: body.branch, by: body.author.user, onDay: day)
    }
    try storage.remove(body.cloudID, in: body.branch)
    places.forget()
    return head
  }
}
