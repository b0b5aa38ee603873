import Foundation
import Sealing
import Signing

/// How fast this machine seals and opens a file, and how much memory that takes.
public struct SealingMeasure {
  private let size: UInt64

  /// Of a file of so many bytes.
  public init(size: UInt64) { self.size = size }

  /// Seals the chunks and does nothing else, on one core. Returns the seconds that it took.
  public func chunksAlone() -> Double {
    let layout = FileLayout(FileSizes(metadata: 0, thumbnail: 0, data: size))
    guard let layout else { return 0 }
    let entropy = SystemEntropy()
    let cipher = SectionCipher(.data, of: .random(entropy), under: SecretBytes(entropy.bytes(32)), in: layout)
    let leaf = Pattern.bytes(0..<FileChunk.leafSize)
    return seconds {
      for index in 0..<size / FileChunk.leafSize { _ = cipher.seal(leaf, from: index * FileChunk.perLeaf) }
    }
  }

  /// Seals a file with its tree, so many leaves at once, and writes it nowhere. Returns the seconds that it took.
  public func file(hands: Int) throws -> Double {
    let sealer = try FileSealer(dataSize: size, SystemEntropy())
    var source = Pattern(size: size)
    var sink = Nowhere()
    let began = ContinuousClock.now
    _ = try sealer.seal(&source, into: &sink, hands: hands)
    return Self.seconds(since: began)
  }

  /// Seals a file into `path`, then opens it from there. Returns how far the resident memory of this process grew above what it was
  /// before, in bytes, and whether all came back.
  public func roundTrip(through path: String) throws -> (growth: Int, isSame: Bool) {
    let before = Self.peakResident()
    var source = Pattern(size: size)
    let sealer = try FileSealer(dataSize: size, SystemEntropy())
    guard FileManager.default.createFile(atPath: path, contents: nil), let writing = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown) }
    var sink = HandleSink(handle: writing)
    let file = try sealer.seal(&source, into: &sink)
    try writing.close()
    let opener = try FileOpener(content: file.content, layout: file.layout, root: file.root, key: file.key)
    let leaves = try opener.leaves(file.leaves)
    guard let reading = FileHandle(forReadingAtPath: path) else { throw CocoaError(.fileReadUnknown) }
    try reading.seek(toOffset: file.layout.range(of: .data).lowerBound)
    var sealed = HandleSource(handle: reading)
    var opened = Comparison(with: Pattern(size: size))
    try opener.data(from: &sealed, leaves, into: &opened)
    return (Self.peakResident() - before, opened.isWhole())
  }

  private func seconds(_ work: () -> Void) -> Double {
    let began = ContinuousClock.now
    work()
    return Self.seconds(since: began)
  }

  private static func seconds(since began: ContinuousClock.Instant) -> Double {
    let duration = ContinuousClock.now - began
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  /// The most memory that was ever resident, in bytes, as Linux counts it.
  static func peakResident() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) }.map { $0 * 1024 } ?? 0
  }
}

/// Bytes that need not be kept: byte i is i mod 251.
struct Pattern: FileSource {
  private static let block = [UInt8]((0..<Int(FileChunk.leafSize) + 251).map { UInt8($0 % 251) })

  let size: UInt64
  private var place: UInt64 = 0

  init(size: UInt64) { self.size = size }

  mutating func read(_ count: Int) -> [UInt8] {
    let end = min(size, place + min(UInt64(count), FileChunk.leafSize))
    defer { place = end }
    return Self.bytes(place..<end)
  }

  mutating func read(into buffer: inout [UInt8], at range: Range<Int>) -> Int {
    let count = Int(min(size - place, UInt64(range.count), FileChunk.leafSize))
    let start = Int(place % 251)
    overwrite(&buffer, at: range.lowerBound, with: Self.block[start..<start + count])
    place += UInt64(count)
    return count
  }

  /// At most a mebibyte of it.
  static func bytes(_ range: Range<UInt64>) -> [UInt8] {
    let start = Int(range.lowerBound % 251)
    return Array(block[start..<start + range.count])
  }
}

private struct Nowhere: FileSink {
  mutating func write(_ bytes: [UInt8]) {}
}

private struct HandleSink: FileSink {
  let handle: FileHandle
  mutating func write(_ bytes: [UInt8]) throws { try handle.write(contentsOf: Data(bytes)) }
}

private struct HandleSource: FileSource {
  let handle: FileHandle
  mutating func read(_ count: Int) throws -> [UInt8] { Array(try handle.read(upToCount: count) ?? Data()) }
}

private struct Comparison: FileSink {
  private var expected: Pattern
  private var isSame = true

  init(with expected: Pattern) { self.expected = expected }

  mutating func write(_ bytes: [UInt8]) {
    isSame = isSame && Data(expected.read(bytes.count)) == Data(bytes)
  }

  /// Whether everything came, and nothing else.
  mutating func isWhole() -> Bool { isSame && expected.read(1).isEmpty }
}
