/// How a picture's stored pixels are turned to be looked at: the values of EXIF.
public enum Orientation: UInt8, CaseIterable, Sendable {
  case upright = 1
  case mirrored = 2
  case upsideDown = 3
  case mirroredUpsideDown = 4
  /// Rows and columns are swapped.
  case transposed = 5
  /// To be turned right by a quarter.
  case turnedRight = 6
  case transverse = 7
  /// To be turned left by a quarter.
  case turnedLeft = 8

  /// Whether width becomes height.
  public var swapsSides: Bool { rawValue >= 5 }

  /// Which stored pixel is seen at a place; the size is the stored one.
  func source(x: Int, y: Int, width: Int, height: Int) -> (x: Int, y: Int) {
    switch self {
    case .upright: (x, y)
    case .mirrored: (width - 1 - x, y)
    case .upsideDown: (width - 1 - x, height - 1 - y)
    case .mirroredUpsideDown: (x, height - 1 - y)
    case .transposed: (y, x)
    case .turnedRight: (y, height - 1 - x)
    case .transverse: (width - 1 - y, height - 1 - x)
    case .turnedLeft: (width - 1 - y, x)
    }
  }
}
