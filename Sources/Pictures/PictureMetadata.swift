/// A part of a file that is not needed to show the picture, and that a clean one does not have.
public struct PictureMetadata: Hashable, Sendable {
  /// What such a part is for.
  public enum Kind: String, CaseIterable, Sendable {
    /// What the camera wrote: place, time, model, and a small copy of the picture.
    case exif
    /// What programs wrote, in XML.
    case xmp
    /// Captions, names and places as the press writes them.
    case iptc
    /// Comments and texts.
    case text
    /// Further, mostly smaller, pictures.
    case preview
    /// Whatever follows the picture's end: another file, perhaps.
    case trailing
    /// What no viewer needs.
    case other
  }

  public let kind: Kind
  /// Where in the file it stands.
  public let range: Range<Int>
}
