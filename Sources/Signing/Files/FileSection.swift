/// What of a file is sealed under a key of its own (spec §10.1).
public enum FileSection: UInt8, Sendable, CaseIterable {
  case header = 0
  case metadata = 1
  case data = 2
  case thumbnail = 3

  /// The most bytes that it may hold.
  public var limit: UInt64 {
    switch self {
    case .header: 64
    case .metadata: 64 * 1024
    case .thumbnail: 1024 * 1024
    case .data: 1 << 40
    }
  }
}

/// How much each of the app's sections of a file holds, in bytes.
public struct FileSizes: Hashable, Sendable {
  public let metadata: UInt64
  public let thumbnail: UInt64
  public let data: UInt64

  public init(metadata: UInt64, thumbnail: UInt64, data: UInt64) {
    self.metadata = metadata
    self.thumbnail = thumbnail
    self.data = data
  }
}

/// What is sealed, and what is hashed, at once (spec §10.1, §10.2). In bytes.
public enum FileChunk {
  /// Of plaintext; the last of a section may be shorter.
  public static let size: UInt64 = 64 * 1024
  /// What sealing adds to each.
  public static let overhead: UInt64 = 16
  /// Of chunks in a leaf of the data.
  public static let perLeaf: UInt64 = 16
  /// Of padded plaintext in a leaf of the data.
  public static let leafSize = perLeaf * size
  /// Of a leaf of the data.
  public static let sealedLeafSize = perLeaf * (size + overhead)
}
