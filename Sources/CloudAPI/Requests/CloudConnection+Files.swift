public import Signing

/// What a server has of an upload.
public struct UploadState: Equatable, Sendable {
  public let layout: FileLayout
  /// The numbers of the parts that are there.
  public let parts: Set<UInt64>

  public init(layout: FileLayout, parts: Set<UInt64>) {
    self.layout = layout
    self.parts = parts
  }
}

extension CloudConnection {
  /// Sends one part of a file (spec §10.5). That it is there already is no error, if it has the same bytes.
  public func putPart(
    _ part: UInt64, _ bytes: [UInt8], of content: ContentID, _ layout: FileLayout
  ) async throws {
    try await call(
      .filePart(content, part: part), query: layout.query, bytes,
      headers: ["content-type": "application/octet-stream"])
  }

  /// Which parts of this user's upload the server has; nil where none was begun, or it is gone.
  public func upload(_ content: ContentID) async throws -> UploadState? {
    do {
      let wire = try await call(.upload(content), answer: WireUpload.self)
      guard let layout = FileLayout(length: wire.length, metadata: wire.metadata, thumbnail: wire.thumbnail) else {
        throw CloudFailure.nonsense
      }
      return UploadState(layout: layout, parts: Set(wire.parts.map { UInt64($0) }))
    } catch CloudFailure.refused(.notFound) {
      return nil
    }
  }

  /// Takes away what the server has of this user's upload, unless a header lists it.
  public func abandonUpload(_ content: ContentID) async throws { try await call(.abandonedUpload(content)) }

  /// The hashes of the data's leaves from one on: as many as one answer holds, 32 bytes each, not yet believed (spec §10.4).
  public func leaves(of content: ContentID, in branch: CloudID, from leaf: UInt64) async throws -> [Hash32] {
    let bytes = try await call(.leaves(branch: branch, content), query: "from=\(leaf)", [])
    guard bytes.count.isMultiple(of: Hash32.length) else { throw CloudFailure.refused(.contentMissing) }
    return stride(from: 0, to: bytes.count, by: Hash32.length).map {
      Hash32(exactly: Array(bytes[$0..<$0 + Hash32.length]))
    }
  }

  /// Opens a part of a file, not empty, to be read bit by bit. Nothing of it is believed yet.
  public func contentRange(
    _ range: Range<UInt64>, of content: ContentID, in branch: CloudID, over streaming: some CloudStreaming
  ) async throws -> CloudBytes {
    let stream = try await open(
      .content(branch: branch, content), headers: ["range": ByteRange.request(range)], over: streaming, expecting: 206)
    return CloudBytes(chunks: stream.chunks, count: UInt64(range.count))
  }
}

/// The bytes of a long answer as they come: exactly so many, or it throws `content-missing`.
public struct CloudBytes: AsyncSequence, Sendable {
  private let chunks: any AsyncSequence<[UInt8], any Error> & Sendable
  private let count: UInt64

  init(chunks: any AsyncSequence<[UInt8], any Error> & Sendable, count: UInt64) {
    self.chunks = chunks
    self.count = count
  }

  public func makeAsyncIterator() -> Iterator { Iterator(chunks: Self.iterator(of: chunks), wanted: count) }

  private static func iterator<Chunks: AsyncSequence<[UInt8], any Error>>(
    of chunks: Chunks
  ) -> any AsyncIteratorProtocol<[UInt8], any Error> { chunks.makeAsyncIterator() }

  /// The bytes that came together.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var chunks: any AsyncIteratorProtocol<[UInt8], any Error>
    fileprivate var wanted: UInt64

    public mutating func next() async throws -> [UInt8]? {
      guard let bytes = try await chunks.next() else {
        guard wanted == 0 else { throw CloudFailure.refused(.contentMissing) }
        return nil
      }
      guard bytes.count <= wanted else { throw CloudFailure.refused(.contentMissing) }
      wanted -= UInt64(bytes.count)
      return bytes
    }
  }
}
