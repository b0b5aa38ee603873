public import Signing

/// Opens one file, section by section and leaf by leaf (spec §10.4). Nothing comes out of it that was not checked against the root that a
/// node's header lists, and opened.
public struct FileOpener: Sendable {
  public let layout: FileLayout
  /// Of the sections' plaintexts.
  public let sizes: FileSizes
  private let content: ContentID
  private let key: FileKey

  /// Believes a key that gives the root, and opens the header that is in it.
  public init(content: ContentID, layout: FileLayout, root: Hash32, key: FileKey) throws(FileFault) {
    guard key.root(in: layout) == root else { throw .contentMismatch }
    self.layout = layout
    self.content = content
    self.key = key
    let cipher = SectionCipher(.header, of: content, under: key.secret, in: layout)
    guard let header = cipher.open(key.header) else { throw .contentUnopenable }
    guard header[0] == 1 else { throw .suiteUnknown }
    sizes = FileSizes(
      metadata: BigEndian.read(header[40..<48]), thumbnail: BigEndian.read(header[48..<56]),
      data: BigEndian.read(header[56..<64]))
    guard header == sizes.header, FileLayout(sizes) == layout else { throw .malformed }
  }

  /// Opens the metadata: the bytes of its range in the file.
  public func metadata(_ bytes: [UInt8]) throws(FileFault) -> [UInt8] {
    try open(.metadata, bytes, key.metadata, sizes.metadata)
  }

  /// Opens the thumbnail: the bytes of its range in the file.
  public func thumbnail(_ bytes: [UInt8]) throws(FileFault) -> [UInt8] {
    try open(.thumbnail, bytes, key.thumbnail, sizes.thumbnail)
  }

  /// Whether the leaves' hashes have to be fetched: of one leaf, and of none, the key tells them.
  public var needsLeaves: Bool { layout.leafCount > 1 }

  /// Believes the hashes of the data's leaves, 32 bytes each.
  public func leaves(_ bytes: [UInt8]) throws(FileFault) -> FileLeaves {
    guard let tree = FileTree(leaves: bytes), tree.count == layout.leafCount else { throw .contentMissing }
    guard tree.root == key.data else { throw .contentMismatch }
    return FileLeaves(bytes: bytes, root: key.data)
  }

  /// The hashes of the leaves of data that has one at most.
  public func soleLeaf() throws(FileFault) -> FileLeaves {
    try leaves(layout.leafCount == 0 ? [] : key.data.bytes)
  }

  /// The leaves that hold these bytes of the data.
  public func leaves(holding range: Range<UInt64>) -> Range<UInt64> {
    let range = range.clamped(to: 0..<sizes.data)
    guard !range.isEmpty else { return 0..<0 }
    return range.lowerBound / FileChunk.leafSize..<(range.upperBound - 1) / FileChunk.leafSize + 1
  }

  /// Whether these are the bytes of a leaf other than the header's, without opening them.
  package func isRight(_ bytes: [UInt8], _ leaf: FileLeaf, _ leaves: FileLeaves) -> Bool {
    guard bytes.count == layout.range(of: leaf).count else { return false }
    let hash =
      switch leaf.section {
      case .header: nil as Hash32?
      case .metadata: key.metadata
      case .thumbnail: key.thumbnail
      case .data: leaves.root == key.data && leaf.index < layout.leafCount ? leaves.hash(leaf.index) : nil
      }
    return LeafHasher.hash(bytes, leaf) == hash
  }

  /// Opens one leaf of the data: the bytes of its range in the file. Returns what it holds of the data, without padding.
  public func data(_ bytes: [UInt8], leaf index: UInt64, _ leaves: FileLeaves) throws(FileFault) -> [UInt8] {
    let leaf = FileLeaf(.data, index)
    guard index < layout.leafCount, bytes.count == layout.range(of: leaf).count else { throw .contentMissing }
    guard leaves.root == key.data, LeafHasher.hash(bytes, leaf) == leaves.hash(index) else { throw .contentMismatch }
    guard let padded = cipher(.data).open(bytes, from: index * FileChunk.perLeaf) else { throw .contentUnopenable }
    let start = index * FileChunk.leafSize
    return try unpadded(padded, size: max(sizes.data, start) - start)
  }

  /// Opens all of the data as its bytes come, one leaf in memory at a time. Throws a `FileFault`, and what source and sink throw; what
  /// the sink got before is right.
  public func data(
    from source: inout some FileSource, _ leaves: FileLeaves, into sink: inout some FileSink
  ) throws {
    for index in 0..<layout.leafCount {
      let bytes = try source.readAll(layout.range(of: FileLeaf(.data, index)).count)
      let plain = try data(bytes, leaf: index, leaves)
      if !plain.isEmpty { try sink.write(plain) }
    }
    guard try source.read(1).isEmpty else { throw FileFault.contentMissing }
  }

  private func open(
    _ section: FileSection, _ bytes: [UInt8], _ hash: Hash32, _ size: UInt64
  ) throws(FileFault) -> [UInt8] {
    guard bytes.count == layout.range(of: section).count else { throw .contentMissing }
    guard LeafHasher.hash(bytes, FileLeaf(section)) == hash else { throw .contentMismatch }
    guard let padded = cipher(section).open(bytes) else { throw .contentUnopenable }
    return try unpadded(padded, size: size)
  }

  private func unpadded(_ padded: [UInt8], size: UInt64) throws(FileFault) -> [UInt8] {
    guard size < UInt64(padded.count) else { return padded }
    guard isZero(padded, from: Int(size)) else { throw .malformed }
    return Array(padded[..<Int(size)])
  }

  private func cipher(_ section: FileSection) -> SectionCipher {
    SectionCipher(section, of: content, under: key.secret, in: layout)
  }
}

/// The hashes of a file's leaves, which fit its root. Only a `FileOpener` makes them.
public struct FileLeaves: Sendable {
  package let bytes: [UInt8]
  fileprivate let root: Hash32

  fileprivate func hash(_ index: UInt64) -> Hash32? {
    Hash32(bytes: bytes[Int(index) * Hash32.length..<(Int(index) + 1) * Hash32.length])
  }
}

/// Why a file, or a part of it, does not open: reasons of spec §10.
public enum FileFault: String, Error, CaseIterable, Sendable {
  /// The bytes are not those that the node's header lists.
  case contentMismatch = "content-mismatch"
  /// They are, and the key does not open them.
  case contentUnopenable = "content-unopenable"
  /// There are fewer or more of them than the file has there.
  case contentMissing = "content-missing"
  case malformed
  case suiteUnknown = "suite-unknown"
}
