import CloudAPI
import SwiftProtobuf

/// What stands beside a picture (spec §7.7). Whoever reads it believes none of it.
public struct ImageFacts: Hashable, Sendable {
  public var mediaType: String
  /// In pixels, as it is shown.
  public var width: UInt32
  public var height: UInt32
  /// Of the file that it came from; not safe for a terminal, nor for a disk.
  public var name: String

  /// Shortens a name and a type that are too long.
  public init(mediaType: String, width: UInt32, height: UInt32, name: String) {
    self.mediaType = mediaType.cut(to: 255)
    self.width = width
    self.height = height
    self.name = name.cut(to: 255)
  }

  /// Reads what `bytes` writes; nil for anything else.
  public init?(bytes: [UInt8]) {
    guard let wire = try? SealedImage(serializedBytes: bytes) else { return nil }
    self.init(mediaType: wire.mediaType, width: wire.width, height: wire.height, name: wire.name)
  }

  public var bytes: [UInt8] {
    encode(
      SealedImage.with {
        $0.mediaType = mediaType
        $0.width = width
        $0.height = height
        $0.name = name
      })
  }
}
