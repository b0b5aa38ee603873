/// A file that was looked through from its first byte to its last, and is a picture of a size that may be decoded. Its pixels were not looked at.
public struct Picture: Sendable {
  /// The file.
  public let bytes: [UInt8]
  private let walk: Walk

  /// Looks through a file, in time that grows with its length only.
  public init(_ bytes: [UInt8]) throws(PictureError) {
    guard bytes.count <= PictureLimits.fileSize else { throw .fileTooLarge }
    self.bytes = bytes
    walk =
      switch try PictureKind.recognised(in: bytes) {
      case .jpeg: try JPEGWalker.walk(bytes)
      case .png: try PNGWalker.walk(bytes)
      case .gif: try GIFWalker.walk(bytes)
      case .webp: try WebPWalker.walk(bytes)
      }
  }

  public var kind: PictureKind { walk.kind }
  /// As somebody sees it, in pixels, like the height.
  public var width: Int { orientation.swapsSides ? walk.height : walk.width }
  public var height: Int { orientation.swapsSides ? walk.width : walk.height }
  public var orientation: Orientation { walk.orientation }
  /// What is in the file beside the picture, in the order of the file.
  public var metadata: [PictureMetadata] { walk.metadata }
  /// Whether a place was found in it. Where none was, `metadata` may still tell one in words.
  public var hasLocation: Bool { walk.hasLocation }
  /// Whether the maker or the model of a camera was found in it.
  public var hasCamera: Bool { walk.hasCamera }

  /// The same file without what `metadata` lists. Pixels, animation and colour profile are the same bytes as before; of the metadata the
  /// orientation is left, where it matters (docs/pictures.md).
  public func withoutMetadata() -> [UInt8] { Piece.joined(walk.pieces, of: bytes) }

  /// The size of the picture when its longer side has at most so many pixels. It never grows.
  public func size(fitting side: Int) -> (width: Int, height: Int) {
    let size = scale.size(fitting: side)
    return orientation.swapsSides ? (size.height, size.width) : size
  }

  /// What a decoder is given: the first frame, without metadata.
  var still: Still {
    let still = Piece.joined(walk.still ?? walk.pieces, of: bytes)
    return Still(
      kind: kind, bytes: still, frame: walk.frame ?? Frame(x: 0, y: 0, width: walk.width, height: walk.height))
  }

  /// Of the stored pixels.
  var scale: Scale { Scale(width: walk.width, height: walk.height) }
}

/// One frame as a file of its own.
struct Still {
  let kind: PictureKind
  let bytes: [UInt8]
  /// Where in the picture it stands.
  let frame: Frame
}

/// A rectangle of a picture.
struct Frame: Equatable {
  let x: Int
  let y: Int
  let width: Int
  let height: Int
}

/// How large something becomes that is made smaller.
struct Scale {
  let width: Int
  let height: Int

  func size(fitting side: Int) -> (width: Int, height: Int) {
    let longer = max(width, height)
    guard longer > side else { return (width, height) }
    return (max(1, (width * side + longer / 2) / longer), max(1, (height * side + longer / 2) / longer))
  }
}
