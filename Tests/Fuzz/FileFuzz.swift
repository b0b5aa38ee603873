import Foundation
import Sealing
import Signing

// What `make fuzz` gives hostile bytes to: everything that reads a file (docs/spec/10-files.md). It stops where something comes out that the
// author of the file did not seal.

/// One input: its first byte says what the others stand for.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch first % 5 {
  case 0: layout(rest)
  case 1: header(rest)
  case 2: served(rest)
  case 3: fileKey(rest)
  default: signedNonsense(rest)
  }
  return 0
}

private func number(_ bytes: [UInt8], _ place: Int) -> UInt64 {
  BigEndian.read((0..<8).map { place * 8 + $0 < bytes.count ? bytes[place * 8 + $0] : 0 })
}

/// The lengths that a header lists.
private func layout(_ bytes: [UInt8]) {
  let layout = FileLayout(length: number(bytes, 0), metadata: number(bytes, 1), thumbnail: number(bytes, 2))
  guard let layout else { return }
  var end: UInt64 = 0
  for section in [FileSection.header, .metadata, .thumbnail, .data] {
    precondition(layout.range(of: section).lowerBound == end)
    end = layout.range(of: section).upperBound
  }
  precondition(end == layout.length)
  let last = layout.leafCount == 0 ? nil : layout.range(of: FileLeaf(.data, layout.leafCount - 1))
  precondition(last.map { $0.upperBound == end && !$0.isEmpty } ?? (layout.data == 0))
}

private struct Memory: FileSource, FileSink {
  var bytes: [UInt8]
  var place = 0

  mutating func read(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, place + count)
    defer { place = end }
    return Array(bytes[place..<end])
  }

  mutating func write(_ more: [UInt8]) { bytes += more }
}

private struct Sample {
  let metadata = [UInt8](repeating: 1, count: 300)
  let thumbnail = [UInt8](repeating: 3, count: 2000)
  let data = [UInt8](repeating: 2, count: 70_000)
  let file: SealedFile
  let bytes: [UInt8]

  init() throws {
    let sealer = try FileSealer(
      metadata: metadata, thumbnail: thumbnail, dataSize: UInt64(data.count), SystemEntropy())
    var source = Memory(bytes: data)
    var sink = Memory(bytes: [])
    file = try sealer.seal(&source, into: &sink)
    bytes = sink.bytes
  }

  func section(_ section: FileSection) -> [UInt8] {
    let range = file.layout.range(of: section)
    return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
  }

  func opener() throws(FileFault) -> FileOpener {
    try FileOpener(content: file.content, layout: file.layout, root: file.root, key: file.key)
  }
}

private let sample = Result { try Sample() }

/// Any plaintext as the header of a file, sealed and hashed as it should be.
private func header(_ bytes: [UInt8]) {
  guard let sample = try? sample.get() else { preconditionFailure("the sample was not sealed") }
  let layout =
    bytes.count > 64 && bytes[64] & 1 == 1 ? FileLayout(sizes(bytes)) ?? sample.file.layout : sample.file.layout
  let cipher = SectionCipher(.header, of: sample.file.content, under: sample.file.key.secret, in: layout)
  let plain = Array((bytes + [UInt8](repeating: 0, count: 64)).prefix(64))
  let key = FileKey(
    secret: sample.file.key.secret, header: cipher.seal(plain), metadata: sample.file.key.metadata,
    thumbnail: sample.file.key.thumbnail, data: sample.file.key.data)
  guard let key else { preconditionFailure("a sealed header has another length") }
  let opener = try? FileOpener(content: sample.file.content, layout: layout, root: key.root(in: layout), key: key)
  guard let opener else { return }
  precondition(FileLayout(opener.sizes) == layout && plain[0] == 1 && plain[1..<40].allSatisfy { $0 == 0 })
  precondition(opener.leaves(holding: 0..<UInt64.max).upperBound <= layout.leafCount)
}

private func sizes(_ bytes: [UInt8]) -> FileSizes {
  FileSizes(metadata: number(bytes, 5), thumbnail: number(bytes, 6), data: number(bytes, 7))
}

/// What a server answers: the author's bytes after some edits, each of a place, a length that goes, and bytes that come.
private func edited(_ bytes: [UInt8], by edits: ArraySlice<UInt8>) -> [UInt8] {
  var (bytes, edits) = (bytes, edits)
  while edits.count >= 4, bytes.count < 1 << 20 {
    let word = edits.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    edits = edits.dropFirst(4)
    let start = (word >> 12) % (bytes.count + 1)
    let end = min(bytes.count, start + (word >> 6) & 63)
    let added = edits.prefix(word & 63)
    bytes.replaceSubrange(start..<end, with: added)
    edits = edits.dropFirst(added.count)
  }
  return bytes
}

private func served(_ bytes: [UInt8]) {
  guard let which = bytes.first, let sample = try? sample.get(), let opener = try? sample.opener() else { return }
  let edits = bytes.dropFirst()
  switch which % 4 {
  case 0: expect(try? opener.metadata(edited(sample.section(.metadata), by: edits)), sample.metadata)
  case 1: expect(try? opener.thumbnail(edited(sample.section(.thumbnail), by: edits)), sample.thumbnail)
  case 2: expect(data(edited(sample.section(.data), by: edits), sample.file.leaves, opener), sample.data)
  default: expect(data(sample.section(.data), edited(sample.file.leaves, by: edits), opener), sample.data)
  }
}

private func data(_ bytes: [UInt8], _ hashes: [UInt8], _ opener: FileOpener) -> [UInt8]? {
  var source = Memory(bytes: bytes)
  var sink = Memory(bytes: [])
  guard let leaves = try? opener.leaves(hashes) else { return nil }
  let isWhole = (try? opener.data(from: &source, leaves, into: &sink)) != nil
  // Of one leaf either all came out before, or nothing.
  return isWhole || !sink.bytes.isEmpty ? sink.bytes : nil
}

private func expect(_ plain: [UInt8]?, _ right: [UInt8]) {
  precondition(plain == nil || plain == right, "something came out that nobody sealed")
}

/// A file key with edits, under the root that it gives or the author's.
private func fileKey(_ bytes: [UInt8]) {
  guard bytes.count > 2, let sample = try? sample.get() else { return }
  let parts = [sample.file.key.metadata.bytes, sample.file.key.thumbnail.bytes, sample.file.key.data.bytes]
  let header = bytes[0] & 1 == 1 ? edited(sample.file.key.header, by: bytes[2...]) : sample.file.key.header
  let hashes = parts.enumerated().map { place, hash in
    bytes[0] >> UInt8(place + 1) & 1 == 1 ? edited(hash, by: bytes[2...]) : hash
  }
  guard let metadata = Hash32(bytes: hashes[0]), let thumbnail = Hash32(bytes: hashes[1]),
    let root = Hash32(bytes: hashes[2])
  else { return }
  let key = FileKey(
    secret: sample.file.key.secret, header: header, metadata: metadata, thumbnail: thumbnail, data: root)
  guard let key else { return }
  let layout = sample.file.layout
  let isOurs = key == sample.file.key
  let listed = bytes[1] & 1 == 1 ? key.root(in: layout) : sample.file.root
  let opener = try? FileOpener(content: sample.file.content, layout: layout, root: listed, key: key)
  precondition(isOurs || opener == nil || bytes[1] & 1 == 1)
  guard let opener else { return precondition(!isOurs) }
  expect(try? opener.metadata(sample.section(.metadata)), sample.metadata)
  expect(try? opener.thumbnail(sample.section(.thumbnail)), sample.thumbnail)
}

/// Bytes that were hashed right and never sealed.
private func signedNonsense(_ input: [UInt8]) {
  guard let sample = try? sample.get() else { return }
  let bytes = Array(input.prefix((input.count - 16) / 256 * 256 + 16))
  let layout = FileLayout(
    length: FileLayout.header + UInt64(bytes.count), metadata: 0, thumbnail: 0)
  guard let layout, !bytes.isEmpty else { return }
  let cipher = SectionCipher(.header, of: sample.file.content, under: sample.file.key.secret, in: layout)
  let size = layout.data - FileChunk.overhead
  let plain = [1] + [UInt8](repeating: 0, count: 55) + BigEndian.bytes(size)
  let leaf = LeafHasher.hash(bytes, FileLeaf(.data))
  let key = FileKey(
    secret: sample.file.key.secret, header: cipher.seal(plain), metadata: .zeros, thumbnail: .zeros, data: leaf)
  guard let key,
    let opener = try? FileOpener(content: sample.file.content, layout: layout, root: key.root(in: layout), key: key),
    let leaves = try? opener.soleLeaf()
  else { preconditionFailure("a header that fits was refused") }
  precondition((try? opener.data(bytes, leaf: 0, leaves)) == nil, "what nobody sealed opened")
}
