/// Walks through a GIF: a screen with its colours, extensions and frames, each a row of blocks of up to 255 bytes.
struct GIFWalker {
  private let bytes: [UInt8]
  private var reader: ByteReader
  private var walk = Walk(.gif)
  /// The colours of all frames that have none of their own.
  private var colours: Range<Int>?
  /// The delay and the transparent colour of what follows.
  private var control: Range<Int>?

  static func walk(_ bytes: [UInt8]) throws(PictureError) -> Walk {
    var walker = GIFWalker(bytes)
    try walker.run()
    return walker.walk
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    reader = ByteReader(bytes)
  }

  private mutating func run() throws(PictureError) {
    try readScreen()
    while true {
      try walk.countPart()
      let start = reader.place
      switch try reader.byte() {
      case 0x2C: try readFrame(start)
      case 0x21: try readExtension(start)
      case 0x3B:
        guard walk.still != nil else { throw .damaged }
        if let control { walk.drop(.other, control) }
        walk.keep(start..<reader.place)
        walk.drop(.trailing, reader.place..<bytes.count)
        return
      // Some writers end a row of blocks twice.
      case 0: walk.drop(.other, start..<reader.place)
      default: throw .damaged
      }
    }
  }

  private mutating func readScreen() throws(PictureError) {
    _ = try reader.take(6)
    let (width, height) = (try reader.little16(), try reader.little16())
    try walk.setSize(width, height)
    let flags = try reader.byte()
    _ = try reader.take(2)
    colours = try readColours(flags)
    walk.keep(0..<reader.place)
  }

  private mutating func readColours(_ flags: UInt8) throws(PictureError) -> Range<Int>? {
    flags & 0x80 == 0 ? nil : try reader.take(3 << (Int(flags & 7) + 1))
  }

  /// Goes past blocks to the empty one that ends them.
  private mutating func skipBlocks() throws(PictureError) {
    var length = Int(try reader.byte())
    while length > 0 {
      _ = try reader.take(length)
      length = Int(try reader.byte())
    }
  }

  private mutating func readFrame(_ start: Int) throws(PictureError) {
    let frame = Frame(
      x: try reader.little16(), y: try reader.little16(), width: try reader.little16(), height: try reader.little16())
    try PictureLimits.check(width: frame.width, height: frame.height)
    let flags = try reader.byte()
    _ = try readColours(flags)
    let codeSize = try reader.byte()
    guard (1...11).contains(codeSize) else { throw .damaged }
    try skipBlocks()
    if let control { walk.keep(control) }
    walk.keep(start..<reader.place)
    if walk.still == nil { setStill(frame, start..<reader.place) }
    control = nil
  }

  /// The first frame alone, on a screen of its size: the decoder knows no frame that reaches beyond it.
  private mutating func setStill(_ frame: Frame, _ range: Range<Int>) {
    let size = Number.little16(frame.width) + Number.little16(frame.height)
    var pieces: [Piece] = [.kept(0..<6), .made(size), .kept(10..<13)]
    if let colours { pieces.append(.kept(colours)) }
    if let control { pieces.append(.kept(control)) }
    pieces += [.made([0x2C, 0, 0, 0, 0] + size), .kept(range.lowerBound + 9..<range.upperBound), .made([0x3B])]
    walk.frame = frame
    walk.still = pieces
  }

  private mutating func readExtension(_ start: Int) throws(PictureError) {
    let label = try reader.byte()
    let content = reader.place
    try skipBlocks()
    let range = start..<reader.place
    switch label {
    case 0xF9:
      guard bytes[content] == 4, range.count == 8 else { return walk.drop(.other, range) }
      if let control { walk.drop(.other, control) }
      control = range
    case 0xFF: readApplication(range, content)
    case 0xFE: walk.drop(.text, range)
    // Text that is painted, which nobody does: it goes with its delay.
    case 0x01:
      if let control { walk.drop(.text, control) }
      control = nil
      walk.drop(.text, range)
    default: walk.drop(.other, range)
    }
  }

  private mutating func readApplication(_ range: Range<Int>, _ content: Int) {
    let block = bytes[content..<range.upperBound]
    func begins(_ name: String) -> Bool { block.first == 11 && block.dropFirst().starts(with: name.utf8) }
    if begins("NETSCAPE2.0") || begins("ANIMEXTS1.0") {
      // How often it is played is one block of three bytes; more is nothing that anybody reads.
      let loop = block.dropFirst(12).prefix(4)
      guard loop.starts(with: [3, 1]) else { return walk.drop(.other, range) }
      if block.count == 17 { return walk.keep(range) }
      walk.make(bytes[range.lowerBound..<content + 12] + loop + [0])
      walk.drop(.other, content + 16..<range.upperBound)
    } else if begins("ICCRGBG1012") {
      walk.keep(range)
    } else if begins("XMP DataXMP") {
      walk.xmp(block)
      walk.drop(.xmp, range)
    } else {
      walk.drop(.other, range)
    }
  }
}
