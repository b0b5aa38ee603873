/// How long the sealed sections of a file are, and so where each of them stands (spec §10.1, §10.3).
public struct FileLayout: Hashable, Sendable {
  /// Of the whole file, in bytes, like the next two.
  public let length: UInt64
  /// Of the sealed metadata.
  public let metadata: UInt64
  /// Of the sealed thumbnail.
  public let thumbnail: UInt64

  /// Of the sealed header.
  public static let header: UInt64 = 80

  /// Returns nil unless each section has a length that sealing gives to something within its limit.
  public init?(length: UInt64, metadata: UInt64, thumbnail: UInt64) {
    guard Self.isLength(metadata, of: .metadata), Self.isLength(thumbnail, of: .thumbnail),
      length >= Self.header + metadata + thumbnail,
      Self.isLength(length - Self.header - metadata - thumbnail, of: .data)
    else { return nil }
    self.length = length
    self.metadata = metadata
    self.thumbnail = thumbnail
  }

  /// Returns nil for a size above its limit.
  public init?(_ sizes: FileSizes) {
    guard sizes.metadata <= FileSection.metadata.limit, sizes.thumbnail <= FileSection.thumbnail.limit,
      sizes.data <= FileSection.data.limit
    else { return nil }
    metadata = Self.sealedLength(of: sizes.metadata)
    thumbnail = Self.sealedLength(of: sizes.thumbnail)
    length = Self.header + metadata + thumbnail + Self.sealedLength(of: sizes.data)
  }

  /// Of the sealed data.
  public var data: UInt64 { length - Self.header - metadata - thumbnail }

  /// Where a section stands in the file.
  public func range(of section: FileSection) -> Range<UInt64> {
    let thumbnailEnd = Self.header + metadata + thumbnail
    return switch section {
    case .header: 0..<Self.header
    case .metadata: Self.header..<Self.header + metadata
    case .thumbnail: Self.header + metadata..<thumbnailEnd
    case .data: thumbnailEnd..<length
    }
  }

  /// How many leaves the data has.
  public var leafCount: UInt64 { (data + FileChunk.sealedLeafSize - 1) / FileChunk.sealedLeafSize }

  /// Where a leaf stands in the file.
  public func range(of leaf: FileLeaf) -> Range<UInt64> {
    let section = range(of: leaf.section)
    guard leaf.section == .data else { return section }
    let start = min(section.lowerBound + leaf.index * FileChunk.sealedLeafSize, section.upperBound)
    return start..<min(start + FileChunk.sealedLeafSize, section.upperBound)
  }

  /// How many bytes `size` of a section become, padded and sealed: `S` of spec §10.1.
  package static func sealedLength(of size: UInt64) -> UInt64 {
    let padded = Bucket.holding(size)
    return padded + FileChunk.overhead * ((padded + FileChunk.size - 1) / FileChunk.size)
  }

  /// How many chunks so many sealed bytes are.
  package static func chunks(in length: UInt64) -> UInt64 {
    let sealed = FileChunk.size + FileChunk.overhead
    return (length + sealed - 1) / sealed
  }

  private static func isLength(_ length: UInt64, of section: FileSection) -> Bool {
    guard length <= sealedLength(of: section.limit) else { return false }
    let added = chunks(in: length) * FileChunk.overhead
    return length >= added && sealedLength(of: length - added) == length
  }
}

/// What is hashed as a whole: a sealed section, or a mebibyte of the data.
public struct FileLeaf: Hashable, Sendable {
  public let section: FileSection
  /// In its section, from 0.
  public let index: UInt64

  public init(_ section: FileSection, _ index: UInt64 = 0) {
    self.section = section
    self.index = index
  }
}
