import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// Uploads by parts, and what it takes to list them (spec §10.5).
@Suite struct UploadTests {
  private let world: World
  private let alice: Person
  private let bob: Person

  init() throws {
    world = try World()
    alice = try world.member("alice")
    bob = try world.member("bob")
  }

  private func list() throws -> BranchHand {
    try BranchHand.list(world, alice, with: [bob.entry([.read, .write])])
  }

  @Test func partsComeInAnyOrderAndMoreThanOnce() throws {
    let file = try TestFile(data: 11 << 20)
    #expect(file.parts.count == 3)
    #expect(try world.parts(of: file, as: alice) == nil)
    for (part, there) in [(2, [2]), (0, [0, 2]), (0, [0, 2]), (1, [0, 1, 2])] as [(UInt64, [UInt32])] {
      #expect(world.put(part, of: file, as: alice).status == 204)
      #expect(try world.parts(of: file, as: alice) == there)
    }
    var list = try list()
    _ = try list.attach(file, alice)
    #expect(world.read(file, in: list.branch, as: alice).body == file.bytes)
    // Whoever lost the answer asks again.
    #expect(try world.parts(of: file, as: alice) == [0, 1, 2])
    #expect(world.put(1, of: file, as: alice).status == 204)
  }

  @Test(arguments: [0, 1, 70_000, 1 << 20, (1 << 20) + 1, 5 << 20] as [UInt64])
  func aSmallFileIsOnePart(size: UInt64) throws {
    let file = try TestFile(data: size, metadata: 0, thumbnail: 0)
    try world.upload(file, as: alice)
    var list = try list()
    _ = try list.attach(file, alice)
    #expect(world.read(file, in: list.branch, as: bob).body == file.bytes)
  }

  @Test func otherBytesAndOtherLayoutsAreAFork() throws {
    let file = try TestFile(data: 300_000)
    try world.upload(file, as: alice)
    var bytes = file.bytes
    bytes[bytes.count - 1] ^= 1
    let other = world.put(0, of: file, bytes, as: alice)
    #expect(other.status == 409 && reason(other) == "fork")
    let wider = try #require(FileLayout(FileSizes(metadata: 100, thumbnail: 5000, data: 400_000)))
    let layout = world.put(0, of: file, [UInt8](repeating: 0, count: Int(wider.length)), query: wider.query, as: alice)
    #expect(layout.status == 409 && reason(layout) == "fork")
    var list = try list()
    _ = try list.attach(file, alice)
    #expect(world.read(file, in: list.branch, as: alice).body == file.bytes)
  }

  @Test func aPartIsExactlyItself() throws {
    let file = try TestFile(data: 11 << 20)
    for bytes in [Array(file.part(1).dropLast()), file.part(1) + [0], []] {
      #expect(reason(world.put(1, of: file, bytes, as: alice)) == "malformed")
    }
    #expect(reason(world.put(3, of: file, [0], as: alice)) == "malformed")
    #expect(reason(world.put(.max, of: file, [0], as: alice)) == "malformed")
    #expect(try world.parts(of: file, as: alice) == nil)
    var swapped = world.request(
      .filePart(file.content, part: 1), query: file.layout.query, file.part(1), as: alice.signer, alice.device)
    swapped.body[7] ^= 1
    let bent = world.cloud.handle(swapped)
    #expect(bent.status == 401 && reason(bent) == "digest-wrong")
    #expect(try world.parts(of: file, as: alice) == nil)
  }

  @Test(arguments: [
    "", "length=1&metadata=1&thumbnail=1", "metadata=0&length=80&thumbnail=0", "length=080&metadata=0&thumbnail=0",
    "length=80&metadata=0", "length=80&metadata=0&thumbnail=0&more=1", "length=-80&metadata=0&thumbnail=0",
    "length=18446744073709551616&metadata=0&thumbnail=0", "length=80&metadata=0&thumbnail=0x",
  ])
  func aQueryIsWrittenInOneWay(query: String) throws {
    let file = try TestFile(data: 0, metadata: 0, thumbnail: 0)
    #expect(reason(world.put(0, of: file, query: query, as: alice)) == "malformed")
    #expect(world.put(0, of: file, query: "length=80&metadata=0&thumbnail=0", as: alice).status == 204)
  }

  @Test func theQueryIsSigned() throws {
    let file = try TestFile(data: 0, metadata: 0, thumbnail: 0)
    var request = world.request(
      .filePart(file.content, part: 0), query: "length=96&metadata=0&thumbnail=0", file.bytes, as: alice.signer,
      alice.device)
    request.query = file.layout.query
    #expect(reason(world.cloud.handle(request)) == "signature-bad")
    #expect(reason(world.put(0, of: file, as: Person("eve"))) == "device-unknown")
  }

  @Test func nobodySeesOrDisturbsAnothersUpload() throws {
    let file = try TestFile(data: 300_000)
    let bobs = try TestFile(data: 200_000, content: file.content)
    #expect(world.put(0, of: file, as: alice).status == 204)
    #expect(try world.parts(of: bobs, as: bob) == nil)
    #expect(world.put(0, of: bobs, as: bob).status == 204)
    var list = try list()
    #expect(try list.tryToAttach(file.reference(by: bob), bob) == "refused content-missing")
    _ = try list.attach(bobs, bob)
    #expect(world.read(bobs, in: list.branch, as: alice).body == bobs.bytes)
    // In one branch an id means one thing.
    #expect(try list.tryToAttach(file.reference(by: alice), alice) == "refused content-unknown")
    var other = try self.list()
    _ = try other.attach(file, alice)
    #expect(world.read(file, in: other.branch, as: bob).body == file.bytes)
  }

  @Test func aHeaderListsOnlyWhatIsThere() throws {
    let file = try TestFile(data: 11 << 20)
    var list = try list()
    #expect(try list.tryToAttach(file.reference(by: alice), alice) == "refused content-missing")
    for part in [0, 1] as [UInt64] { world.put(part, of: file, as: alice) }
    #expect(try list.tryToAttach(file.reference(by: alice), alice) == "refused content-missing")
    #expect(world.read(file, in: list.branch, as: alice).status == 404)
    world.put(2, of: file, as: alice)
    var wrong = file.reference(by: alice)
    wrong.hash = .random(entropy)
    #expect(try list.tryToAttach(wrong, alice) == "refused content-missing")
    let shape = try #require(FileLayout(FileSizes(metadata: 300, thumbnail: 5000, data: 11 << 20)))
    let bent = ContentReference(file: shape, content: file.content, device: alice.deviceID, root: file.root)
    #expect(try list.tryToAttach(bent, alice) == "refused content-missing")
    // Before it is listed nobody reads it, not even in the branch where it will be.
    for person in [alice, bob] { #expect(world.read(file, in: list.branch, as: person).status == 404) }
    #expect(try list.tryToAttach(file.reference(by: alice), alice) == "accepted")
    #expect(world.read(file, in: list.branch, as: bob).body == file.bytes)
  }

  @Test func aFileDoesNotTravelInABatch() throws {
    let file = try TestFile(data: 0, metadata: 0, thumbnail: 0)
    var list = try list()
    var header = list.header(parent: list.branch, alice)
    header.contents = [file.reference(by: alice)]
    let content = WireContent.with {
      $0.content = data(file.content.bytes)
      $0.ciphertext = data(file.bytes)
    }
    #expect(word(try list.send(list.put(header, contents: [content], alice), alice)) == "refused content-mismatch")
  }

  @Test func aQuotaIsOfOneUserAndOfWhatWasBegun() throws {
    let world = try World(fileRules: FileRules(quota: 1 << 20, largest: 700_000))
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    let (one, two) = (try TestFile(data: 600_000), try TestFile(data: 500_000))
    let large = world.put(0, of: try TestFile(data: 800_000), as: alice)
    #expect(large.status == 413 && reason(large) == "limit-exceeded")
    #expect(world.put(0, of: one, as: alice).status == 204)
    let more = world.put(0, of: two, as: alice)
    #expect(more.status == 507 && reason(more) == "quota-exceeded")
    #expect(world.put(0, of: two, as: bob).status == 204)
    #expect(world.put(0, of: one, as: alice).status == 204, "what is there needs no more room")
    #expect(try world.blobs.list().count == 2)
    // However small, there are not many of them.
    var count = 0
    while world.put(0, of: try TestFile(data: 0, metadata: 0, thumbnail: 0), as: bob).status == 204 { count += 1 }
    #expect(count == Int(((1 << 20) - two.layout.length) / 65536))
  }

  @Test func aFullDiskIsSaidAndLeavesNothing() throws {
    let store = FullStore()
    let world = try World(blobs: store)
    let alice = try world.member("alice")
    let file = try TestFile(data: 300_000)
    for step in FullStore.Step.allCases {
      store.full = step
      let response = world.put(0, of: file, as: alice)
      #expect(response.status == 507 && reason(response) == "disk-full", "\(step)")
      #expect(try store.list() == [] && store.open == 0, "\(step)")
    }
    #expect(try world.parts(of: file, as: alice) == nil)
    store.full = nil
    #expect(world.put(0, of: file, as: alice).status == 204)
    #expect(store.open == 0)
  }
}

/// A store without room for one of its steps.
private final class FullStore: BlobStore, @unchecked Sendable {
  enum Step: CaseIterable {
    case begin
    case write
    case finish
    case keep
  }

  private let inner = MemoryBlobStore()
  var full: Step?
  /// How many writers were neither kept nor discarded.
  var open = 0

  func begin() throws -> any BlobWriter {
    try require(.begin)
    open += 1
    return Writer(store: self, inner: inner.begin())
  }

  private func require(_ step: Step) throws { if step == full { throw StorageFailure.full } }

  func read(_ part: BlobPart, _ range: Range<UInt64>) throws -> [UInt8] { try inner.read(part, range) }
  func delete(_ part: BlobPart) throws { inner.delete(part) }
  func delete(_ blob: BlobName) throws { inner.delete(blob) }
  func list() throws -> [BlobName] { inner.list() }
  func parts(of blob: BlobName) throws -> Set<UInt64> { inner.parts(of: blob) }

  private struct Writer: BlobWriter {
    let store: FullStore
    let inner: any BlobWriter

    func write(_ bytes: [UInt8]) throws {
      try store.require(.write)
      try inner.write(bytes)
    }

    func finish() throws {
      try store.require(.finish)
      try inner.finish()
    }

    func keep(as part: BlobPart) throws {
      try store.require(.keep)
      try inner.keep(as: part)
      store.open -= 1
    }

    func discard() {
      store.open -= 1
      inner.discard()
    }
  }
}
