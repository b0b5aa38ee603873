import CloudAPI
import Foundation
import Sealing
import Signing
import TestSupport
import Testing
import Treesystem

/// Two processes at one store, each between two steps of the other.
@Suite struct StoreRaceTests {
  @Test func whatIsWrittenAfterItsSectionWentDoesNotStay() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "race-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = MemoryFiles()
    let (one, other) = (try open(folder, files), try open(folder, files))
    let sample = try Sample(data: 2_500_000)
    let file = NodeFile(sample.file)
    let node = try one.write { transaction in
      let node = try transaction.createNode(withPath: Treepath(.home, "a"))
      try transaction.setFile(file, of: node.id)
      return node.id
    }
    let leaves = try one.diskStore.receive(leaves: sample.file.leaves, of: file)
    files.folder.beforeWriting.with {
      $0 = {
        try other.write { try $0.delete(node) }
        try other.diskStore.sweep()
      }
    }
    try one.diskStore.receive(sample.part(file.layout.range(of: FileLeaf(.data, 0))), leaf: 0, leaves, of: file)
    #expect(try files.folder.files().count == 1)
    // A note says so: it goes with the next change, whoever makes it.
    try other.diskStore.tidy()
    #expect(try files.folder.files() == [])
    #expect(throws: TreeError.noSuchNode) { _ = try one.diskStore.begin(.data, of: file, leaves) }
  }

  private func open(_ folder: URL, _ files: MemoryFiles) throws -> CloudDatabase {
    try CloudDatabase(
      path: folder.appending(path: "todo.db").path, files: files, appMigrations: [], entropy: SeededEntropy("race"),
      clock: ManualClock())
  }
}

/// A profile whose sections are in memory. Nothing happens at the same time, so nothing is locked.
private struct MemoryFiles: ProfileFiles {
  let folder = MemoryFolder()
  var sections: any SectionFolder { folder }

  func makeDatabase() throws {}
  func holdingWriteLock<Result>(_ body: () throws -> Result) throws -> Result { try body() }
  func takeSyncLock() -> Bool { true }
  func releaseSyncLock() {}
  func takeTransferLock() -> Bool { true }
  func releaseTransferLock() {}
}

private final class MemoryFolder: SectionFolder {
  /// What happens once, before the next write.
  let beforeWriting = Locked<(@Sendable () throws -> Void)?>(nil)
  private let bytes = Locked<[Int64: [UInt8]]>([:])

  func write(_ more: [UInt8], to file: Int64, at offset: UInt64) throws {
    let first = beforeWriting.with { first in
      defer { first = nil }
      return first
    }
    try first?()
    bytes.with { $0[file] = ($0[file] ?? []).prefix(Int(offset)) + more }
  }

  func keep(_ file: Int64) {}
  func read(_ range: Range<UInt64>, of file: Int64) -> [UInt8] {
    bytes.with { Array(($0[file] ?? []).dropFirst(Int(range.lowerBound)).prefix(range.count)) }
  }
  func remove(_ file: Int64) { bytes.with { $0[file] = nil } }
  func keepRemovals() {}
  func files() throws -> [Int64] { bytes.with { $0.keys.sorted() } }
}
