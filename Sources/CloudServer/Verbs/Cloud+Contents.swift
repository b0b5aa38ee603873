public import CloudAPI
import Signing

/// An answer with bytes that somebody wrote.
public struct ContentAnswer: Sendable {
  /// Without the bytes, if they are a file's.
  public let response: CloudResponse
  /// What follows the head; nil: the answer is whole.
  public let file: FileBytes?
}

extension Cloud {
  /// Answers with a content's bytes, or a range of them (spec §10.4). A file's are not in memory: whoever carries the answer reads them.
  public func open(_ request: CloudRequest) -> ContentAnswer {
    var file: FileBytes?
    let response = answering {
      try checkProtocol(request)
      guard case .content(let branch, let content)? = Route(method: request.method, path: request.path),
        request.query.isEmpty
      else { throw Refusal.notFound }
      let caller = try authenticate(request)
      let (bytes, stored) = try storage.read { storage in
        guard try storage.letters(of: caller.user, on: branch).contains(.read) else { throw Refusal.letterMissing }
        return (try storage.content(content, in: branch), try storage.file(content, in: branch))
      }
      guard let length = bytes.map({ UInt64($0.count) }) ?? stored?.layout.length else { throw Refusal.notFound }
      guard let (head, range) = Self.head(of: length, request) else {
        var refused = self.response(to: .rangeOutside)
        refused.headers["content-range"] = ByteRange.answer(nil, of: length)
        return refused
      }
      var response = head
      if let bytes {
        response.body = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
      } else if let stored {
        file = try self.bytes(range, of: stored)
      }
      return response
    }
    return ContentAnswer(response: response, file: file)
  }

  /// What the disk lost is not there; whoever runs the server hears of it.
  private func bytes(_ range: Range<UInt64>, of file: StoredFile) throws -> FileBytes {
    do {
      return try FileBytes(range, of: file, in: blobs)
    } catch StorageFailure.damaged {
      report(StorageFailure.damaged)
      throw Refusal.notFound
    }
  }

  /// The head of an answer, and what of the content it has; nil where the range that is asked for is not there.
  private static func head(of length: UInt64, _ request: CloudRequest) -> (CloudResponse, Range<UInt64>)? {
    var response = CloudResponse(status: 200, headers: ["content-type": "application/octet-stream"])
    guard let text = request.headers["range"] else { return (response, 0..<length) }
    guard let range = ByteRange.read(text, within: length) else { return nil }
    response.status = 206
    response.headers["content-range"] = ByteRange.answer(range, of: length)
    return (response, range)
  }

  /// The hashes of the leaves of a file's data, from one on.
  func leaves(of content: ContentID, in branch: CloudID, _ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    guard let from = Query.numbers(request.query, ["from"])?.first else { throw Refusal.malformed }
    let body = try storage.read { storage in
      guard try storage.letters(of: caller.user, on: branch).contains(.read) else { throw Refusal.letterMissing }
      guard let file = try storage.file(content, in: branch) else { throw Refusal.notFound }
      return try storage.leaves(ofDataOf: file, from: from)
    }
    return CloudResponse(status: 200, headers: ["content-type": "application/octet-stream"], body: body)
  }
}

extension CloudStorageReader {
  /// As many as one answer holds.
  fileprivate func leaves(ofDataOf file: StoredFile, from leaf: UInt64) throws -> [UInt8] {
    guard leaf < file.layout.leafCount else { return [] }
    let part = file.pieces.part(ofLeaf: leaf)
    // The first part begins with the leaves of three sections.
    let before = Int(part == 0 ? leaf + 3 : leaf - part * FileParts.leaves) * Hash32.length
    let bytes = try leaves(of: file, from: part, limit: Limits.leaves / Int(FileParts.leaves) + 1).joined()
    return Array(bytes.dropFirst(before).prefix(Limits.leaves * Hash32.length))
  }
}
