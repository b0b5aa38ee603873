import CloudAPI
import Sealing
import Signing
import Testing

/// The parts of an upload (spec §10.5).
@Suite struct PartTests {
  static func layout(_ data: UInt64) throws -> FileLayout {
    try #require(FileLayout(FileSizes(metadata: 1, thumbnail: 1, data: data)))
  }

  @Test func aSmallFileIsOnePart() throws {
    let parts = FileParts(of: try Self.layout(10_200_000))
    #expect(parts.layout.length < FileParts.wholeBelow)
    #expect(parts.count == 1)
    #expect(parts.range(of: 0) == 0..<parts.layout.length)
    #expect(parts.leaves(of: 0).count == 3 + Int(parts.layout.leafCount))
  }

  @Test(arguments: [10_300_000, 11_000_000, 1 << 30, 5 << 30, 1 << 40] as [UInt64])
  func partsCoverAFileOnce(size: UInt64) throws {
    let layout = try Self.layout(size)
    let parts = FileParts(of: layout)
    #expect(layout.length >= FileParts.wholeBelow)
    #expect(parts.count == (layout.leafCount + 3) / 4)
    for part in [0, 1, parts.count / 2, parts.count - 2] where part + 1 < parts.count {
      let (one, next) = (parts.range(of: part), parts.range(of: part + 1))
      #expect(one?.upperBound == next?.lowerBound)
      #expect(parts.leaves(of: part).count == (part == 0 ? 7 : 4))
      #expect(parts.leaves(of: part).last?.index == part * 4 + 3)
      #expect(parts.leaves(of: part).last.map { layout.range(of: $0).upperBound } == one?.upperBound)
    }
    #expect(parts.range(of: parts.count - 1)?.upperBound == layout.length)
    #expect(parts.range(of: parts.count) == nil && parts.leaves(of: parts.count).isEmpty)
  }

  @Test func aPartOfAnotherLengthIsRefused() throws {
    let sample = try Sample(metadata: 5, thumbnail: 5, data: 100_000)
    let parts = FileParts(of: sample.file.layout)
    #expect(throws: Refusal.malformed) { _ = try Self.hash(sample.bytes.dropLast(), parts) }
    #expect(throws: Refusal.malformed) { _ = try Self.hash(sample.bytes + [0], parts) }
    #expect(throws: Refusal.malformed) { _ = try Self.hash([], parts) }
    #expect(throws: Refusal.malformed) { _ = try PartHasher(1, of: parts).finish() }
    #expect(try Self.hash(sample.bytes, parts).count == 4)
  }

  private static func hash(_ bytes: [UInt8], _ parts: FileParts) throws -> [Hash32] {
    var hasher = try PartHasher(0, of: parts)
    try hasher.update(bytes)
    return try hasher.finish()
  }
}
