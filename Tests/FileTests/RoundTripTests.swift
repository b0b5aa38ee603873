import CloudAPI
import Sealing
import Signing
import Testing

/// What is sealed opens to the same, whatever its sizes are and however it is read.
@Suite struct RoundTripTests {
  static let edges = [0, 1, 255, 256, 257, 4095, 4096, 4097, 65535, 65536, 65537, 1 << 20, (1 << 20) + 1, 3_000_000]

  @Test(arguments: edges) func dataOfEverySizeComesBack(size: Int) throws {
    try check(try Sample(metadata: 3, data: size))
  }

  @Test(arguments: [0, 1, 256, 4097, 65536]) func metadataOfEverySizeComesBack(size: Int) throws {
    try check(try Sample(metadata: size, data: 1))
  }

  @Test(arguments: [0, 1, 256, 4097, 65537, 1 << 20]) func aThumbnailOfEverySizeComesBack(size: Int) throws {
    try check(try Sample(thumbnail: size, data: 1))
  }

  @Test func randomSizesComeBack() throws {
    var dice = SystemRandomNumberGenerator()
    for _ in 0..<40 {
      let sizes = [16, 20, 22].map { Int.random(in: 0...1 << Int.random(in: 0..<$0, using: &dice), using: &dice) }
      let sample = try Sample(
        metadata: sizes[0], thumbnail: sizes[1], data: sizes[2], piece: Int.random(in: 1...200_000, using: &dice),
        hands: Int.random(in: 1...4, using: &dice))
      #expect(throws: Never.self, "\(sizes)") { try check(sample) }
    }
  }

  /// However many work at it, and however the source comes in, it is the same file.
  @Test func theBytesDependOnNothingElse() throws {
    let one = try Sample(metadata: 9, thumbnail: 9, data: 5_000_000, hands: 1)
    for (piece, hands) in [(Int.max, 2), (65_537, 3), (1_000_003, 8)] {
      let other = try Sample(metadata: 9, thumbnail: 9, data: 5_000_000, piece: piece, hands: hands)
      #expect(isSame(other.bytes, one.bytes))
      #expect(other.file.root == one.file.root && other.file.leaves == one.file.leaves)
    }
  }

  @Test func aSectionOpensWithoutTheOthers() throws {
    let sample = try Sample(metadata: 300, thumbnail: 5000, data: 2_500_000)
    let opener = try sample.opener()
    #expect(try opener.thumbnail(sample.section(.thumbnail)) == sample.thumbnail)
    let leaves = try opener.leaves(sample.file.leaves)
    let wanted: Range<UInt64> = 1_500_000..<1_500_001
    #expect(opener.leaves(holding: wanted) == 1..<2)
    let leaf = try opener.data(sample.part(sample.file.layout.range(of: FileLeaf(.data, 1))), leaf: 1, leaves)
    #expect(isSame(leaf, Array(sample.data[1 << 20..<2 << 20])))
    #expect(opener.leaves(holding: 0..<0).isEmpty && opener.leaves(holding: 2_500_000..<9_000_000).isEmpty)
    #expect(opener.leaves(holding: 0..<UInt64.max) == 0..<3)
  }

  /// Nobody can tell sizes within a bucket apart by the length of the file.
  @Test func theLengthHidesTheSize() throws {
    let lengths = Set(try [3_000_000, 3_000_001, 3_014_655].map { try Sample(data: $0).bytes.count })
    #expect(lengths.count == 1)
  }

  private func check(_ sample: Sample) throws {
    let layout = sample.file.layout
    #expect(layout.length == UInt64(sample.bytes.count))
    #expect(FileLayout(length: layout.length, metadata: layout.metadata, thumbnail: layout.thumbnail) == layout)
    let opener = try sample.opener()
    #expect(try opener.metadata(sample.section(.metadata)) == sample.metadata)
    #expect(try opener.thumbnail(sample.section(.thumbnail)) == sample.thumbnail)
    let leaves = try opener.needsLeaves ? opener.leaves(sample.file.leaves) : opener.soleLeaf()
    var source = MemorySource(sample.section(.data), piece: 100_000)
    var sink = MemorySink()
    try opener.data(from: &source, leaves, into: &sink)
    #expect(isSame(sink.bytes, sample.data))
    try checkParts(sample)
  }

  /// What a server hashes, part by part, gives the same root.
  private func checkParts(_ sample: Sample) throws {
    let parts = FileParts(of: sample.file.layout)
    var hashes: [Hash32] = []
    var end: UInt64 = 0
    for part in 0..<parts.count {
      let range = try #require(parts.range(of: part))
      #expect(range.lowerBound == end)
      end = range.upperBound
      var hasher = try PartHasher(part, of: parts)
      var rest = sample.part(range)[...]
      while !rest.isEmpty {
        try hasher.update(Array(rest.prefix(70_001)))
        rest = rest.dropFirst(70_001)
      }
      hashes += try hasher.finish()
    }
    #expect(end == sample.file.layout.length)
    #expect(sample.file.layout.root(ofLeaves: hashes) == sample.file.root)
    #expect(sample.file.layout.root(ofLeaves: hashes.dropLast()) == nil)
  }
}
