/// Makes pixels of pictures. Decoders are large programs in C; so who decodes, and where, is for the caller to choose.
public protocol PictureDecoder: Sendable {
  /// The first frame as somebody sees it, its longer side of at most so many pixels: of `picture.size(fitting:)`.
  func bitmap(of picture: Picture, fitting side: Int) throws(PictureError) -> Bitmap
}

extension PictureDecoder {
  /// A small copy of a picture: of at most 256 pixels a side, without metadata, as a JPEG, or as a PNG where something shines through.
  public func thumbnail(of picture: Picture) throws(PictureError) -> [UInt8] {
    try bitmap(of: picture, fitting: PictureLimits.thumbnailSide).encoded()
  }
}

/// Decodes in this process, with libgd.
public struct DirectDecoder: PictureDecoder {
  public init() {}

  public func bitmap(of picture: Picture, fitting side: Int) throws(PictureError) -> Bitmap {
    let gd = try GD.loaded()
    return try gd.decode(picture.still, scale: picture.scale, fitting: max(1, side)).turned(picture.orientation)
  }
}
