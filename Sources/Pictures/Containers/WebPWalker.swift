/// Walks through a WebP: chunks of four letters, a length and a content, one of them the picture, or many of them frames.
struct WebPWalker {
  private let bytes: [UInt8]
  private var reader: ByteReader
  private var walk = Walk(.webp)
  /// Of the file that says more than its pixels: which chunks it has.
  private var flags: UInt8?
  private var hasPixels = false
  private var hasFrames = false
  private var keepsExif = false

  private static let animation: UInt8 = 0x02
  private static let exif: UInt8 = 0x08
  private static let transparency: UInt8 = 0x10
  private static let profile: UInt8 = 0x20

  static func walk(_ bytes: [UInt8]) throws(PictureError) -> Walk {
    var walker = try WebPWalker(bytes)
    try walker.run()
    return walker.walk
  }

  private init(_ bytes: [UInt8]) throws(PictureError) {
    self.bytes = bytes
    var header = ByteReader(bytes, in: 4..<8)
    let length = try header.little32()
    guard length >= 12 else { throw .damaged }
    guard length <= bytes.count - 8 else { throw .truncated }
    reader = ByteReader(bytes, in: 12..<8 + length)
  }

  private mutating func run() throws(PictureError) {
    while !reader.isAtEnd {
      try walk.countPart()
      let chunk = try Self.readChunk(&reader)
      switch chunk.tag {
      case "VP8X" where walk.width == 0: try readExtended(chunk)
      case "VP8 ", "VP8L": try readPixels(chunk)
      case _ where walk.width == 0: throw .damaged
      case _ where flags == nil: walk.drop(.other, chunk.range)
      case "ALPH" where !hasPixels && !hasFrames, "ICCP", "ANIM": keep(chunk)
      case "ANMF": try readFrame(chunk)
      case "EXIF": readExif(chunk)
      case "XMP ":
        walk.xmp(bytes[chunk.content])
        walk.drop(.xmp, chunk.range)
      default: walk.drop(.other, chunk.range)
      }
    }
    guard hasPixels != hasFrames, hasFrames == (flags.map { $0 & Self.animation != 0 } ?? false) else { throw .damaged }
    walk.drop(.trailing, reader.end..<bytes.count)
    finish()
  }

  /// The file begins with what follows from the rest.
  private mutating func finish() {
    var start: [Piece] = []
    if let flags {
      let kept = flags & (Self.animation | Self.transparency | Self.profile) | (keepsExif ? Self.exif : 0)
      start = [.made(Self.extended(kept, walk.width, walk.height))]
    }
    walk.replacePieces(Self.riff(start + walk.pieces))
  }

  private static func riff(_ pieces: [Piece]) -> [Piece] {
    [.made(Array("RIFF".utf8) + Number.little32(4 + Piece.length(of: pieces)) + Array("WEBP".utf8))] + pieces
  }

  private static func extended(_ flags: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
    Array("VP8X".utf8) + Number.little32(10) + [flags, 0, 0, 0] + Number.little24(width - 1)
      + Number.little24(height - 1)
  }

  private struct Chunk {
    let tag: String
    /// With its letters, its length and what fills it up to an even length.
    let range: Range<Int>
    let content: Range<Int>

    /// What is written of it: what fills it up is nothing but a zero.
    var pieces: [Piece] {
      [.kept(range.lowerBound..<content.upperBound)] + (content.count.isMultiple(of: 2) ? [] : [.made([0])])
    }
  }

  private static func readChunk(_ reader: inout ByteReader) throws(PictureError) -> Chunk {
    let start = reader.place
    let tag = try reader.tag()
    let content = try reader.take(try reader.little32())
    // Some writers forget it at the end.
    if !content.count.isMultiple(of: 2), !reader.isAtEnd { _ = try reader.take(1) }
    return Chunk(tag: tag, range: start..<reader.place, content: content)
  }

  private mutating func keep(_ chunk: Chunk) {
    walk.add(chunk.pieces)
  }

  private mutating func readExtended(_ chunk: Chunk) throws(PictureError) {
    guard chunk.content.count >= 10 else { throw .damaged }
    var reader = ByteReader(bytes, in: chunk.content)
    flags = try reader.byte()
    _ = try reader.take(3)
    let (width, height) = (try reader.little24() + 1, try reader.little24() + 1)
    try walk.setSize(width, height)
    walk.drop(.other, reader.place..<chunk.content.upperBound)
  }

  private mutating func readPixels(_ chunk: Chunk) throws(PictureError) {
    guard !hasPixels else { throw .damaged }
    let (width, height) = try size(of: chunk)
    if flags == nil {
      try walk.setSize(width, height)
    } else if width != walk.width || height != walk.height {
      throw .damaged
    }
    hasPixels = true
    keep(chunk)
  }

  /// What the coded pixels themselves say: two formats, each with a size of 14 bits a side.
  private func size(of chunk: Chunk) throws(PictureError) -> (width: Int, height: Int) {
    var reader = ByteReader(bytes, in: chunk.content)
    if chunk.tag == "VP8L" {
      guard try reader.byte() == 0x2F else { throw .damaged }
      let bits = try reader.little32()
      guard bits >> 29 == 0 else { throw .variantUnsupported }
      return ((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    }
    let isKeyFrame = try reader.little24() & 1 == 0
    guard isKeyFrame, try reader.little24() == 0x2A019D else { throw .damaged }
    return (try reader.little16() & 0x3FFF, try reader.little16() & 0x3FFF)
  }

  /// A frame is a rectangle, a delay, and chunks of its own, two of which matter.
  private mutating func readFrame(_ chunk: Chunk) throws(PictureError) {
    var inner = ByteReader(bytes, in: chunk.content)
    let frame = Frame(
      x: 2 * (try inner.little24()), y: 2 * (try inner.little24()), width: try inner.little24() + 1,
      height: try inner.little24() + 1)
    _ = try inner.take(4)
    guard frame.x + frame.width <= walk.width, frame.y + frame.height <= walk.height else { throw .damaged }
    let head = chunk.content.lowerBound..<inner.place
    var pieces: [Piece] = []
    var hasAlpha = false
    var hasPixels = false
    while !inner.isAtEnd {
      try walk.countPart()
      let part = try Self.readChunk(&inner)
      switch part.tag {
      case "ALPH" where !hasPixels && !hasAlpha: hasAlpha = true
      case "VP8 " where !hasPixels, "VP8L" where !hasPixels && !hasAlpha:
        guard try size(of: part) == (frame.width, frame.height) else { throw .damaged }
        hasPixels = true
      default:
        walk.drop(.other, part.range)
        continue
      }
      for piece in part.pieces { Piece.append(piece, to: &pieces) }
    }
    guard hasPixels else { throw .damaged }
    hasFrames = true
    walk.make(Array("ANMF".utf8) + Number.little32(head.count + Piece.length(of: pieces)))
    walk.keep(head)
    walk.add(pieces)
    guard walk.still == nil else { return }
    walk.frame = frame
    let start = hasAlpha ? [Piece.made(Self.extended(Self.transparency, frame.width, frame.height))] : []
    walk.still = Self.riff(start + pieces)
  }

  private mutating func readExif(_ chunk: Chunk) {
    walk.drop(.exif, chunk.range)
    var content = bytes[chunk.content]
    // Some writers begin it as in a JPEG.
    if content.starts(with: "Exif\0\0".utf8) { content = content.dropFirst(6) }
    guard let minimal = walk.exif(content) else { return }
    keepsExif = true
    walk.make(Array("EXIF".utf8) + Number.little32(minimal.count) + minimal)
  }
}
