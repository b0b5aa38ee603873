public import Signing

/// What opens a file, and what its root is made of (spec §10.3). It goes into the sealed metadata of the node that lists the file.
public struct FileKey: Equatable, Sendable {
  /// 32 bytes.
  public let secret: SecretBytes
  /// As it stands in the file, sealed.
  public let header: [UInt8]
  /// The hash of that section's leaf; zeros where it is empty.
  public let metadata: Hash32
  /// Likewise.
  public let thumbnail: Hash32
  /// The root of the tree over the data's leaves.
  public let data: Hash32

  /// Returns nil for a key or a header of another length.
  public init?(secret: SecretBytes, header: [UInt8], metadata: Hash32, thumbnail: Hash32, data: Hash32) {
    guard secret.count == 32, UInt64(header.count) == FileLayout.header else { return nil }
    self.secret = secret
    self.header = header
    self.metadata = metadata
    self.thumbnail = thumbnail
    self.data = data
  }

  /// The root of the file that this belongs to.
  public func root(in layout: FileLayout) -> Hash32 {
    layout.root(
      header: LeafHasher.hash(header, FileLeaf(.header)), metadata: metadata, thumbnail: thumbnail, data: data)
  }
}
