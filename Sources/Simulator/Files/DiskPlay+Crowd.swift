import CloudAPI
import Sealing
import Signing
import Treesystem

extension DiskPlay {
  /// Puts images through the pool of cache mode, each with its thumbnail, and looks after each whether the pool is above its limit by more than
  /// that one, and whether what went is what was used least recently.
  package func crowd(_ images: Int) throws -> [String] {
    let machine = Machine("disk", files: blank, isProfile: false, seed: 0)
    let pool: Int64 = 25 << 20
    var wrong: [String] = []
    try Self.open(machine, process: 1, at: 0) { database, clock in
      var nodes: [NodeID] = []
      try database.write { try $0.setDiskLimits(DiskLimits(pool: pool)) }
      for number in 0..<images {
        clock.time += 1000
        let (node, size) = try Self.addCached(number, in: database)
        nodes.append(node)
        try database.diskStore.makeRoom()
        let held = try database.read { try $0.size(of: .cache) }
        if held > pool + size { wrong.append("\(held) bytes after image \(number)") }
      }
      let here = try nodes.map { node in
        guard let file = try database.read({ try $0.file(of: node) }) else { return false }
        var sink = MemorySink()
        return try database.diskStore.data(of: file, into: &sink)
      }
      let kept = here.count { $0 }
      // Those that are here are the last ones, without a gap.
      if kept == 0 || kept == images || here.suffix(kept).contains(false) {
        wrong.append("\(kept) images are here, and not the last ones")
      }
      let held = try database.read { try $0.size(of: .cache) }
      let onDisk = SimSections.files(on: machine).reduce(0) { $0 + (SimSections.size(of: $1, on: machine) ?? 0) }
      if Int64(onDisk) != held { wrong.append("\(onDisk) bytes on the disk, \(held) in the tables") }
    }
    return wrong
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
      try transaction.settleUpload(of: file.content)
      return node.id
    }
    return (node, Int64(file.layout.length))
  }
}
