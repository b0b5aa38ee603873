/// What a walk through a file found, and of what the clean file is made.
struct Walk {
  let kind: PictureKind
  /// Of the stored pixels, like the height.
  private(set) var width = 0
  private(set) var height = 0
  private(set) var orientation = Orientation.upright
  private(set) var hasLocation = false
  private(set) var hasCamera = false
  private(set) var metadata: [PictureMetadata] = []
  /// Of the clean file.
  private(set) var pieces: [Piece] = []
  /// Of the first frame as a file of its own, where that is not the clean file.
  var still: [Piece]?
  /// Where the first frame stands, where that is not everywhere.
  var frame: Frame?
  private var hasOrientation = false
  private var parts = 0

  init(_ kind: PictureKind) { self.kind = kind }

  mutating func setSize(_ width: Int, _ height: Int) throws(PictureError) {
    try PictureLimits.check(width: width, height: height)
    (self.width, self.height) = (width, height)
  }

  /// Counts one more segment, chunk, block or frame.
  mutating func countPart() throws(PictureError) {
    parts += 1
    guard parts <= PictureLimits.parts else { throw .tooManyParts }
  }

  mutating func keep(_ range: Range<Int>) { Piece.append(.kept(range), to: &pieces) }

  mutating func make(_ bytes: [UInt8]) { Piece.append(.made(bytes), to: &pieces) }

  mutating func add(_ more: [Piece]) {
    for piece in more { Piece.append(piece, to: &pieces) }
  }

  mutating func replacePieces(_ all: [Piece]) { pieces = all }

  mutating func drop(_ kind: PictureMetadata.Kind, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    if let last = metadata.last, last.kind == kind, last.range.upperBound == range.lowerBound {
      metadata[metadata.count - 1] = PictureMetadata(kind: kind, range: last.range.lowerBound..<range.upperBound)
    } else {
      metadata.append(PictureMetadata(kind: kind, range: range))
    }
  }

  /// Takes note of what EXIF says. Returns the little that is left of it: an orientation, once.
  mutating func exif(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    guard let exif = Exif(bytes) else { return nil }
    hasLocation = hasLocation || exif.hasLocation
    hasCamera = hasCamera || exif.hasCamera
    guard let found = exif.orientation, !hasOrientation else { return nil }
    hasOrientation = true
    orientation = found
    return found == .upright ? nil : Exif.minimal(found)
  }

  /// Takes note of what XMP says: whether it names a place.
  mutating func xmp(_ bytes: ArraySlice<UInt8>) { hasLocation = hasLocation || bytes.contains(text: "GPSL") }
}

/// A piece of a file that is written.
enum Piece {
  case kept(Range<Int>)
  case made([UInt8])

  private var count: Int {
    switch self {
    case .kept(let range): range.count
    case .made(let bytes): bytes.count
    }
  }

  /// Adds a piece; what adjoins in the file becomes one.
  static func append(_ piece: Piece, to pieces: inout [Piece]) {
    switch (pieces.last, piece) {
    case (.kept(let last)?, .kept(let next)) where last.upperBound == next.lowerBound:
      pieces[pieces.count - 1] = .kept(last.lowerBound..<next.upperBound)
    default: pieces.append(piece)
    }
  }

  static func joined(_ pieces: [Piece], of bytes: [UInt8]) -> [UInt8] {
    var joined: [UInt8] = []
    joined.reserveCapacity(length(of: pieces))
    for piece in pieces {
      switch piece {
      case .kept(let range): joined += bytes[range]
      case .made(let bytes): joined += bytes
      }
    }
    return joined
  }

  static func length(of pieces: [Piece]) -> Int { pieces.reduce(0) { $0 + $1.count } }
}
