/// Walks through a JPEG: segments that begin with a marker, and scans, which end at the next marker.
struct JPEGWalker {
  private let bytes: [UInt8]
  private var reader: ByteReader
  private var walk = Walk(.jpeg)
  private var scans = 0
  private var isInScan = false

  static func walk(_ bytes: [UInt8]) throws(PictureError) -> Walk {
    var walker = JPEGWalker(bytes)
    try walker.run()
    return walker.walk
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    reader = ByteReader(bytes)
  }

  private mutating func run() throws(PictureError) {
    walk.keep(try reader.take(2))
    while true {
      let start = reader.place
      // In a scan 0xFF is written as 0xFF00, and restart markers belong to it.
      let marker =
        isInScan
        ? try reader.marker { $0 != 0 && !(0xD0...0xD7).contains($0) } : try reader.marker { $0 != 0 }
      let segment = reader.place - 2
      if isInScan { walk.keep(start..<segment) } else { walk.drop(.other, start..<segment) }
      isInScan = false
      try walk.countPart()
      switch marker {
      case 0xD9: return try finish(segment)
      case 0xD8: throw .damaged
      case 0x01, 0xD0...0xD7: walk.drop(.other, segment..<reader.place)
      default:
        let length = try reader.big16()
        guard length >= 2 else { throw .damaged }
        let payload = try reader.take(length - 2)
        try read(marker, segment..<payload.upperBound, payload)
      }
    }
  }

  private mutating func finish(_ segment: Int) throws(PictureError) {
    guard scans > 0 else { throw .damaged }
    walk.keep(segment..<reader.place)
    walk.drop(.trailing, reader.place..<bytes.count)
  }

  private mutating func read(_ marker: UInt8, _ segment: Range<Int>, _ payload: Range<Int>) throws(PictureError) {
    switch marker {
    // Tables, and after how many blocks there is a restart marker.
    case 0xC4, 0xDB, 0xDD: walk.keep(segment)
    case 0xC0, 0xC1, 0xC2:
      try readSize(ByteReader(bytes, in: payload))
      walk.keep(segment)
    // Lossless, hierarchical, arithmetic; a height that is told later.
    case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xDC, 0xDE, 0xDF: throw .variantUnsupported
    case 0xDA:
      guard walk.width > 0 else { throw .damaged }
      scans += 1
      guard scans <= PictureLimits.scans else { throw .tooManyParts }
      isInScan = true
      walk.keep(segment)
    case 0xE0...0xEF: readApplication(marker, segment, payload)
    case 0xFE: walk.drop(.text, segment)
    default: walk.drop(.other, segment)
    }
  }

  private mutating func readSize(_ reader: ByteReader) throws(PictureError) {
    var reader = reader
    guard walk.width == 0 else { throw .damaged }
    guard try reader.byte() == 8 else { throw .variantUnsupported }
    let (height, width) = (try reader.big16(), try reader.big16())
    guard height > 0 else { throw .variantUnsupported }
    try walk.setSize(width, height)
    let components = Int(try reader.byte())
    guard [1, 3, 4].contains(components) else { throw .variantUnsupported }
    guard reader.end - reader.place == 3 * components else { throw .damaged }
  }

  private mutating func readApplication(_ marker: UInt8, _ segment: Range<Int>, _ payload: Range<Int>) {
    let content = bytes[payload]
    func begins(_ name: String) -> Bool { content.starts(with: name.utf8) }
    switch marker {
    case 0xE0 where begins("JFIF\0") && content.count >= 14: readJFIF(segment, content)
    case 0xE0 where begins("JFXX\0"), 0xE2 where begins("MPF\0"): walk.drop(.preview, segment)
    case 0xE1 where begins("Exif\0"):
      walk.drop(.exif, segment)
      if let minimal = walk.exif(content.dropFirst(6)) {
        walk.make([0xFF, 0xE1, 0, UInt8(8 + minimal.count)] + Array("Exif\0\0".utf8) + minimal)
      }
    case 0xE1 where begins("http://ns.adobe.com/x"):
      walk.drop(.xmp, segment)
      walk.xmp(content)
    case 0xE2 where begins("ICC_PROFILE\0"): walk.keep(segment)
    case 0xED: walk.drop(.iptc, segment)
    // Which colours four or three components are.
    case 0xEE where begins("Adobe") && content.count >= 12:
      if content.count == 12 { return walk.keep(segment) }
      walk.make([0xFF, 0xEE, 0, 14] + content.prefix(12))
      walk.drop(.other, payload.lowerBound + 12..<payload.upperBound)
    default: walk.drop(.other, segment)
    }
  }

  /// Version and density; what follows is a small copy of the picture.
  private mutating func readJFIF(_ segment: Range<Int>, _ content: ArraySlice<UInt8>) {
    if content.count == 14, content.suffix(2).allSatisfy({ $0 == 0 }) { return walk.keep(segment) }
    walk.make([0xFF, 0xE0, 0, 16] + content.prefix(12) + [0, 0])
    walk.drop(.preview, content.startIndex + 14..<content.endIndex)
  }
}
