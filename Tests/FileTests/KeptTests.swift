import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What stays in the cache although others want the room, and what goes that nobody would look for.
@Suite struct KeptTests {
  let shelf: Shelf

  init() throws { shelf = try Shelf() }

  /// Two leaves of three of a file are here.
  private func interrupted() throws -> (sample: Sample, file: NodeFile, leaves: FileLeaves) {
    let sample = try Sample(data: 2_500_000)
    let file = try shelf.listed(sample)
    let leaves = try shelf.store.receive(leaves: sample.file.leaves, of: file)
    for leaf in 0..<2 as Range<UInt64> { try receive(leaf, of: sample, file, leaves) }
    return (sample, file, leaves)
  }

  private func receive(_ leaf: UInt64, of sample: Sample, _ file: NodeFile, _ leaves: FileLeaves) throws {
    try shelf.store.receive(sample.part(file.layout.range(of: FileLeaf(.data, leaf))), leaf: leaf, leaves, of: file)
  }

  @Test func whatIsBeingFetchedIsNotCrowdedOut() throws {
    try shelf.limit(1_000_000)
    let (sample, file, leaves) = try interrupted()
    // Somebody looks at something else meanwhile.
    let other = try shelf.addCached("other", data: 50_000)
    try shelf.again().diskStore.makeRoom()
    #expect(try shelf.store.begin(.data, of: file) == 2 * FileChunk.sealedLeafSize)
    try receive(2, of: sample, file, leaves)
    var sink = MemorySink()
    #expect(try shelf.store.data(of: file, into: &sink))
    #expect(isSame(sink.bytes, sample.data))
    #expect(try !shelf.isHere(other))
  }

  @Test func whatNobodyGoesOnWithMakesRoom() throws {
    try shelf.limit(1_000_000)
    let (_, file, _) = try interrupted()
    let other = try shelf.addCached("other", data: 50_000)
    shelf.clock.advance(10 * 60_000)
    try shelf.store.tidy()
    #expect(try shelf.store.begin(.data, of: file) == 0)
    #expect(try shelf.isHere(other))
  }

  @Test func aFetchThatBeginsAnewKeepsTheHashes() throws {
    let (sample, file, leaves) = try interrupted()
    try shelf.limit(0)
    shelf.clock.advance(10 * 60_000)
    try shelf.again().diskStore.tidy()
    #expect(try shelf.store.begin(.data, of: file, leaves) == 0)
    for leaf in 0..<3 as Range<UInt64> { try receive(leaf, of: sample, file, leaves) }
    var sink = MemorySink()
    #expect(try shelf.store.data(of: file, into: &sink))
    #expect(isSame(sink.bytes, sample.data))
  }

  @Test func whatWasMarkedStaysUntilItIsUsed() async throws {
    let home = try await Household()
    let (alice, bob) = (home.alice, home.bob)
    let list = try bob.todo().list
    try bob.database.write { transaction in
      _ = try transaction.addTodos([Title("second")], to: list)
      try transaction.setDiskLimits(DiskLimits(pool: 100_000, expiry: 60_000))
    }
    for device in [bob, alice] { try await device.syncAll() }
    for title in ["BBQ sauce", "second"] { try alice.attach(1_300_000, to: title) }
    for device in [alice, bob] { try await device.syncAll() }
    for title in ["BBQ sauce", "second"] {
      let node = try #require(try bob.image(of: title)).node
      try bob.database.write { try $0.markFileAsNeedsDownload(node, components: [.thumbnail, .data]) }
    }
    #expect(try await bob.syncAll().unsent == 0)
    // What came goes with no other sync, and with no expiry, before somebody saw it.
    home.world.clock.advance(6 * 24 * 3_600_000)
    try await bob.syncAll()
    bob.transport.clearTraffic()
    for title in ["BBQ sauce", "second"] { #expect(isSame(try bob.picture(of: title) ?? [], Shelf.bytes(1_300_000))) }
    #expect(bob.fileTraffic().down == 0)
    home.world.clock.advance(60_000)
    try bob.database.diskStore.tidy()
    // The thumbnails were asked for too, and not seen yet.
    let held = try bob.size(.cache)
    #expect(held > 0 && held < 10_000)
    home.world.clock.advance(24 * 3_600_000)
    try bob.database.diskStore.tidy()
    #expect(try bob.size(.cache) == 0)
  }

  @Test func withoutAnAccountFilesGoWithTheirNodesToo() throws {
    let node = try shelf.add("a", thumbnail: 100, data: 100_000)
    try shelf.store.tidy()
    #expect(try shelf.filesOnDisk().count == 2)
    try shelf.database.write { try $0.delete(node) }
    #expect(try shelf.filesOnDisk().count == 2)
    try shelf.store.tidy()
    #expect(try shelf.filesOnDisk().isEmpty)
  }

  @Test func whatNobodyTookIsUntidy() throws {
    var source = MemorySource(Shelf.bytes(1000))
    _ = try shelf.store.store(data: &source, size: 1000)
    shelf.clock.advance(DiskStore.patience - 1)
    try shelf.store.tidy()
    #expect(try shelf.filesOnDisk().count == 1)
    shelf.clock.advance(2)
    try shelf.store.tidy()
    #expect(try shelf.filesOnDisk().isEmpty)
  }

  @Test func whoLogsOutKeepsNoFiles() async throws {
    let home = try await Household()
    try home.alice.attach(100_000)
    try await home.alice.syncAll()
    try home.alice.attach(200_000)
    try home.alice.database.write { try $0.logOut() }
    try home.alice.database.diskStore.tidy()
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.alice.path + ".files") == [])
  }

  @Test func aFileThatNoTableKnowsGoes() throws {
    let node = try shelf.add("a", data: 1000)
    try Data([1, 2, 3]).write(to: shelf.folder.appending(path: "todo.db.files/77"))
    try shelf.store.sweep()
    #expect(try shelf.filesOnDisk().count == 1)
    #expect(try shelf.isHere(node))
  }
}
