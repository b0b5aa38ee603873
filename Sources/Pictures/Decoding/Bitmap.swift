/// Pixels as somebody sees them, row by row, each of red, green, blue and alpha, which is 255 where nothing shines through.
public struct Bitmap: Equatable, Sendable {
  public let width: Int
  public let height: Int
  /// Four bytes a pixel.
  public let pixels: [UInt8]

  /// Nil unless there are four bytes for each pixel, and there is one.
  public init?(width: Int, height: Int, pixels: [UInt8]) {
    guard width > 0, height > 0, width <= PictureLimits.side, height <= PictureLimits.side,
      pixels.count == 4 * width * height
    else { return nil }
    (self.width, self.height, self.pixels) = (width, height, pixels)
  }

  /// Whether something shines through anywhere.
  public var isTransparent: Bool { stride(from: 3, to: pixels.count, by: 4).contains { pixels[$0] != 255 } }

  /// Red, green, blue and alpha of a pixel.
  public func pixel(x: Int, y: Int) -> ArraySlice<UInt8> {
    let start = 4 * (y * width + x)
    return pixels[start..<start + 4]
  }

  /// Turned from how it is stored to how it is seen.
  func turned(_ orientation: Orientation) -> Bitmap {
    guard orientation != .upright else { return self }
    let (seenWidth, seenHeight) = orientation.swapsSides ? (height, width) : (width, height)
    var turned: [UInt8] = []
    turned.reserveCapacity(pixels.count)
    for y in 0..<seenHeight {
      for x in 0..<seenWidth {
        let source = orientation.source(x: x, y: y, width: width, height: height)
        turned += pixel(x: source.x, y: source.y)
      }
    }
    return Bitmap(width: seenWidth, height: seenHeight, pixels: turned) ?? self
  }

  /// As a JPEG, or as a PNG where something shines through: what every program can show. Without metadata.
  public func encoded() throws(PictureError) -> [UInt8] {
    let gd = try GD.loaded()
    // The library writes its name into it.
    return try Picture(try gd.encode(self)).withoutMetadata()
  }
}
