/// Why a file is no picture that can be kept or shown. Nothing of the file stands in it.
public enum PictureError: String, Error, CaseIterable, Sendable {
  /// It begins like none of the four kinds.
  case notAPicture = "not-a-picture"
  /// A picture of a kind that is known by name only: HEIC, AVIF, TIFF, BMP.
  case kindUnsupported = "kind-unsupported"
  /// One of the four kinds, written in a way that hardly anything reads: a JPEG with arithmetic coding, 12 bits a colour, no height.
  case variantUnsupported = "variant-unsupported"
  /// More bytes than `PictureLimits.fileSize`.
  case fileTooLarge = "file-too-large"
  /// It ends before the picture does.
  case truncated
  /// What it says about itself contradicts itself.
  case damaged
  /// A side or their product is above `PictureLimits`.
  case tooManyPixels = "too-many-pixels"
  /// More segments, frames or scans than `PictureLimits` allows.
  case tooManyParts = "too-many-parts"
  /// The container is sound; the decoder could not make pixels of what is in it.
  case pixelsDamaged = "pixels-damaged"
  /// The decoder was ended: it took too much time or memory, or broke.
  case decoderEnded = "decoder-ended"
  /// The library that decodes pictures, or the one that draws them, is not installed.
  case libraryMissing = "library-missing"
}
