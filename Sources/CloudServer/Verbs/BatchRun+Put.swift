import CloudAPI
import Foundation
import Signing

extension BatchRun {
  /// Creates, changes, moves or renames a node. Each content is new, carried from the header before, or borrowed.
  func put(_ put: WirePut, _ id: OperationID) throws -> LogHead {
    var new: [Data: [UInt8]] = [:]
    for content in put.contents { new[content.content] = Array(content.ciphertext) }
    return try append(try SignedRecord(put.header), id) { body, before in
      var arrivals = Arrivals()
      for reference in body.contents {
        if let bytes = new[data(reference.content.bytes)] {
          guard reference.fits(bytes) else { throw Refusal.contentMismatch }
          arrivals.contents.append((reference, bytes))
        } else if reference.file != nil {
          arrivals.file = try file(reference, for: body, from: before, put.borrowed)
        } else if try !isCarried(reference, from: before, in: body.branch) {
          guard let source = put.borrowed.first(where: { $0.content == data(reference.content.bytes) }),
            try isLent(reference, by: try fixed(source.cloudID), in: try fixed(source.branch), to: body.author.user)
          else { throw Refusal.contentMissing }
        }
      }
      guard Set(arrivals.contents.map { data($0.0.content.bytes) }) == Set(new.keys) else {
        throw Refusal.contentUnknown
      }
      return arrivals
    }
  }

  /// The number of a file: one that the author uploaded, that the header before lists, or that is borrowed (spec §10.5).
  private func file(
    _ reference: ContentReference, for body: HeaderBody, from before: StoredNode?, _ borrowed: [WireBorrowed]
  ) throws -> UInt64 {
    if try isCarried(reference, from: before, in: body.branch), let file = try storage.file(reference, in: body.branch)
    {
      return file
    }
    if let file = try storage.file(reference, of: body.author.user) { return file }
    guard let source = borrowed.first(where: { $0.content == data(reference.content.bytes) }),
      try isLent(reference, by: try fixed(source.cloudID), in: try fixed(source.branch), to: body.author.user),
      let file = try storage.file(reference, in: try fixed(source.branch))
    else { throw Refusal.contentMissing }
    return file
  }

  /// Puts a message into an inbox; all its contents are those of the named node, which the author may read.
  func copy(_ copy: WireCopy, _ id: OperationID) throws -> LogHead {
    let sourceBranch: CloudID = try fixed(copy.sourceBranch)
    let source: CloudID = try fixed(copy.sourceNode)
    return try append(try SignedRecord(copy.header), id) { body, _ in
      guard body.recipient != nil else { throw Refusal.messageWrong }
      var arrivals = Arrivals()
      for reference in body.contents {
        guard try isLent(reference, by: source, in: sourceBranch, to: body.author.user) else {
          throw Refusal.contentMissing
        }
        if reference.file != nil { arrivals.file = try storage.file(reference, in: sourceBranch) }
      }
      return arrivals
    }
  }

  /// `supply` returns the contents that come with the request, once it has found where all the others are.
  private func append(
    _ record: SignedRecord, _ id: OperationID,
    _ supply: (HeaderBody, StoredNode?) throws -> Arrivals
  ) throws -> LogHead {
    let unverified = try UnverifiedHeader(record)
    let body = unverified.body
    guard body.operation == id else { throw Refusal.operationMismatch }
    try checkAuthor(body.author)
    if let head = try storage.head(of: body.branch, atRecord: unverified.hash) { return head }
    try requireGivenBack(body.branch)
    let branch = try StoredBranch(body.branch, in: storage, memory, places: places)
    let header = try verify(unverified, in: branch)
    try checkPlace(of: header.body, in: branch)
    if body.recipient != nil { try requireRoom(for: body.author.user, in: body.branch) }
    let arrivals = try supply(body, try storage.node(body.cloudID, in: body.branch))
    try checkIds(of: body)
    return try store(header, arrivals, in: branch)
  }

  /// Bounds what one person leaves in another's inbox, and how fast its log grows. Burning a message takes back no line and adds one; it is never
  /// refused, so there has to be room for the end of all that lie there.
  private func requireRoom(for sender: UserID, in inbox: CloudID) throws {
    let lying = try storage.messageCount(in: inbox, by: sender)
    let lines = try storage.messageLines(in: inbox, by: sender, onDay: day)
    guard lying < ServerLimits.messagesOfSender, lines + lying + 2 <= ServerLimits.messageLinesOfDay else {
      throw Refusal.tooMany
    }
  }

  /// Days since 1970.
  var day: Int64 { now / (24 * 3600 * 1000) }

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
    guard let before, before.isLive, try before.header().lists(reference) else { return false }
    return try storage.contentHash(reference.content, in: branch) == reference.hash
  }

  private func isLent(
    _ reference: ContentReference, by cloudID: CloudID, in branch: CloudID, to user: UserID
  ) throws -> Bool {
    guard try storage.letters(of: user, on: branch).contains(.read),
      let node = try storage.node(cloudID, in: branch), node.isLive
    else { return false }
    return try node.header().lists(reference)
      && storage.contentHash(reference.content, in: branch) == reference.hash
  }

  private func store(
    _ header: Header, _ arrivals: Arrivals, in branch: StoredBranch
  ) throws -> LogHead {
    let body = header.body
    let line = Line(number: branch.head.line + 1, kind: .header, cloudID: body.cloudID, hash: header.hash)
    let head = branch.head.appending(line)
    try storage.append(line, head: head, to: body.branch, by: body.author.user)
    try storage.store(
      StoredNode(
        cloudID: body.cloudID, line: line.number, lines: body.version, kind: .header, hash: header.hash,
        record: header.record, parent: body.parent, nameToken: body.nameToken),
      in: body.branch, by: body.author.user)
    if body.version > 1 { places.forget() }
    if body.recipient != nil {
      try storage.noteMessage(body.cloudID, in: body.branch, by: body.author.user)
      try storage.countMessageLine(in: body.branch, by: body.author.user, onDay: day)
    }
    try storage.noteExpiry(body.expires, of: body.cloudID, in: body.branch)
    for (reference, bytes) in arrivals.contents { try storage.store(bytes, of: reference) }
    try storage.setContents(
      body.contents, file: arrivals.file, of: body.cloudID, in: body.branch, by: body.author.user)
    return head
  }
}

/// What a header lists, as far as it has to be stored with it.
private struct Arrivals {
  /// Those that come with the request.
  var contents: [(ContentReference, [UInt8])] = []
  /// The number of the file among the others.
  var file: UInt64?
}

extension HeaderBody {
  /// Whether it lists a content; of a file whoever lists it vouches for it with a device of their own (spec §10.3).
  fileprivate func lists(_ reference: ContentReference) -> Bool {
    contents.contains { own in
      var own = own
      if own.file != nil { own.device = reference.device }
      return own == reference
    }
  }
}

extension CloudStorageReader {
  /// The number of a file that a live node of the branch lists.
  func file(_ reference: ContentReference, in branch: CloudID) throws -> UInt64? {
    try file(reference.content, in: branch).flatMap { $0.isMeant(by: reference) ? $0.number : nil }
  }

  /// The number of a file that a user has uploaded, whole.
  func file(_ reference: ContentReference, of user: UserID) throws -> UInt64? {
    try file(reference.content, of: user).flatMap { $0.isMeant(by: reference) ? $0.number : nil }
  }
}

extension StoredFile {
  fileprivate func isMeant(by reference: ContentReference) -> Bool {
    root == reference.hash && layout == reference.file
  }
}
