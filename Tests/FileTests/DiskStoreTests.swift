import CloudAPI
import Foundation
import Sealing
import Signing
import TestSupport
import Testing
import Treesystem

/// A profile's sealed files on a real disk: what stays, what goes first, and what is not believed.
@Suite struct DiskStoreTests {
  let shelf: Shelf

  init() throws { shelf = try Shelf() }

  @Test func whatIsStoredComesBackAndIsSealedOnTheDisk() throws {
    let node = try shelf.add("sauce", thumbnail: 900, data: 3_000_000)
    let file = try shelf.file(of: node)
    var sink = MemorySink()
    #expect(try shelf.store.data(of: file, into: &sink))
    #expect(isSame(sink.bytes, Shelf.bytes(3_000_000)))
    #expect(try shelf.store.section(.thumbnail, of: file) == Shelf.bytes(900))
    #expect(try shelf.store.section(.metadata, of: file) == [])
    for (_, bytes) in try shelf.filesOnDisk() {
      #expect(Data(bytes).range(of: Data(Shelf.bytes(64))) == nil)
    }
  }

  @Test func whatWasNotUsedForLongestGoesFirst() throws {
    try shelf.limit(500_000)
    let nodes = try (0..<4).map { try shelf.addCached("\($0)", data: 100_000) }
    shelf.clock.advance(1000)
    var sink = MemorySink()
    #expect(try shelf.store.data(of: shelf.file(of: nodes[0]), into: &sink))
    try shelf.limit(250_000)
    try shelf.store.makeRoom()
    #expect(try nodes.map { try shelf.isHere($0) } == [true, false, false, true])
  }

  @Test func whatExpiresGoesAndANegativeExpiryKeeps() throws {
    try shelf.limit(10_000_000, expiry: 60_000)
    let node = try shelf.addCached("a", data: 10_000)
    shelf.clock.advance(59_999)
    try shelf.store.makeRoom()
    #expect(try shelf.isHere(node))
    try shelf.limit(10_000_000, expiry: -1)
    shelf.clock.advance(1_000_000)
    try shelf.store.makeRoom()
    #expect(try shelf.isHere(node))
    try shelf.limit(10_000_000, expiry: 60_000)
    shelf.clock.advance(60_000)
    try shelf.store.makeRoom()
    #expect(try !shelf.isHere(node))
    #expect(try shelf.filesOnDisk().isEmpty)
  }

  /// Whoever has just sent it would have to fetch it again to look at it.
  @Test func whatWasUsedLastStaysThoughItIsLargerThanThePool() throws {
    try shelf.limit(100_000)
    let first = try shelf.addCached("first", data: 50_000)
    let second = try shelf.addCached("second", data: 300_000)
    try shelf.store.tidy()
    #expect(try [first, second].map { try shelf.isHere($0) } == [false, true])
    // It is the first to go.
    shelf.clock.advance(1000)
    let third = try shelf.addCached("third", data: 20_000)
    try shelf.store.tidy()
    #expect(try [second, third].map { try shelf.isHere($0) } == [false, true])
    try shelf.limit(0)
    try shelf.store.tidy()
    #expect(try !shelf.isHere(third))
  }

  @Test func whatIsPersistentIsNeverCrowdedOut() throws {
    try shelf.limit(0, expiry: 0)
    let kept = try shelf.add("kept", data: 100_000)
    let cached = try shelf.addCached("cached", data: 100_000)
    shelf.clock.advance(1_000_000)
    try shelf.store.makeRoom()
    #expect(try shelf.isHere(kept))
    #expect(try !shelf.isHere(cached))
  }

  @Test func aFileGoesWithItsLastNode() throws {
    let one = try shelf.add("one", thumbnail: 10, data: 10_000)
    let two = try shelf.database.write { transaction in
      let node = try transaction.createNode(withPath: Treepath(.home, "two"))
      if let file = try transaction.file(of: one) { try transaction.setFile(file, of: node.id) }
      return node.id
    }
    try shelf.database.write { try $0.delete(one) }
    try shelf.store.sweep()
    #expect(try shelf.isHere(two))
    #expect(try shelf.filesOnDisk().count == 2)
    try shelf.database.write { try $0.delete(two) }
    try shelf.store.sweep()
    #expect(try shelf.filesOnDisk().isEmpty)
  }

  @Test func whatTheDiskDidNotKeepIsForgotten() throws {
    let node = try shelf.add("a", thumbnail: 100, data: 2_000_000)
    let file = try shelf.file(of: node)
    for (path, bytes) in try shelf.filesOnDisk() {
      var changed = bytes
      changed[changed.count / 2] ^= 1
      try Data(changed).write(to: path)
    }
    var sink = MemorySink()
    #expect(try !shelf.store.data(of: file, into: &sink))
    #expect(try shelf.store.section(.thumbnail, of: file) == nil)
    #expect(try shelf.filesOnDisk().isEmpty)
  }

  @Test func aFileThatIsGoneIsNotThere() throws {
    let node = try shelf.add("a", data: 100_000)
    for (path, _) in try shelf.filesOnDisk() { try FileManager.default.removeItem(at: path) }
    #expect(try !shelf.isHere(node))
  }

  /// A disk that is not mounted for a while.
  @Test func whatNobodyElseHasIsNotGivenUpForThat() throws {
    let node = try shelf.add("a", data: 100_000)
    let file = try shelf.file(of: node)
    let files = try shelf.filesOnDisk()
    for (path, _) in files { try FileManager.default.removeItem(at: path) }
    var sink = MemorySink()
    #expect(try !shelf.store.data(of: file, into: &sink))
    for (path, bytes) in files { try Data(bytes).write(to: path) }
    try shelf.store.sweep()
    #expect(try shelf.isHere(node) && shelf.filesOnDisk().count == files.count)
  }

  @Test(arguments: [-1, 1]) func aSourceThatChangesLeavesNothing(by difference: Int) throws {
    var source = MemorySource(Shelf.bytes(200_000))
    #expect(throws: FileSealError.sourceChanged) {
      _ = try shelf.store.store(data: &source, size: UInt64(200_000 + difference))
    }
    #expect(try shelf.filesOnDisk().isEmpty)
  }

  @Test func whatNobodyTakesGoesAfterADay() throws {
    var source = MemorySource(Shelf.bytes(1000))
    _ = try shelf.store.store(data: &source, size: 1000)
    shelf.clock.advance(DiskStore.patience - 1)
    try shelf.store.sweep()
    #expect(try shelf.filesOnDisk().count == 1)
    shelf.clock.advance(2)
    try shelf.store.sweep()
    #expect(try shelf.filesOnDisk().isEmpty)
  }

  @Test func nothingThatDoesNotOpenIsKept() throws {
    let sample = try Sample(thumbnail: 500, data: 2_500_000)
    let file = try shelf.listed(sample)
    let layout = file.layout
    func part(_ range: Range<UInt64>) -> [UInt8] { Array(sample.bytes[Int(range.lowerBound)..<Int(range.upperBound)]) }
    var thumbnail = part(layout.range(of: .thumbnail))
    thumbnail[3] ^= 4
    #expect(throws: FileFault.contentMismatch) { try shelf.store.receive(thumbnail, .thumbnail, of: file) }
    _ = try shelf.store.begin(.data, of: file)
    let leaves = try shelf.store.receive(leaves: sample.file.leaves, of: file)
    let first = part(layout.range(of: FileLeaf(.data, 0)))
    #expect(throws: FileFault.contentMismatch) { try shelf.store.receive(first, leaf: 1, leaves, of: file) }
    #expect(try shelf.filesOnDisk().isEmpty)
    try shelf.store.receive(first, leaf: 0, leaves, of: file)
    // It goes on where it was.
    #expect(try shelf.store.begin(.data, of: file) == UInt64(first.count))
  }

  @Test func twoProcessesUseOneStore() throws {
    let other = try shelf.again()
    let node = try shelf.add("a", data: 300_000)
    var sink = MemorySink()
    let file = try #require(try other.read { try $0.file(of: node) })
    #expect(try other.diskStore.data(of: file, into: &sink))
    #expect(isSame(sink.bytes, Shelf.bytes(300_000)))
    try other.write { try $0.delete(node) }
    try other.diskStore.sweep()
    #expect(try shelf.filesOnDisk().isEmpty)
  }
}

/// A profile without an account, and its files.
final class Shelf {
  let folder: URL
  let clock = ManualClock()
  let database: CloudDatabase

  var store: DiskStore { database.diskStore }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "shelf-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    database = try CloudDatabase(
      path: folder.appending(path: "todo.db").path, appMigrations: [], entropy: SeededEntropy("shelf"), clock: clock)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func again() throws -> CloudDatabase {
    try CloudDatabase(
      path: folder.appending(path: "todo.db").path, appMigrations: [], entropy: SeededEntropy("again"), clock: clock)
  }

  static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  func add(_ name: String, thumbnail: Int = 0, data: Int, after: AfterUpload = .keep) throws -> NodeID {
    var source = MemorySource(Self.bytes(data))
    let file = try store.store(thumbnail: Self.bytes(thumbnail), data: &source, size: UInt64(data), after: after)
    return try database.write { transaction in
      let node = try transaction.createNode(withPath: Treepath(.home, name))
      try transaction.setFile(file, of: node.id)
      return node.id
    }
  }

  /// As after its upload.
  func addCached(_ name: String, data: Int) throws -> NodeID {
    clock.advance(1000)
    let node = try add(name, data: data, after: .cache)
    let root = try file(of: node).root
    try database.write { try $0.settleUpload(of: root) }
    return node
  }

  /// A file that a node has, and of which nothing lies here.
  func listed(_ sample: Sample) throws -> NodeFile {
    let file = NodeFile(sample.file)
    try database.write { transaction in
      try transaction.setFile(file, of: transaction.createNode(withPath: Treepath(.home, "listed")).id)
    }
    return file
  }

  func limit(_ pool: Int64, expiry: Int64 = -1) throws {
    try database.write { try $0.setDiskLimits(DiskLimits(pool: pool, expiry: expiry)) }
  }

  func file(of node: NodeID) throws -> NodeFile {
    guard let file = try database.read({ try $0.file(of: node) }) else { throw TreeError.noSuchNode }
    return file
  }

  /// Whether all of a node's data lies here.
  func isHere(_ node: NodeID) throws -> Bool {
    var sink = MemorySink()
    return try store.data(of: file(of: node), into: &sink)
  }

  func filesOnDisk() throws -> [(URL, [UInt8])] {
    let files = folder.appending(path: "todo.db.files")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? []
    return try names.map { name in
      let path = files.appending(path: name)
      return (path, Array(try Data(contentsOf: path)))
    }
  }
}
