/// Walks through a PNG: chunks of a length, four letters, a content and a checksum.
struct PNGWalker {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// What the picture, its colours and its animation are made of. A chunk without checksum would be refused by whoever decodes it.
  private static let kept: Set = [
    "PLTE", "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "pHYs", "acTL", "fcTL",
    "fdAT",
  ]

  /// What a decoder needs; of colour profiles and the like it would only see what is wrong with them.
  private static let decoded: Set = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"]

  private let bytes: [UInt8]
  private var reader: ByteReader
  private var walk = Walk(.png)
  private var still: [Piece] = []
  private var hasPixels = false

  static func walk(_ bytes: [UInt8]) throws(PictureError) -> Walk {
    var walker = PNGWalker(bytes)
    try walker.run()
    return walker.walk
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    reader = ByteReader(bytes)
  }

  private mutating func run() throws(PictureError) {
    let signature = try reader.take(Self.signature.count)
    walk.keep(signature)
    still.append(.kept(signature))
    var isEnded = false
    while !isEnded {
      try walk.countPart()
      let start = reader.place
      let length = try reader.big32()
      let tag = try reader.tag()
      guard (tag == "IHDR") == (walk.width == 0), length < 1 << 31 else { throw .damaged }
      let content = try reader.take(length)
      _ = try reader.take(4)
      let chunk = start..<reader.place
      isEnded = tag == "IEND"
      if Self.decoded.contains(tag) { Piece.append(.kept(chunk), to: &still) }
      switch tag {
      case "IHDR": try readSize(chunk, content)
      case "IDAT":
        hasPixels = true
        walk.keep(chunk)
      case "IEND":
        guard length == 0, hasPixels else { throw .damaged }
        walk.keep(chunk)
        walk.drop(.trailing, chunk.upperBound..<bytes.count)
      case "eXIf": readExif(chunk, content)
      case "tEXt", "zTXt", "iTXt": readText(chunk, content)
      case "tIME": walk.drop(.text, chunk)
      case _ where Self.kept.contains(tag): walk.keep(chunk)
      // A capital first letter says that nobody can show the picture who does not know the chunk.
      case _ where bytes[start + 4] & 0x20 == 0: throw .variantUnsupported
      default: walk.drop(.other, chunk)
      }
    }
    walk.still = still
  }

  private mutating func readSize(_ chunk: Range<Int>, _ content: Range<Int>) throws(PictureError) {
    guard content.count == 13 else { throw .damaged }
    var reader = ByteReader(bytes, in: content)
    let (width, height) = (try reader.big32(), try reader.big32())
    try walk.setSize(width, height)
    walk.keep(chunk)
  }

  private mutating func readExif(_ chunk: Range<Int>, _ content: Range<Int>) {
    walk.drop(.exif, chunk)
    guard let minimal = walk.exif(bytes[content]) else { return }
    let named = Array("eXIf".utf8) + minimal
    walk.make(Number.big32(minimal.count) + named + Number.big32(Int(CRC32.of(named))))
  }

  private mutating func readText(_ chunk: Range<Int>, _ content: Range<Int>) {
    let isXMP = bytes[content].starts(with: "XML:com.adobe.xmp\0".utf8)
    if isXMP { walk.xmp(bytes[content]) }
    walk.drop(isXMP ? .xmp : .text, chunk)
  }
}

/// The checksum of PNG's chunks. For the few bytes of our own chunk: those of others are kept with theirs.
enum CRC32 {
  static func of(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
  }
}
