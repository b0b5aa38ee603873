import CloudServer
import Foundation
import Signing
import Testing

/// One suite, every store of blobs.
@Suite struct BlobStoreTests {
  enum Kind: CaseIterable {
    case memory
    case folder
    case folderOnADiskInMemory
  }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blobs-\(UUID().uuidString)").path
  private let one = BlobName(number: 1, content: .random(entropy))
  private let two = BlobName(number: 2, content: .random(entropy))

  private func store(_ kind: Kind) throws -> any BlobStore {
    switch kind {
    case .memory: MemoryBlobStore()
    case .folder: try FolderBlobStore(folder: folder)
    case .folderOnADiskInMemory: try FolderBlobStore(disk: MemoryDisk())
    }
  }

  private func keep(_ bytes: [UInt8], as part: BlobPart, in store: any BlobStore) throws {
    let writer = try store.begin()
    for start in stride(from: 0, to: bytes.count, by: 1000) {
      try writer.write(Array(bytes[start..<min(start + 1000, bytes.count)]))
    }
    try writer.finish()
    try writer.keep(as: part)
  }

  @Test(arguments: Kind.allCases) func whatIsKeptIsThere(_ kind: Kind) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try store(kind)
    #expect(try store.list() == [])
    let bytes = entropy.bytes(300_000)
    for part in [0, 7, 1_000_000] as [UInt64] { try keep(bytes, as: BlobPart(one, part), in: store) }
    try keep([1, 2, 3], as: BlobPart(two, 0), in: store)
    #expect(Set(try store.list()) == [one, two])
    #expect(try store.parts(of: one) == [0, 7, 1_000_000])
    for range in [0..<300_000, 0..<1, 299_999..<300_000, 1000..<1000] as [Range<UInt64>] {
      #expect(try store.read(BlobPart(one, 7), range) == Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
    }
    try keep([4], as: BlobPart(two, 0), in: store)
    #expect(try store.read(BlobPart(two, 0), 0..<1) == [4])
    for part in [BlobPart(two, 1), BlobPart(BlobName(number: 3, content: one.content), 0)] {
      #expect(throws: StorageFailure.damaged) { try store.read(part, 0..<1) }
    }
    #expect(throws: StorageFailure.damaged) { try store.read(BlobPart(two, 0), 0..<2) }
  }

  @Test(arguments: Kind.allCases) func whatIsDeletedOrNotKeptIsNot(_ kind: Kind) throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try store(kind)
    let writer = try store.begin()
    try writer.write([1])
    #expect(try store.list() == [])
    writer.discard()
    for part in 0..<3 as Range<UInt64> { try keep([5], as: BlobPart(one, part), in: store) }
    try store.delete(BlobPart(one, 1))
    try store.delete(BlobPart(one, 1))
    #expect(try store.parts(of: one) == [0, 2])
    try store.delete(one)
    try store.delete(one)
    #expect(try store.list() == [] && store.parts(of: one) == [])
  }

  @Test func aFolderForgetsWhatDidNotArrive() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try FolderBlobStore(folder: folder)
    try store.begin().write([1, 2, 3])
    try keep([9], as: BlobPart(one, 0), in: store)
    try FileManager.default.createDirectory(atPath: "\(folder)/lost+found", withIntermediateDirectories: true)
    let again = try FolderBlobStore(folder: folder)
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/arriving") == [])
    #expect(try again.list() == [one])
    #expect(try again.read(BlobPart(one, 0), 0..<1) == [9])
  }

  @Test func onlyTheOwnerCanReadIt() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try FolderBlobStore(folder: folder)
    try keep([9], as: BlobPart(one, 0), in: store)
    let files = FileManager.default
    #expect(try files.attributesOfItem(atPath: folder)[.posixPermissions] as? Int == 0o700)
    for path in try files.subpathsOfDirectory(atPath: folder) {
      let attributes = try files.attributesOfItem(atPath: "\(folder)/\(path)")
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      #expect(attributes[.posixPermissions] as? Int == (isFolder ? 0o700 : 0o600), "\(path)")
    }
  }

  @Test func aFolderThatCannotBeWrittenSaysSo() throws {
    #expect(throws: StorageFailure.damaged) { try FolderBlobStore(folder: "/nowhere/at/all") }
    #expect(throws: StorageFailure.disk(code: ENOTDIR)) { try FolderBlobStore(folder: "/dev/null/files") }
  }

  @Test(arguments: [
    "", "1", "1-", "-1", "01-\(String(repeating: "0", count: 32))", "1-\(String(repeating: "A", count: 32))",
  ])
  func namesAreWrittenInOneWay(text: String) {
    #expect(BlobName(text) == nil)
    #expect(BlobName(one.description) == one)
  }
}
