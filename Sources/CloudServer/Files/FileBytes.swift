import CloudAPI

/// A file, or a range of one, that is read bit by bit while it is sent.
public struct FileBytes: Sendable {
  private let blobs: any BlobStore
  private let file: StoredFile
  /// What of the file is to be sent; never empty.
  public let range: Range<UInt64>

  /// Throws where the first of the bytes is not there: an answer that has begun cannot say so any more.
  init(_ range: Range<UInt64>, of file: StoredFile, in blobs: any BlobStore) throws {
    self.blobs = blobs
    self.file = file
    self.range = range
    _ = try bytes(at: range.lowerBound, atMost: 1)
  }

  /// The bytes from an offset in the file on, some hundred KiB at most; nothing at the end of the range.
  public func bytes(at offset: UInt64) throws -> [UInt8] { try bytes(at: offset, atMost: ServerLimits.pieceBytes) }

  private func bytes(at offset: UInt64, atMost count: UInt64) throws -> [UInt8] {
    let number = file.pieces.part(at: offset)
    guard offset < range.upperBound, let part = file.pieces.range(of: number) else { return [] }
    let end = min(offset + count, part.upperBound, range.upperBound)
    return try blobs.read(BlobPart(file.blob, number), offset - part.lowerBound..<end - part.lowerBound)
  }

  /// The answer with all of them in its body, for who has no network to send them over.
  func whole(_ response: CloudResponse) throws -> CloudResponse {
    var response = response
    while true {
      let more = try bytes(at: range.lowerBound + UInt64(response.body.count))
      guard !more.isEmpty else { return response }
      response.body += more
    }
  }
}
