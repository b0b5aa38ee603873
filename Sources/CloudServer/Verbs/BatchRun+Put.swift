import CloudAPI
import Foundation
import Signing

extension BatchRun {
  /// Creates, changes, moves or renames a node. Each content is new, carried from the header before, or borrowed.
  func put(_ put: WirePut, _ id: OperationID) throws -> LogHead {
    var new: [Data: [UInt8]] = [:]
    for content in put.contents { new[content.content] = Array(content.ciphertext) }
    return try append(try SignedRecord(put.header), id) { body, before in
      var arrivals: [(ContentReference, [UInt8])] = []
      for reference in body.contents {
        if let bytes = new[data(reference.content.bytes)] {
          guard bytes.count <= Limits.contentBytes else { throw Refusal.limitExceeded }
          guard reference.fits(bytes) else { throw Refusal.contentMismatch }
          arrivals.append((reference, bytes))
        } else if try !isCarried(reference, from: before, in: body.branch) {
          guard let source = put.borrowed.first(where: { $0.content == data(reference.content.bytes) }),
            try isLent(reference, by: try fixed(source.cloudID), in: try fixed(source.branch), to: body.author.user)
          else { throw Refusal.contentMissing }
        }
      }
      guard Set(arrivals.map { data($0.0.content.bytes) }) == Set(new.keys) else { throw Refusal.contentUnknown }
      return arrivals
    }
  }

  /// Puts a message into an inbox; all its contents are those of the named node, which the author may read.
  func copy(_ copy: WireCopy, _ id: OperationID) throws -> LogHead {
    let sourceBranch: CloudID = try fixed(copy.sourceBranch)
    let source: CloudID = try fixed(copy.sourceNode)
    return try append(try SignedRecord(copy.header), id) { body, _ in
      guard body.recipient != nil else { throw Refusal.messageWrong }
      guard try storage.messageCount(in: body.branch, by: body.author.user) < ServerLimits.messagesOfSender else {
        throw Refusal.tooMany
      }
      for reference in body.contents {
        guard try isLent(reference, by: source, in: sourceBranch, to: body.author.user) else {
          throw Refusal.contentMissing
        }
      }
      return []
    }
  }

  /// `supply` returns the contents that come with the request, once it has found where all the others are.
  private func append(
    _ record: SignedRecord, _ id: OperationID,
    _ supply: (HeaderBody, StoredNode?) throws -> [(ContentReference, [UInt8])]
  ) throws -> LogHead {
    let unverified = try UnverifiedHeader(record)
    let body = unverified.body
    guard body.operation == id else { throw Refusal.operationMismatch }
    try checkAuthor(body.author)
    if let head = try storage.head(of: body.branch, atRecord: unverified.hash) { return head }
    let branch = try StoredBranch(body.branch, in: storage, memory)
    let header = try verify(unverified, in: branch)
    try checkPlace(of: header.body, in: branch)
    let arrivals = try supply(body, try storage.node(body.cloudID, in: body.branch))
    try checkIds(of: body)
    return try store(header, arrivals, in: branch)
  }

  private func checkPlace(of body: HeaderBody, in branch: StoredBranch) throws {
    try verifyPlace(of: body, in: branch)
    // A branch need not have a root yet, but nothing grows below one that was deleted.
    guard body.parent == body.branch, let root = try storage.node(body.branch, in: body.branch) else { return }
    guard root.isLive else { throw Refusal.parentWrong }
  }

  /// In one branch a content id stands for the same bytes everywhere, so that it can be fetched by it.
  private func checkIds(of body: HeaderBody) throws {
    for reference in body.contents {
      guard try storage.contentHash(reference.content, in: body.branch).map({ $0 == reference.hash }) ?? true else {
        throw Refusal.contentUnknown
      }
    }
  }

  /// Whether the header before lists it. One that was put back may list what was lost.
  private func isCarried(_ reference: ContentReference, from before: StoredNode?, in branch: CloudID) throws -> Bool {
    guard let before, before.isLive, try before.header().contents.contains(reference) else { return false }
    return try storage.contentHash(reference.content, in: branch) == reference.hash
  }

  private func isLent(
    _ reference: ContentReference, by cloudID: CloudID, in branch: CloudID, to user: UserID
  ) throws -> Bool {
    guard try storage.letters(of: user, on: branch).contains(.read),
      let node = try storage.node(cloudID, in: branch), node.isLive
    else { return false }
    return try node.header().contents.contains(reference)
      && storage.contentHash(reference.content, in: branch) == reference.hash
  }

  private func store(
    _ header: Header, _ arrivals: [(ContentReference, [UInt8])], in branch: StoredBranch
  ) throws -> LogHead {
    let body = header.body
    let line = Line(number: branch.head.line + 1, kind: .header, cloudID: body.cloudID, hash: header.hash)
    let head = branch.head.appending(line)
    try storage.append(line, head: head, to: body.branch)
    try storage.store(
      StoredNode(
        cloudID: body.cloudID, line: line.number, lines: body.version, kind: .header, hash: header.hash,
        record: header.record, parent: body.parent, nameToken: body.nameToken),
      in: body.branch)
    if body.recipient != nil { try storage.noteMessage(body.cloudID, in: body.branch, by: body.author.user) }
    for (reference, bytes) in arrivals { try storage.store(bytes, of: reference) }
    try storage.setContents(body.contents, of: body.cloudID, in: body.branch)
    return head
  }
}
