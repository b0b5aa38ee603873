import CloudAPI
import Sealing
import Signing
import Treesystem

/// Everything that a file goes through on a device: stored, given to a node, uploaded, moved to the cache, crowded out, fetched again, deleted.
struct DiskStory {
  let database: CloudDatabase

  private var store: DiskStore { database.diskStore }

  func play(_ promise: inout DiskPromise) throws {
    try database.write { try $0.setDiskLimits(DiskLimits(pool: 3_000_000)) }
    let first = try add("first", 1, .cache, &promise)
    try upload(first, .cache, &promise)
    let second = try add("second", 2, .keep, &promise)
    try upload(second, .keep, &promise)
    let third = try add("third", 3, .delete, &promise)
    try upload(third, .delete, &promise)
    // Crowds the first out.
    let fourth = try add("fourth", 4, .cache, &promise)
    try upload(fourth, .cache, &promise)
    // One that nobody takes.
    _ = try stored(5, .cache)
    try fetch(to: "sixth", 6, &promise)
    promise.kept[second.id] = nil
    try database.write { try $0.delete(second.id) }
    try store.sweep()
    try replace(third, with: 7, &promise)
  }

  static func bytes(_ pattern: UInt8) -> [UInt8] { [UInt8](repeating: pattern, count: 1_300_000) }
  static func thumbnail(_ pattern: UInt8) -> [UInt8] { [UInt8](repeating: pattern, count: 5_000) }

  private func stored(_ pattern: UInt8, _ after: AfterUpload) throws -> NodeFile {
    var source = MemorySource(bytes: Self.bytes(pattern))
    return try store.store(
      metadata: [pattern], thumbnail: Self.thumbnail(pattern), data: &source, size: UInt64(source.bytes.count),
      after: after)
  }

  private func add(_ name: String, _ pattern: UInt8, _ after: AfterUpload, _ promise: inout DiskPromise) throws -> Node
  {
    let file = try stored(pattern, after)
    let node = try database.write { transaction in
      let node = try transaction.createNode(withPath: Treepath(.home, name))
      try transaction.setFile(file, of: node.id)
      return node
    }
    promise.kept[node.id] = pattern
    return node
  }

  private func upload(_ node: Node, _ after: AfterUpload, _ promise: inout DiskPromise) throws {
    guard let file = try database.read({ try $0.file(of: node.id) }) else { return }
    let parts = try SealedParts(of: file, in: store)
    for part in 0..<FileParts(of: file.layout).count { _ = try parts.bytes(of: part) }
    if after != .keep, let pattern = promise.kept.removeValue(forKey: node.id) { promise.settled[node.id] = pattern }
    try database.write { try $0.settleUpload(of: file.root) }
    try store.makeRoom()
  }

  /// As it comes from a server: first the thumbnail, then the data leaf by leaf.
  private func fetch(to name: String, _ pattern: UInt8, _ promise: inout DiskPromise) throws {
    let sealer = try FileSealer(
      thumbnail: Self.thumbnail(pattern), dataSize: UInt64(Self.bytes(pattern).count), DiceEntropy(6))
    var source = MemorySource(bytes: Self.bytes(pattern))
    var sink = MemorySink()
    let sealed = try sealer.seal(&source, into: &sink)
    let file = NodeFile(sealed)
    let node = try database.write { transaction in
      let node = try transaction.createNode(withPath: Treepath(.home, name))
      try transaction.setFile(file, of: node.id)
      return node
    }
    promise.settled[node.id] = pattern
    func part(_ range: Range<UInt64>) -> [UInt8] { Array(sink.bytes[Int(range.lowerBound)..<Int(range.upperBound)]) }
    _ = try store.begin(.thumbnail, of: file)
    try store.receive(part(file.layout.range(of: .thumbnail)), .thumbnail, of: file)
    let leaves = try store.receive(leaves: sealed.leaves, of: file)
    for index in 0..<file.layout.leafCount {
      try store.receive(part(file.layout.range(of: FileLeaf(.data, index))), leaf: index, leaves, of: file)
    }
  }

  private func replace(_ node: Node, with pattern: UInt8, _ promise: inout DiskPromise) throws {
    let file = try stored(pattern, .cache)
    promise.settled[node.id] = nil
    try database.write { try $0.setFile(file, of: node.id) }
    promise.kept[node.id] = pattern
    try store.sweep()
  }
}

struct MemorySource: FileSource {
  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func read(_ count: Int) throws -> [UInt8] {
    let next = Array(bytes[position..<min(position + count, bytes.count)])
    position += next.count
    return next
  }
}

struct MemorySink: FileSink {
  var bytes: [UInt8] = []
  mutating func write(_ more: [UInt8]) throws { bytes += more }
}
