public import CloudAPI
import Signing
import SwiftProtobuf

extension Cloud {
  /// Begins to take one part of a file (spec §10.5); `request` is its head, whose body is given to what this returns.
  public func receive(_ request: CloudRequest) -> PartArrival {
    PartArrival(self) {
      guard case .filePart(let content, let number)? = Route(method: request.method, path: request.path) else {
        throw Refusal.notFound
      }
      try checkProtocol(request)
      let caller = try authenticate(request, bodyFollows: true)
      guard let layout = FileLayout(query: request.query) else { throw Refusal.malformed }
      let digest = request.headers["content-digest"] ?? ""
      let part = PartArrival.Part(
        user: caller.user, content: content, layout: layout, number: number, digest: digest)
      _ = try storage.read { try begun(part, in: $0) }
      return part
    }
  }

  /// Names a part that has come, and notes it: in one transaction, so that nobody else does at the same time. Bytes first: a row says
  /// that they are there.
  func keep(_ part: PartArrival.Part, leaves: [UInt8], _ writer: any BlobWriter) throws {
    do {
      try storage.write { storage in
        let now = clock.now()
        let file =
          try begun(part, in: storage) ?? storage.addFile(part.content, part.layout, of: part.user, at: now)
        let name = BlobPart(file.blob, part.number)
        if let before = try storage.leaves(of: file, part: part.number) {
          guard before == leaves else { throw Refusal.fork }
          // What the disk lost is written again.
          guard try !blobs.parts(of: file.blob).contains(part.number) else { return writer.discard() }
          return try writer.keep(as: name)
        }
        try writer.keep(as: name)
        if try storage.addPart(part.number, leaves: leaves, to: file, at: now) == 0 {
          try storage.setRoot(try file.root(in: storage), of: file)
        }
      }
    } catch StorageFailure.full {
      try? takeBack(part)
      throw StorageFailure.full
    }
    collectFiles()
  }

  /// A row for which there was no room leaves no bytes behind.
  private func takeBack(_ part: PartArrival.Part) throws {
    try storage.write { storage in
      guard let file = try storage.file(part.content, of: part.user),
        try storage.leaves(of: file, part: part.number) == nil
      else { return }
      try blobs.delete(BlobPart(file.blob, part.number))
    }
  }

  /// The upload that a part belongs to; nil for one that may begin. Whose layout is another one is refused.
  private func begun(_ part: PartArrival.Part, in storage: any CloudStorageReader) throws -> StoredFile? {
    if let file = try storage.file(part.content, of: part.user) {
      guard file.layout == part.layout else { throw Refusal.fork }
      return file
    }
    let length = part.layout.length
    guard length <= fileRules.largest else { throw Problem.tooLong }
    let taken = try storage.bytes(of: part.user)
    let wanted = taken.addingReportingOverflow(max(length, ServerLimits.smallestFile))
    guard !wanted.overflow, wanted.partialValue <= fileRules.quota else { throw Refusal.quotaExceeded }
    return nil
  }

  /// Which parts of the caller's upload are here.
  func upload(_ content: ContentID, _ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    guard let (file, parts) = try storage.read({ try $0.upload(content, of: caller.user) }) else {
      throw Refusal.notFound
    }
    let here = try blobs.parts(of: file.blob)
    return answer(
      WireUpload.with {
        $0.length = file.layout.length
        $0.metadata = file.layout.metadata
        $0.thumbnail = file.layout.thumbnail
        $0.parts = parts.filter { here.contains($0) }.map { UInt32($0) }
      })
  }

  /// Takes away the caller's upload, unless a header lists it: it takes no room of theirs any more. Rows first, as in `collectFiles`.
  func abandonUpload(_ content: ContentID, _ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    if let gone = try storage.write({ try $0.removeUpload(content, of: caller.user) }) { try blobs.delete(gone) }
    return CloudResponse(status: 204)
  }
}

extension CloudStorageReader {
  fileprivate func upload(_ content: ContentID, of user: UserID) throws -> (StoredFile, [UInt64])? {
    guard let file = try file(content, of: user) else { return nil }
    return (file, try parts(of: file))
  }
}

extension StoredFile {
  /// Of so many parts the leaves are in memory at once.
  private static let share: UInt64 = 1024

  /// The root that follows from its parts, which have all come.
  fileprivate func root(in storage: any CloudStorageReader) throws -> Hash32 {
    var first: [Hash32] = []
    var tree = FileTree()
    for start in stride(from: 0, to: pieces.count, by: Int(Self.share)) {
      for leaves in try storage.leaves(of: self, from: start, limit: Int(Self.share)) {
        for leaf in stride(from: 0, to: leaves.count, by: Hash32.length) {
          let hash = Hash32(exactly: Array(leaves[leaf..<leaf + Hash32.length]))
          if first.count < 3 { first.append(hash) } else { tree.append(hash) }
        }
      }
    }
    guard first.count == 3, tree.count == layout.leafCount else { throw StorageFailure.damaged }
    return layout.root(header: first[0], metadata: first[1], thumbnail: first[2], data: tree.root)
  }
}
