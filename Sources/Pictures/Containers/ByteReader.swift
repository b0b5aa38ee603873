/// Reads numbers one after another, and never past its end.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var place: Int
  let end: Int
  /// What it means that something ends too early: of a file that it was cut off, of a part of it that its length is wrong.
  private let fault: PictureError

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    place = 0
    end = bytes.count
    fault = .truncated
  }

  /// Reads a part of a file.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    place = range.lowerBound
    end = range.upperBound
    fault = .damaged
  }

  var isAtEnd: Bool { place == end }

  /// The range of the next bytes, which it goes past.
  mutating func take(_ count: Int) throws(PictureError) -> Range<Int> {
    guard count >= 0, count <= end - place else { throw fault }
    defer { place += count }
    return place..<place + count
  }

  mutating func byte() throws(PictureError) -> UInt8 { bytes[try take(1).lowerBound] }

  mutating func big16() throws(PictureError) -> Int { bytes[try take(2)].reduce(0) { $0 << 8 | Int($1) } }

  mutating func big32() throws(PictureError) -> Int { bytes[try take(4)].reduce(0) { $0 << 8 | Int($1) } }

  mutating func little16() throws(PictureError) -> Int { bytes[try take(2)].reversed().reduce(0) { $0 << 8 | Int($1) } }

  mutating func little24() throws(PictureError) -> Int { bytes[try take(3)].reversed().reduce(0) { $0 << 8 | Int($1) } }

  mutating func little32() throws(PictureError) -> Int { bytes[try take(4)].reversed().reduce(0) { $0 << 8 | Int($1) } }

  /// Four letters.
  mutating func tag() throws(PictureError) -> String { String(decoding: bytes[try take(4)], as: UTF8.self) }

  /// Goes to the next 0xFF that something else than 0xFF and `others` follows; returns what follows. The place is behind it.
  mutating func marker(where isMarker: (UInt8) -> Bool) throws(PictureError) -> UInt8 {
    while place + 1 < end {
      if bytes[place] == 0xFF, bytes[place + 1] != 0xFF, isMarker(bytes[place + 1]) {
        place += 2
        return bytes[place - 1]
      }
      place += 1
    }
    throw fault
  }
}

extension ArraySlice<UInt8> {
  /// Whether letters stand somewhere in it.
  func contains(text: String) -> Bool {
    let text = Array(text.utf8)
    guard let first = text.first, count >= text.count else { return false }
    return (startIndex...endIndex - text.count).contains { self[$0] == first && self[$0...].starts(with: text) }
  }
}

/// Numbers as files have them.
enum Number {
  static func big32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

  static func little16(_ value: Int) -> [UInt8] { (0..<2).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

  static func little24(_ value: Int) -> [UInt8] { (0..<3).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

  static func little32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
}
