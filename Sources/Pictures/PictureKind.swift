/// What kind a picture is: what its first bytes say, never its name.
public enum PictureKind: String, CaseIterable, Sendable {
  case jpeg
  case png
  case gif
  case webp

  /// As in a `Content-Type`.
  public var mediaType: String { "image/\(rawValue)" }

  /// What a file's name ends with, without the dot.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// Twelve bytes are enough.
  static func recognised(in bytes: [UInt8]) throws(PictureError) -> PictureKind {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.starts(with: PNGWalker.signature) { return .png }
    if bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) { return .gif }
    let brand = bytes.dropFirst(8).prefix(4)
    if bytes.starts(with: Array("RIFF".utf8)), brand.elementsEqual("WEBP".utf8) { return .webp }
    if isKnownByName(bytes, brand) { throw .kindUnsupported }
    throw .notAPicture
  }

  private static func isKnownByName(_ bytes: [UInt8], _ brand: ArraySlice<UInt8>) -> Bool {
    let brands = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1", "avif", "avis"]
    if bytes.dropFirst(4).starts(with: Array("ftyp".utf8)) { return brands.contains { brand.elementsEqual($0.utf8) } }
    let starts: [[UInt8]] = [[0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A]]
    // A bitmap's two letters are too little alone: its next bytes are its length.
    let length = bytes.dropFirst(2).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let isBitmap = bytes.count > 14 && bytes.starts(with: Array("BM".utf8)) && length == bytes.count
    return isBitmap || starts.contains { bytes.starts(with: $0) }
  }
}
