import Sealing
import Signing
import Testing

/// Whatever a server makes of a file, each leaf that is not the author's is refused, with its reason and before a byte of it is given out.
@Suite struct TamperTests {
  static let step = Int(FileChunk.size + FileChunk.overhead)
  static let leaf = Int(FileChunk.sealedLeafSize)
  /// Three leaves, 40 chunks.
  static let sample = Result { try Sample(metadata: 700, thumbnail: 70_000, data: 2_600_000) }

  /// Reads all the data as one stream; returns the reason, and how many bytes came out before it.
  static func read(_ data: [UInt8], hashes: [UInt8]? = nil) throws -> (fault: FileFault?, out: Int) {
    let sample = try sample.get()
    let opener = try sample.opener()
    var source = MemorySource(data, piece: 300_000)
    var sink = MemorySink()
    do {
      let leaves = try opener.leaves(hashes ?? sample.file.leaves)
      try opener.data(from: &source, leaves, into: &sink)
      #expect(isSame(sink.bytes, sample.data))
      return (nil, sink.bytes.count)
    } catch let fault as FileFault {
      #expect(isSame(sink.bytes, Array(sample.data[..<min(sink.bytes.count, sample.data.count)])))
      return (fault, sink.bytes.count)
    }
  }

  @Test func aBitFlippedAtAnyBoundaryOfAChunkIsSeen() throws {
    let data = try Self.sample.get().section(.data)
    #expect(try Self.read(data).fault == nil)
    var places: Set = [data.count - 1]
    for start in stride(from: 0, to: data.count, by: Self.step) {
      for place in [start - 17, start - 16, start - 1, start, start + 1] where data.indices.contains(place) {
        places.insert(place)
      }
    }
    #expect(places.count >= 198)
    let opener = try Self.sample.get().opener()
    let leaves = try opener.leaves(Self.sample.get().file.leaves)
    for place in places {
      let index = place / Self.leaf
      var bytes = Array(data[index * Self.leaf..<min((index + 1) * Self.leaf, data.count)])
      bytes[place % Self.leaf] ^= 1 << UInt8(place % 8)
      #expect(throws: FileFault.contentMismatch, "byte \(place)") {
        _ = try opener.data(bytes, leaf: UInt64(index), leaves)
      }
    }
    for place in [0, Self.leaf, 2 * Self.leaf] {
      var changed = data
      changed[place] ^= 1
      let (fault, out) = try Self.read(changed)
      #expect(fault == .contentMismatch && out == (place / Self.leaf) << 20)
    }
  }

  @Test func chunksOutOfPlaceAreSeen() throws {
    let data = try Self.sample.get().section(.data)
    let chunks = stride(from: 0, to: data.count, by: Self.step).map {
      Array(data[$0..<min($0 + Self.step, data.count)])
    }
    for first in chunks.indices.dropLast() {
      let before = (first / 16) << 20
      var swapped = chunks
      swapped.swapAt(first, first + 1)
      // Of the last two one is shorter, and both are in the last leaf.
      try expect(.contentMismatch, before, join(swapped))
      var repeated = chunks
      repeated[first + 1] = chunks[first]
      let all = join(repeated)
      try expect(all.count == data.count ? .contentMismatch : nil, ((first + 1) / 16) << 20, all)
    }
    for index in chunks.indices {
      try expect(nil, ((index + 1) / 16) << 20, join(chunks[...index] + chunks[index...]))
      try expect(nil, (index / 16) << 20, join(chunks[..<index] + chunks[(index + 1)...]))
    }
  }

  private func join(_ chunks: some Sequence<[UInt8]>) -> [UInt8] { chunks.reduce(into: []) { $0 += $1 } }

  /// With `fault` nil either reason will do: at the end of an answer it is its length that is wrong.
  private func expect(_ fault: FileFault?, _ before: Int, _ data: [UInt8]) throws {
    let (found, out) = try Self.read(data)
    #expect(
      fault == nil ? [.contentMismatch, .contentMissing].contains(found) : found == fault,
      "\(String(describing: found))")
    #expect(out == before || found == .contentMissing && out == 2_600_000)
  }

  @Test func anotherLengthIsSeen() throws {
    let data = try Self.sample.get().section(.data)
    for cut in [1, 16, Self.step, data.count - 2 * Self.leaf, data.count - Self.leaf, data.count] {
      let (fault, out) = try Self.read(Array(data.dropLast(cut)))
      #expect(fault == .contentMissing && out == ((data.count - cut) / Self.leaf) << 20)
    }
    for added in [[0], Array(data.suffix(Self.step)), data] {
      let (fault, out) = try Self.read(data + added)
      // What came before the end is the author's.
      #expect(fault == .contentMissing && out == 2_600_000)
    }
  }

  @Test func anotherVersionOrFileIsSeen() throws {
    let sample = try Self.sample.get()
    let data = sample.section(.data)
    let other = try Sample(metadata: 700, thumbnail: 70_000, data: 2_600_000, seed: 2)
    #expect(other.bytes.count == sample.bytes.count)
    let theirs = other.section(.data)
    for index in 0..<3 {
      let range = index * Self.leaf..<min((index + 1) * Self.leaf, data.count)
      var mixed = data
      mixed.replaceSubrange(range, with: theirs[range])
      let (fault, out) = try Self.read(mixed)
      #expect(fault == .contentMismatch && out == index << 20)
    }
    #expect(try Self.read(theirs, hashes: other.file.leaves) == (.contentMismatch, 0))
    let opener = try sample.opener()
    #expect(throws: FileFault.contentMismatch) { _ = try opener.metadata(other.section(.metadata)) }
    #expect(throws: FileFault.contentMismatch) { _ = try opener.thumbnail(other.section(.thumbnail)) }
    let leaves = try other.opener().leaves(other.file.leaves)
    #expect(throws: FileFault.contentMismatch) {
      _ = try opener.data(Array(theirs[..<Self.leaf]), leaf: 0, leaves)
    }
  }

  @Test func forgedHashesAreSeen() throws {
    let sample = try Self.sample.get()
    let hashes = sample.file.leaves
    var data = sample.section(.data)
    data[Self.leaf + 5] ^= 1
    let forged = LeafHasher.hash(Array(data[Self.leaf..<2 * Self.leaf]), FileLeaf(.data, 1))
    var lying = hashes
    lying.replaceSubrange(32..<64, with: forged.bytes)
    #expect(try Self.read(data, hashes: lying) == (.contentMismatch, 0))
    for place in hashes.indices {
      var changed = hashes
      changed[place] ^= 0x80
      #expect(try Self.read(data, hashes: changed) == (.contentMismatch, 0))
    }
    let swapped = Array(hashes[32..<64] + hashes[..<32] + hashes[64...])
    #expect(try Self.read(data, hashes: swapped) == (.contentMismatch, 0))
    for wrong in [[], Array(hashes[..<64]), hashes + hashes[..<32], Array(hashes.dropLast()), hashes + [0]] {
      #expect(try Self.read(data, hashes: wrong) == (.contentMissing, 0))
    }
  }

  @Test func sectionsAreCheckedToo() throws {
    let sample = try Self.sample.get()
    let opener = try sample.opener()
    for (section, open) in [(FileSection.metadata, opener.metadata), (.thumbnail, opener.thumbnail)] {
      let bytes = sample.section(section)
      for place in [0, bytes.count / 2, bytes.count - 17, bytes.count - 16, bytes.count - 1] {
        var changed = bytes
        changed[place] ^= 2
        #expect(throws: FileFault.contentMismatch) { _ = try open(changed) }
      }
      for wrong in [[], Array(bytes.dropLast()), bytes + [0], bytes + bytes] {
        #expect(throws: FileFault.contentMissing) { _ = try open(wrong) }
      }
    }
  }

  @Test func theKeyBelongsToOneRootAndOneId() throws {
    let (sample, other) = (try Self.sample.get(), try Sample(metadata: 700, data: 10, seed: 9))
    let file = sample.file
    func open(_ content: ContentID, _ layout: FileLayout, _ root: Hash32, _ key: FileKey) throws {
      _ = try FileOpener(content: content, layout: layout, root: root, key: key)
    }
    #expect(throws: Never.self) { try open(file.content, file.layout, file.root, file.key) }
    #expect(throws: FileFault.contentMismatch) { try open(file.content, file.layout, other.file.root, file.key) }
    #expect(throws: FileFault.contentMismatch) { try open(file.content, file.layout, file.root, other.file.key) }
    #expect(throws: FileFault.contentMismatch) { try open(file.content, other.file.layout, file.root, file.key) }
    #expect(throws: FileFault.contentUnopenable) { try open(other.file.content, file.layout, file.root, file.key) }
    let stolen = try #require(
      FileKey(
        secret: other.file.key.secret, header: file.key.header, metadata: file.key.metadata,
        thumbnail: file.key.thumbnail, data: file.key.data))
    #expect(throws: FileFault.contentUnopenable) { try open(file.content, file.layout, file.root, stolen) }
  }
}
