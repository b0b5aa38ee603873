import CloudAPI
import Foundation
import Sealing
import Signing
import Testing

/// Files as their readers are answered, and as their authors seal them.
@Suite struct FileVectors {
  struct Case: Decodable {
    struct Key: Decodable { let key, header, metadata, thumbnail, data: Hex }
    struct Good: Decodable {
      let key, content: Hex
      let sizes: [Int]
    }
    struct Answers: Decodable { let metadata, thumbnail, leaves, data: [Piece] }
    let expect: String
    let content, root: Hex
    let length, metadataLength, thumbnailLength: UInt64
    let fileKey: Key
    let good: Good
    let answers: Answers
    let parts: [UInt64]?
    let leaves, lastChunk, sealed: Hex?
  }

  /// A range of the good file, or bytes of its own.
  enum Piece: Decodable {
    case range(Range<Int>)
    case bytes([UInt8])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let ends = try? container.decode([Int].self) {
        self = .range(ends[0]..<ends[1])
      } else {
        self = .bytes(try container.decode(Hex.self).bytes)
      }
    }
  }

  @Test(arguments: Vector.all("file")) func file(_ vector: Vector) throws {
    let item = try vector.decode(Case.self)
    let (file, bytes) = try sealed(item.good)
    let result = try outcome {
      do {
        try read(item, bytes, file.leaves)
      } catch let fault as FileFault {
        throw try #require(Refusal(rawValue: fault.rawValue))
      }
    }
    #expect(result == item.expect)
    guard item.expect == "ok" else { return }
    #expect(file.layout.length == item.length && file.layout.metadata == item.metadataLength)
    #expect(file.layout.thumbnail == item.thumbnailLength)
    #expect(file.root.bytes == item.root.bytes && file.content.bytes == item.content.bytes)
    #expect(try file.key == key(item.fileKey))
    #expect(file.leaves == item.leaves?.bytes)
    if let sealed = item.sealed { #expect(bytes == sealed.bytes) }
    if let last = item.lastChunk { #expect(Array(bytes.suffix(last.bytes.count)) == last.bytes) }
    let parts = FileParts(of: file.layout)
    #expect((0..<parts.count).compactMap { parts.range(of: $0).map { UInt64($0.count) } } == item.parts)
  }

  private func key(_ item: Case.Key) throws -> FileKey {
    let key = FileKey(
      secret: SecretBytes(copy(item.key.bytes)), header: item.header.bytes, metadata: try item.metadata.id(),
      thumbnail: try item.thumbnail.id(), data: try item.data.id())
    return try #require(key)
  }

  /// All that a reader of the whole file does, in the spec's order.
  private func read(_ item: Case, _ good: [UInt8], _ hashes: [UInt8]) throws {
    let layout = FileLayout(length: item.length, metadata: item.metadataLength, thumbnail: item.thumbnailLength)
    guard let layout else { throw Refusal.malformed }
    let opener = try FileOpener(
      content: try item.content.id(), layout: layout, root: try item.root.id(), key: try key(item.fileKey))
    let metadata = try opener.metadata(join(item.answers.metadata, good))
    #expect(metadata == pattern(Int(opener.sizes.metadata), 1))
    #expect(try opener.thumbnail(join(item.answers.thumbnail, good)) == pattern(Int(opener.sizes.thumbnail), 3))
    let leaves = try opener.leaves(join(item.answers.leaves, hashes))
    let answer = join(item.answers.data, good)
    let step = Int(FileChunk.sealedLeafSize)
    var data: [UInt8] = []
    for index in 0..<Int(layout.leafCount) {
      let leaf = Array(answer.dropFirst(index * step).prefix(step))
      data += try opener.data(leaf, leaf: UInt64(index), leaves)
    }
    guard answer.count <= Int(layout.data) else { throw FileFault.contentMissing }
    #expect(data == pattern(Int(opener.sizes.data), 2))
  }

  private func join(_ pieces: [Piece], _ source: [UInt8]) -> [UInt8] {
    pieces.reduce(into: []) { all, piece in
      switch piece {
      case .range(let range): all += source[range]
      case .bytes(let bytes): all += bytes
      }
    }
  }

  private func sealed(_ good: Case.Good) throws -> (SealedFile, [UInt8]) {
    let sealer = try FileSealer(
      metadata: pattern(good.sizes[0], 1), thumbnail: pattern(good.sizes[1], 3), dataSize: UInt64(good.sizes[2]),
      Drawn(content: good.content.bytes, key: good.key.bytes))
    var source = Bytes(rest: pattern(good.sizes[2], 2)[...])
    var sink = Bytes(rest: [])
    return (try sealer.seal(&source, into: &sink), Array(sink.rest))
  }

  private func pattern(_ size: Int, _ section: Int) -> [UInt8] {
    var bytes = (0..<251).map { UInt8(($0 + section) % 251) }
    while bytes.count < size { bytes += bytes }
    return Array(bytes[..<size])
  }
}

/// What the author of a vector drew.
private struct Drawn: Entropy {
  let content, key: [UInt8]
  func bytes(_ count: Int) -> [UInt8] { copy(count == content.count ? content : key) }
}

/// Secret bytes are erased where they lie, which must not be in the vector.
private func copy(_ bytes: [UInt8]) -> [UInt8] { bytes.map { $0 } }

private struct Bytes: FileSource, FileSink {
  var rest: ArraySlice<UInt8>

  mutating func read(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func write(_ bytes: [UInt8]) { rest += bytes }
}
