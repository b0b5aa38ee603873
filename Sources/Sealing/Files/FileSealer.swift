import Dispatch
public import Signing
import Synchronization

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
    let cipher = cipher(.data)
    let padding = Bucket.holding(sizes.data)
    var hashes: [UInt8] = []
    for first in stride(from: 0, to: layout.leafCount, by: hands) {
      var leaves: [[UInt8]] = []
      for leaf in first..<min(first + UInt64(hands), layout.leafCount) {
        let start = leaf * FileChunk.leafSize
        let wanted = Int(min(FileChunk.leafSize, max(sizes.data, start) - start))
        let plain = try data.readAll(wanted)
        guard plain.count == wanted else { throw FileSealError.sourceChanged }
        leaves.append(padded(plain, to: Int(min(FileChunk.leafSize, padding - start))))
      }
      for (sealed, hash) in sealTogether(leaves, from: first, cipher) {
        try sink.write(sealed)
        hashes += hash.bytes
      }
    }
    guard try data.read(1).isEmpty else { throw FileSealError.sourceChanged }
    return hashes
  }

  private func padded(_ plain: [UInt8], to length: Int) -> [UInt8] {
    plain.count == length ? plain : plain + [UInt8](repeating: 0, count: length - plain.count)
  }

  /// Each leaf on a core of its own: hashing costs more than sealing does.
  private func sealTogether(_ leaves: [[UInt8]], from first: UInt64, _ cipher: SectionCipher) -> [([UInt8], Hash32)] {
    let made = Mutex([Int: ([UInt8], Hash32)]())
    DispatchQueue.concurrentPerform(iterations: leaves.count) { place in
      let index = first + UInt64(place)
      let sealed = cipher.seal(leaves[place], from: index * FileChunk.perLeaf)
      let hash = LeafHasher.hash(sealed, FileLeaf(.data, index))
      made.withLock { $0[place] = (sealed, hash) }
    }
    return made.withLock { made in leaves.indices.compactMap { made[$0] } }
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
