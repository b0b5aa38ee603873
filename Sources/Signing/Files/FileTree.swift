/// The tree over the leaves of a file's data (spec §10.2), of which only one hash a level is kept.
public struct FileTree: Sendable {
  private var peaks: [Hash32] = []
  /// How many leaves there were.
  public private(set) var count: UInt64 = 0

  public init() {}

  /// Takes the hash of the next leaf.
  public mutating func append(_ leaf: Hash32) {
    count += 1
    var hash = leaf
    // The peaks are the ones in the binary number of the leaves before: each carry joins two of one size.
    for _ in 0..<count.trailingZeroBitCount { hash = Self.node(peaks.removeLast(), hash) }
    peaks.append(hash)
  }

  /// Of the leaves so far; zeros for none.
  public var root: Hash32 {
    guard let last = peaks.last else { return .zeros }
    return peaks.dropLast().reversed().reduce(last) { Self.node($1, $0) }
  }

  private static func node(_ left: Hash32, _ right: Hash32) -> Hash32 { digest(.fileNode, left.bytes + right.bytes) }
}

extension FileTree {
  /// The tree over these hashes, 32 bytes each. Returns nil if something is left over.
  public init?(leaves bytes: [UInt8]) {
    self.init()
    guard bytes.count.isMultiple(of: Hash32.length) else { return nil }
    for start in stride(from: 0, to: bytes.count, by: Hash32.length) {
      append(Hash32(exactly: Array(bytes[start..<start + Hash32.length])))
    }
  }
}

extension FileLayout {
  /// The root of a file (spec §10.2): of the hashes of three leaves, zeros for an empty section's, and of the data root.
  public func root(header: Hash32, metadata: Hash32, thumbnail: Hash32, data: Hash32) -> Hash32 {
    digest(
      .fileRoot,
      BigEndian.bytes(length) + BigEndian.bytes(self.metadata) + BigEndian.bytes(self.thumbnail) + header.bytes
        + metadata.bytes + thumbnail.bytes + data.bytes)
  }
}
