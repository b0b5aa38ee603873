import Foundation
import Sealing
import Signing

/// Whether two long runs of bytes are the same; what Swift compares byte by byte takes its time in tests.
func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool { Data(one) == Data(other) }

/// Bytes that are read in pieces of at most `piece`.
struct MemorySource: FileSource {
  let bytes: [UInt8]
  var piece = Int.max
  private(set) var place = 0

  init(_ bytes: [UInt8], piece: Int = .max) {
    self.bytes = bytes
    self.piece = piece
  }

  mutating func read(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, place + min(count, piece))
    defer { place = end }
    return Array(bytes[place..<end])
  }
}

struct MemorySink: FileSink {
  var bytes: [UInt8] = []
  mutating func write(_ more: [UInt8]) { bytes += more }
}

struct Unreadable: Error {}

/// A source or a sink that stops working after so many calls.
struct Failing: FileSource, FileSink {
  var calls: Int

  mutating func read(_ count: Int) throws -> [UInt8] {
    try work()
    return [UInt8](repeating: 7, count: count)
  }

  mutating func write(_ bytes: [UInt8]) throws { try work() }

  private mutating func work() throws {
    guard calls > 0 else { throw Unreadable() }
    calls -= 1
  }
}

/// The entropy of one file: what a sealer draws from it are the content id and then the key.
struct Drawn: Entropy {
  let seed: UInt8
  func bytes(_ count: Int) -> [UInt8] { (0..<count).map { seed &+ UInt8(truncatingIfNeeded: $0 &+ count) } }
}

/// A sealed file with its bytes.
struct Sample {
  let metadata: [UInt8]
  let thumbnail: [UInt8]
  let data: [UInt8]
  let file: SealedFile
  let bytes: [UInt8]

  init(
    metadata: Int = 0, thumbnail: Int = 0, data: Int, seed: UInt8 = 1, piece: Int = .max, hands: Int = 2
  ) throws {
    self.metadata = Self.pattern(metadata, 1)
    self.thumbnail = Self.pattern(thumbnail, 3)
    self.data = Self.pattern(data, 2)
    let sealer = try FileSealer(
      metadata: self.metadata, thumbnail: self.thumbnail, dataSize: UInt64(data), Drawn(seed: seed))
    var source = MemorySource(self.data, piece: piece)
    var sink = MemorySink()
    file = try sealer.seal(&source, into: &sink, hands: hands)
    bytes = sink.bytes
  }

  func part(_ range: Range<UInt64>) -> [UInt8] { Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]) }

  func section(_ section: FileSection) -> [UInt8] { part(file.layout.range(of: section)) }

  func opener() throws -> FileOpener {
    try FileOpener(content: file.content, layout: file.layout, root: file.root, key: file.key)
  }

  /// As the vectors have it.
  static func pattern(_ count: Int, _ start: Int) -> [UInt8] {
    var bytes = (0..<251).map { UInt8(($0 + start) % 251) }
    while bytes.count < count { bytes += bytes }
    return Array(bytes[..<count])
  }
}
