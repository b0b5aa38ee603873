/// What a picture may ask for. All but `seconds` and `memory` are checked before a decoder sees a byte.
public enum PictureLimits {
  /// Of the file, in bytes: five times the largest that a telephone writes. All of it is in memory while it is looked at.
  public static let fileSize = 256 << 20
  /// Of all pixels: half a gibibyte decoded. Telephones write 108 million.
  public static let pixels = 1 << 27
  /// Of pixels a side: what libjpeg decodes at most.
  public static let side = 65_500
  /// Of segments, chunks, blocks and frames: a file of the largest size in chunks of 8 KiB has a quarter of them.
  public static let parts = 1 << 17
  /// Of scans in a JPEG: real ones have a dozen. Each costs time for all pixels, and needs hardly a byte.
  public static let scans = 100
  /// Of a thumbnail's pixels a side.
  public static let thumbnailSide = 256
  /// Of the decoding process's address space, in bytes: twice the pixels, what a progressive JPEG needs for itself, and the program.
  public static let memory = 2 << 30
  /// Of the decoding process's time on a processor. The largest PNG takes ten.
  public static let seconds = 30

  /// Refuses a size that is nothing, or above the limits.
  static func check(width: Int, height: Int) throws(PictureError) {
    guard width > 0, height > 0 else { throw .damaged }
    guard width <= side, height <= side, width * height <= pixels else { throw .tooManyPixels }
  }
}
