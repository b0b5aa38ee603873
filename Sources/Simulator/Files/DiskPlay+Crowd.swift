import CloudAPI
import Sealing
import Signing
import Treesystem

extension DiskPlay {
  /// Puts images through the pool of cache mode, each with its thumbnail, and looks at an old one now and then. Looks after each whether the pool is above
  /// its limit by more than that one, and at the end whether what went is what was used least recently.
  package func crowd(_ images: Int) throws -> [String] {
    let machine = Machine("disk", files: blank, isProfile: false, seed: 0)
    let pool: Int64 = 25 << 20
    var wrong: [String] = []
    try Self.open(machine, process: 1, at: 0) { database, clock in
      var nodes: [NodeID] = []
      // What is to be here, the one that was used least recently first.
      var expected: [(node: NodeID, size: Int64)] = []
      try database.write { try $0.setDiskLimits(DiskLimits(pool: pool)) }
      for number in 0..<images {
        clock.time += 1000
        let (node, size) = try Self.addCached(number, in: database)
        nodes.append(node)
        expected.append((node, size))
        try database.diskStore.makeRoom()
        while expected.reduce(0, { $0 + $1.size }) > pool { expected.removeFirst() }
        if number.isMultiple(of: 7), let old = expected.first {
          clock.time += 1000
          try Self.look(at: old.node, in: database)
          expected.append(expected.removeFirst())
        }
        let held = try database.read { try $0.size(of: .cache) }
        if held > pool + size { wrong.append("\(held) bytes after image \(number)") }
      }
      let here = try nodes.map { node in
        guard let file = try database.read({ try $0.file(of: node) }) else { return false }
        var sink = MemorySink()
        return try database.diskStore.data(of: file, into: &sink)
      }
      let kept = Set(zip(nodes, here).filter(\.1).map(\.0))
      // One of which the thumbnail alone had to go may be here still.
      let missing = expected.filter { !kept.contains($0.node) }
      if kept.count == images || !missing.isEmpty || kept.count > expected.count + 1 {
        wrong.append("\(kept.count) images are here, and not those that were used last: \(missing.count) are missing")
      }
      let held = try database.read { try $0.size(of: .cache) }
      let onDisk = SimSections.files(on: machine).reduce(0) { $0 + (SimSections.size(of: $1, on: machine) ?? 0) }
      if Int64(onDisk) != held { wrong.append("\(onDisk) bytes on the disk, \(held) in the tables") }
    }
    return wrong
  }

  private static func look(at node: NodeID, in database: CloudDatabase) throws {
    guard let file = try database.read({ try $0.file(of: node) }) else { return }
    var sink = MemorySink()
    _ = try database.diskStore.section(.thumbnail, of: file)
    _ = try database.diskStore.data(of: file, into: &sink)
  }

  /// Returns the image's node and how many bytes it takes.
  private static func addCached(_ number: Int, in database: CloudDatabase) throws -> (NodeID, Int64) {
    let data = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 60_000 + number * 40)
    var source = MemorySource(bytes: data)
    let file = try database.diskStore.store(
      thumbnail: [UInt8](repeating: 1, count: 4000), data: &source, size: UInt64(data.count))
    let node = try database.write { transaction in
      let node = try transaction.createNode(withPath: Treepath(.home, "image \(number)"))
      try transaction.setFile(file, of: node.id)
      try transaction.settleUpload(of: file.root)
      return node.id
    }
    return (node, Int64(file.layout.length - FileLayout.header))
  }
}
