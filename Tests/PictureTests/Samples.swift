import Foundation
import Testing

@testable import Pictures

/// The pictures of Tests/Pictures, which all show the same: 64 by 32 pixels, a quarter each of red, green, blue and white.
enum Sample {
  static let names = [
    "baseline.jpg", "progressive.jpg", "colours.png", "interlaced.png", "palette.png", "alpha.png", "sixteen.png",
    "still.gif", "transparent.gif", "animated.gif", "lossy.webp", "lossless.webp", "alpha.webp", "animated.webp",
  ]
  /// One of each container.
  static let four = ["baseline.jpg", "colours.png", "animated.gif", "alpha.webp"]

  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: folder.appending(path: "Pictures/\(name)")))
  }

  /// Without what the writer of the file left in it.
  static func clean(_ name: String) throws -> [UInt8] { try Picture(try bytes(name)).withoutMetadata() }
}

/// What stands in a corner of a picture.
enum Colour {
  case red, green, blue, white, nothing, other

  init(_ pixel: ArraySlice<UInt8>) {
    let pixel = Array(pixel)
    self =
      switch pixel.map({ $0 > 200 ? 1 : $0 < 55 ? 0 : 2 }) {
      case [1, 0, 0, 1]: .red
      case [0, 1, 0, 1]: .green
      case [0, 0, 1, 1]: .blue
      case [1, 1, 1, 1]: .white
      case _ where pixel[3] == 0: .nothing
      default: .other
      }
  }
}

extension Bitmap {
  /// At the top left, the top right, the bottom left and the bottom right.
  var corners: [Colour] {
    [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)].map { Colour(pixel(x: $0.0, y: $0.1)) }
  }
}

/// The picture as it is decoded, in its own size.
func pixels(_ bytes: [UInt8]) throws -> Bitmap { try DirectDecoder().bitmap(of: Picture(bytes), fitting: .max) }

/// Parts of files, put together here by what the formats say.
enum Part {
  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + content
  }

  static func segment(_ marker: UInt8, _ text: String) -> [UInt8] { segment(marker, Array(text.utf8)) }

  static func pngChunk(_ tag: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(tag.utf8) + content
    return big(content.count) + named + big(Int(checksum(named)))
  }

  static func riffChunk(_ tag: String, _ content: [UInt8]) -> [UInt8] {
    Array(tag.utf8) + little(content.count) + content + (content.count.isMultiple(of: 2) ? [] : [0])
  }

  static func webp(_ chunks: [UInt8]) -> [UInt8] {
    Array("RIFF".utf8) + little(chunks.count + 4) + Array("WEBP".utf8) + chunks
  }

  /// Rows of bytes as GIF has them.
  static func gifBlocks(_ content: [UInt8]) -> [UInt8] {
    stride(from: 0, to: content.count, by: 255).flatMap { start in
      let block = content[start..<min(start + 255, content.count)]
      return [UInt8(block.count)] + block
    } + [0]
  }

  static func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
  static func little(_ number: Int) -> [UInt8] { big(number).reversed() }

  /// Bit by bit, from the top: another way than that of what is tested.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var table = [UInt32](repeating: 0, count: 256)
    for index in 0..<256 {
      var value = UInt32(index)
      for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : 0xEDB8_8320 ^ (value >> 1) }
      table[index] = value
    }
    return ~bytes.reduce(0xFFFF_FFFF) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ ($0 >> 8) }
  }

  /// EXIF of a telephone: maker, an orientation, a place, and a second list with a small picture.
  static func exif(_ orientation: UInt8, isLittle: Bool = false) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      isLittle ? Array(little(value).prefix(count)) : Array(big(value).suffix(count))
    }
    func entry(_ tag: Int, _ type: Int, _ value: [UInt8]) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(1, 4) + value
    }
    let entries =
      entry(0x010F, 2, Array("Eye\0".utf8)) + entry(0x0112, 3, number(Int(orientation), 2) + [0, 0])
      + entry(0x8825, 4, number(50, 4))
    return Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(3, 2) + entries + number(0, 4)
      + Array("52 31 13 N, 13 24 18 E; and a small picture".utf8)
  }

  /// What is left of it.
  static func minimalExif(_ orientation: UInt8) -> [UInt8] {
    Array("MM".utf8) + [0, 42] + big(8) + [0, 1] + [0x01, 0x12, 0, 3] + big(1) + [0, orientation, 0, 0] + big(0)
  }
}

extension [UInt8] {
  /// With something put in at a place.
  func inserting(_ bytes: [UInt8], at place: Int) -> [UInt8] { Array(self[..<place]) + bytes + self[place...] }
}

/// Random numbers from a seed (SplitMix64), so that a failing case replays.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func roll(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
