public import Signing

/// Seals one file (spec §10.1). It draws the key and the content id itself, and sealing consumes it: so no key ever meets a second plaintext.
/// Whoever tries again, because the source has changed or could not be read, makes another one and throws away what was written.
public struct FileSealer: ~Copyable {
  /// The id under which the file is uploaded and listed.
  public let content: ContentID
  public let layout: FileLayout
  private let secret: SecretBytes
  private let sizes: FileSizes
  private let metadata: [UInt8]
  private let thumbnail: [UInt8]

  /// Draws the key for a file whose data has `dataSize` bytes.
  public init(
    metadata: [UInt8] = [], thumbnail: [UInt8] = [], dataSize: UInt64, _ entropy: some Entropy
  ) throws(FileSealError) {
    sizes = FileSizes(metadata: UInt64(metadata.count), thumbnail: UInt64(thumbnail.count), data: dataSize)
    guard let layout = FileLayout(sizes) else { throw .tooLarge }
    self.layout = layout
    self.metadata = metadata
    self.thumbnail = thumbnail
    content = .random(entropy)
    secret = SecretBytes(entropy.bytes(32))
  }

  /// Reads all of `data` and writes the file, first byte to last. Keeps `hands` leaves in memory, sealed and not, each for a core of its own.
  /// Throws `FileSealError.sourceChanged` when there is more or less than was said, and what source and sink throw.
  public consuming func seal(
    _ data: inout some FileSource, into sink: inout some FileSink, hands: Int = 2
  ) throws -> SealedFile {
    let header = cipher(.header).seal(sizes.header)
    try sink.write(header)
    let metadataLeaf = try seal(.metadata, metadata, &sink)
    let thumbnailLeaf = try seal(.thumbnail, thumbnail, &sink)
    let leaves = try seal(&data, &sink, hands)
    guard let tree = FileTree(leaves: leaves),
      let key = FileKey(
        secret: secret, header: header, metadata: metadataLeaf, thumbnail: thumbnailLeaf, data: tree.root)
    else { preconditionFailure("a sealed file without its key") }
    return SealedFile(content: content, layout: layout, root: key.root(in: layout), key: key, leaves: leaves)
  }

  private func cipher(_ section: FileSection) -> SectionCipher {
    SectionCipher(section, of: content, under: secret, in: layout)
  }

  private func seal(_ section: FileSection, _ plain: [UInt8], _ sink: inout some FileSink) throws -> Hash32 {
    let sealed = cipher(section).seal(padded(plain, to: Int(Bucket.holding(UInt64(plain.count)))))
    if !sealed.isEmpty { try sink.write(sealed) }
    return LeafHasher.hash(sealed, FileLeaf(section))
  }

  private func seal(_ data: inout some FileSource, _ sink: inout some FileSink, _ hands: Int) throws -> [UInt8] {
    let crew = LeafCrew(cipher(.data), hands: Int(min(UInt64(hands), layout.leafCount)))
    defer { crew.end() }
    var hashes: [UInt8] = []
    var given: UInt64 = 0
    // Memory that is given back and asked for anew for each leaf costs a third of the time.
    var spare: [[UInt8]] = []
    for index in 0..<layout.leafCount {
      while given < min(index + crew.room, layout.leafCount) {
        var leaf = spare.popLast() ?? []
        try read(given, of: &data, into: &leaf)
        crew.give(given, consume leaf)
        given += 1
      }
      let leaf = crew.take(index)
      try sink.write(leaf.bytes)
      hashes += leaf.hash.bytes
      spare.append(leaf.bytes)
    }
    guard try data.read(1).isEmpty else { throw FileSealError.sourceChanged }
    return hashes
  }

  /// Puts the next leaf of the data, padded, where its chunks will be sealed.
  private func read(_ index: UInt64, of data: inout some FileSource, into leaf: inout [UInt8]) throws {
    let length = layout.range(of: FileLeaf(.data, index)).count
    if leaf.count != length { leaf = [UInt8](repeating: 0, count: length) }
    let start = index * FileChunk.leafSize
    var left = max(sizes.data, start) - start
    for place in SectionCipher.places(in: length) {
      let end = place.lowerBound + Int(min(left, UInt64(place.count)))
      guard try data.fill(&leaf, at: place.lowerBound..<end) == end - place.lowerBound else {
        throw FileSealError.sourceChanged
      }
      left -= UInt64(end - place.lowerBound)
      if end < place.upperBound {
        overwrite(&leaf, at: end, with: [UInt8](repeating: 0, count: place.upperBound - end)[...])
      }
    }
  }

  private func padded(_ plain: [UInt8], to length: Int) -> [UInt8] {
    plain.count == length ? plain : plain + [UInt8](repeating: 0, count: length - plain.count)
  }
}

/// A file that was sealed: what a header says of it, and what opens it.
public struct SealedFile: Sendable {
  public let content: ContentID
  public let layout: FileLayout
  public let root: Hash32
  public let key: FileKey
  /// The hashes of the data's leaves, 32 bytes each.
  public let leaves: [UInt8]
}

/// Why a file was not sealed.
public enum FileSealError: Error, CaseIterable, Sendable {
  /// A section is above its limit.
  case tooLarge
  /// The data has another length than was said: what was written is worth nothing, and its key was used up.
  case sourceChanged
  /// There is something else than a file: a folder, a pipe, a device.
  case notAFile
}

extension FileSizes {
  /// The plaintext of a file's header. Its zeros commit to the file key.
  var header: [UInt8] {
    [1] + [UInt8](repeating: 0, count: 39) + BigEndian.bytes(metadata) + BigEndian.bytes(thumbnail)
      + BigEndian.bytes(data)
  }
}
