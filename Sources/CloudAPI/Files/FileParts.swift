public import Signing

/// The parts in which a file is uploaded (spec §10.5).
public struct FileParts: Hashable, Sendable {
  /// From so many bytes on a file has more than one.
  public static let wholeBelow: UInt64 = 10 * 1024 * 1024
  /// Of the data, in each part.
  public static let leaves: UInt64 = 4

  public let layout: FileLayout

  public init(of layout: FileLayout) { self.layout = layout }

  /// How many there are.
  public var count: UInt64 {
    layout.length < Self.wholeBelow ? 1 : (layout.leafCount + Self.leaves - 1) / Self.leaves
  }

  /// What a part has of the file; nil for one that is not.
  public func range(of part: UInt64) -> Range<UInt64>? {
    guard part < count else { return nil }
    return start(of: part)..<(part == count - 1 ? layout.length : start(of: part + 1))
  }

  /// Which part has a byte of the file.
  public func part(at offset: UInt64) -> UInt64 {
    let data = layout.range(of: .data).lowerBound
    guard offset > data else { return 0 }
    return min((offset - data) / (Self.leaves * FileChunk.sealedLeafSize), count - 1)
  }

  /// Which part has a leaf of the data.
  public func part(ofLeaf leaf: UInt64) -> UInt64 { min(leaf / Self.leaves, count - 1) }

  /// The leaves of a part, in order. An empty section has one too, of no bytes, which hashes to zeros.
  public func leaves(of part: UInt64) -> [FileLeaf] {
    guard part < count else { return [] }
    let sections: [FileSection] = part == 0 ? [.header, .metadata, .thumbnail] : []
    let end = part == count - 1 ? layout.leafCount : (part + 1) * Self.leaves
    return sections.map { FileLeaf($0) } + (part * Self.leaves..<end).map { FileLeaf(.data, $0) }
  }

  private func start(of part: UInt64) -> UInt64 {
    part == 0 ? 0 : layout.range(of: FileLeaf(.data, part * Self.leaves)).lowerBound
  }
}

/// Hashes the leaves of one part as its bytes come, and keeps none of them.
public struct PartHasher: ~Copyable {
  private let layout: FileLayout
  private let leaves: [FileLeaf]
  private var hashes: [Hash32] = []
  private var hasher: LeafHasher
  /// Bytes that the leaf in hand still lacks.
  private var wanted: UInt64

  /// Begins a part. Refuses one that is not, as malformed.
  public init(_ part: UInt64, of parts: FileParts) throws(Refusal) {
    guard let first = parts.leaves(of: part).first else { throw .malformed }
    layout = parts.layout
    leaves = parts.leaves(of: part)
    hasher = LeafHasher(first)
    wanted = UInt64(layout.range(of: first).count)
  }

  /// Takes the part's next bytes. Refuses more than it has, as malformed.
  public mutating func update(_ bytes: [UInt8]) throws(Refusal) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if wanted == 0 { try beginNext() }
      let taken = rest.prefix(Int(min(wanted, UInt64(rest.count))))
      hasher.update(taken)
      wanted -= UInt64(taken.count)
      rest = rest.dropFirst(taken.count)
    }
  }

  /// The hashes of the part's leaves, in order. Refuses less than it has, as malformed.
  public consuming func finish() throws(Refusal) -> [Hash32] {
    while wanted == 0, hashes.count + 1 < leaves.count { try beginNext() }
    guard wanted == 0, hashes.count + 1 == leaves.count else { throw .malformed }
    return hashes + [hasher.finish()]
  }

  private mutating func beginNext() throws(Refusal) {
    guard hashes.count + 1 < leaves.count else { throw .malformed }
    let next = leaves[hashes.count + 1]
    var done = LeafHasher(next)
    swap(&done, &hasher)
    hashes.append(done.finish())
    wanted = UInt64(layout.range(of: next).count)
  }
}

extension FileLayout {
  /// The root that a file with these leaves has, in their order: header, metadata, thumbnail and then the data's. Returns nil for another number
  /// of them than the layout has.
  public func root(ofLeaves leaves: some Collection<Hash32>) -> Hash32? {
    guard leaves.count >= 3, UInt64(leaves.count - 3) == leafCount else { return nil }
    let first = Array(leaves.prefix(3))
    var tree = FileTree()
    for leaf in leaves.dropFirst(3) { tree.append(leaf) }
    return root(header: first[0], metadata: first[1], thumbnail: first[2], data: tree.root)
  }
}
