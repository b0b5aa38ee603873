import Testing

@testable import Pictures

/// A clean file is the file without what is not the picture: byte for byte, pixel for pixel.
@Suite struct MetadataTests {
  private static let xmp = "http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><exif:GPSLatitude>52,31.2N</exif:GPSLatitude>"

  /// A picture's file that tells a lot, and what has to be left of it.
  private func expect(
    _ dirty: [UInt8], becomes clean: [UInt8], _ kinds: [PictureMetadata.Kind], location: Bool = true
  ) throws {
    let picture = try Picture(dirty)
    #expect(picture.withoutMetadata() == clean)
    #expect(picture.metadata.map(\.kind) == kinds)
    #expect(picture.hasLocation == location)
    let again = try Picture(clean)
    #expect(again.withoutMetadata() == clean && again.orientation == picture.orientation && !again.hasLocation)
    #expect(try pixels(clean) == pixels(dirty))
  }

  @Test(arguments: ["baseline.jpg", "progressive.jpg"]) func aJPEGKeepsWhatShowsIt(name: String) throws {
    let clean = try Sample.clean(name)
    #expect(try Picture(Sample.bytes(name)).metadata.map(\.kind) == [.text])
    let profile = Part.segment(0xE2, "ICC_PROFILE\0\u{1}\u{1}colours")
    let before: [UInt8] = Part.segment(0xE1, Array("Exif\0\0".utf8) + Part.exif(6))
    let after =
      Part.segment(0xE1, Self.xmp) + profile + Part.segment(0xED, "Photoshop 3.0\08BIM\u{4}\u{4}Berlin")
      + Part.segment(0xFE, "Hello") + Part.segment(0xE2, "MPF\0more") + Part.segment(0xE5, "what is this")
    let kept = Part.segment(0xE1, Array("Exif\0\0".utf8) + Part.minimalExif(6)) + profile
    // After the segment of JFIF.
    try expect(
      clean.inserting(before + after, at: 20) + Array("PK\u{3}\u{4} and a whole archive".utf8),
      becomes: clean.inserting(kept, at: 20), [.exif, .xmp, .iptc, .text, .preview, .other, .trailing])
  }

  @Test func aJPEGKeepsWhatItsColoursAre() throws {
    let clean = try Sample.clean("baseline.jpg")
    // The twelfth byte says how colours are written; a thirteenth says nothing.
    let colours = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1]
    try expect(
      clean.inserting(Part.segment(0xEE, colours + [7]), at: 20),
      becomes: clean.inserting(Part.segment(0xEE, colours), at: 20),
      [.other], location: false)
  }

  @Test func aJPEGLosesTheSmallPictureInItsFirstSegment() throws {
    let clean = try Sample.clean("baseline.jpg")
    #expect(clean[2..<4] == [0xFF, 0xE0] && clean[18..<20] == [0, 0])
    let jfif = Array(clean[6..<18]) + [2, 1] + [9, 9, 9, 8, 8, 8]
    let dirty = clean[..<2] + Part.segment(0xE0, jfif) + Part.segment(0xE0, "JFXX\0\u{10}small") + clean[20...]
    try expect(Array(dirty), becomes: clean, [.preview], location: false)
  }

  @Test(arguments: ["colours.png", "palette.png", "interlaced.png"]) func aPNGKeepsWhatShowsIt(name: String) throws {
    let clean = try Sample.clean(name)
    let colours = Part.pngChunk("gAMA", Part.big(45455)) + Part.pngChunk("sRGB", [0])
    let texts =
      Part.pngChunk("tEXt", Array("Author\0Alice".utf8)) + Part.pngChunk("zTXt", Array("Comment\0\0?".utf8))
      + Part.pngChunk("tIME", [7, 0xEA, 11, 22, 15, 0, 0])
      + Part.pngChunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0<exif:GPSLongitude>".utf8))
    let dirty = clean.inserting(
      colours + Part.pngChunk("eXIf", Part.exif(3)) + texts + Part.pngChunk("prVt", [1, 2, 3]), at: 33)
    let kept = colours + Part.pngChunk("eXIf", Part.minimalExif(3))
    try expect(
      dirty + Array("PK\u{3}\u{4}".utf8), becomes: clean.inserting(kept, at: 33),
      [.exif, .text, .xmp, .other, .trailing])
  }

  @Test(arguments: ["still.gif", "animated.gif"]) func aGIFKeepsWhatShowsIt(name: String) throws {
    let clean = try Sample.bytes(name)
    let start = 13 + 3 << (Int(clean[10] & 7) + 1)
    let comment = [0x21, 0xFE] + Part.gifBlocks(Array("made at home".utf8))
    let xmp = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + Part.gifBlocks(Array("<exif:GPSLatitude>".utf8))
    let strange = [0x21, 0xFF, 11] + Array("STRANGE 1.0".utf8) + Part.gifBlocks([UInt8](repeating: 7, count: 300))
    let painted = [0x21, 0xF9, 4, 0, 0, 0, 0, 0, 0x21, 0x01] + Part.gifBlocks(Array("a painted text".utf8))
    let dirty = clean.inserting(comment + xmp + strange + painted, at: start) + [1, 2, 3]
    try expect(dirty, becomes: clean, [.text, .xmp, .other, .text, .trailing])
  }

  @Test func aGIFKeepsHowOftenItIsPlayedAndNothingMore() throws {
    let clean = try Sample.bytes("animated.gif")
    let loop = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0]
    let place = try #require(clean.indices.first { clean[$0...].starts(with: loop) }) + loop.count
    #expect(clean[place] == 0)
    let dirty = clean.inserting([UInt8(6)] + Array("hidden".utf8), at: place)
    try expect(dirty, becomes: clean, [.other], location: false)
  }

  @Test(arguments: ["alpha.webp", "animated.webp"]) func aWebPKeepsWhatShowsIt(name: String) throws {
    let clean = try Sample.bytes(name)
    let profile = Part.riffChunk("ICCP", Array("colours".utf8))
    let chunks = Array(clean[30...])
    func header(_ flags: UInt8) -> [UInt8] { Array(clean[12..<20]) + [clean[20] | flags] + clean[21..<30] }
    let dirty = Part.webp(
      header(0x2C) + profile + chunks + Part.riffChunk("JUNK", [1, 2, 3]) + Part.riffChunk("EXIF", Part.exif(8))
        + Part.riffChunk("XMP ", Array("<exif:GPSLatitude>".utf8)))
    let kept = Part.webp(header(0x28) + profile + chunks + Part.riffChunk("EXIF", Part.minimalExif(8)))
    try expect(dirty + [0, 1], becomes: kept, [.other, .exif, .xmp, .trailing])
  }

  @Test func aPlainWebPHasNothingBesideItsPixels() throws {
    for name in ["lossy.webp", "lossless.webp"] {
      let clean = try Sample.bytes(name)
      let dirty = Part.webp(Array(clean[12...]) + Part.riffChunk("EXIF", Part.exif(6)))
      try expect(dirty, becomes: clean, [.other], location: false)
    }
  }

  /// What hides between the parts of a frame, and in the byte that makes a length even.
  @Test func aFrameHasNothingBesideItsPixels() throws {
    let clean = try Sample.bytes("animated.webp")
    let first = try #require(clean.indices.first { clean[$0...].starts(with: "ANMF".utf8) })
    let length = Int(clean[first + 4])
    let frame = Array(clean[first + 8..<first + 8 + length]) + Part.riffChunk("HIDE", [1, 2, 3])
    let dirty = Part.webp(
      Array(clean[12..<first]) + Part.riffChunk("ANMF", frame) + clean[(first + 8 + length)...])
    try expect(dirty, becomes: clean, [.other], location: false)
  }

  @Test(arguments: [true, false]) func exifIsReadInBothOrders(isLittle: Bool) throws {
    for value in 1...8 as ClosedRange<UInt8> {
      let exif = try #require(Exif(Part.exif(value, isLittle: isLittle)[...]))
      #expect(exif.orientation?.rawValue == value && exif.hasCamera && exif.hasLocation)
    }
    for value in [0, 9, 255] as [UInt8] { #expect(Exif(Part.exif(value)[...])?.orientation == nil) }
  }

  /// Damaged EXIF is removed like any other, and nothing is believed of it.
  @Test func damagedExifIsRemoved() throws {
    let exif = Part.exif(6)
    let clean = try Sample.clean("baseline.jpg")
    for length in 0...exif.count {
      let dirty = clean.inserting(Part.segment(0xE1, Array("Exif\0\0".utf8) + exif[..<length]), at: 20)
      let picture = try Picture(dirty)
      #expect(picture.metadata.map(\.kind) == [.exif])
      #expect([.upright, .turnedRight].contains(picture.orientation))
      if picture.orientation == .upright { #expect(picture.withoutMetadata() == clean) }
    }
  }
}
