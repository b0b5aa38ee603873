import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

/// An app whose nodes in home are files that it has promised.
struct Promises: TreesystemDelegate {
  let offer: Locked<FileOffer?>

  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    NodeData(file: try transaction.file(of: node.id))
  }

  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge { .settled }

  func file(of node: Node, in transaction: CloudTransaction) throws -> FileOffer? { offer.with { $0 } }
}

/// What an app gives on the way up: data in memory, a clear file, a sealed one, and the promise of one.
@Suite struct PromiseTests {
  let world: World
  let folder: URL
  let offer = Locked<FileOffer?>(nil)
  let owner: Device
  let laptop: Device

  init() async throws {
    world = try World(seed: "promises")
    folder = world.folder
    owner = try Self.device("owner", in: world, offer)
    laptop = try Self.device("laptop", in: world, offer)
    try await owner.session.signUp(handle: "alice", server: "test")
    try await owner.sync()
    let root = try #require(try owner.database.read { try $0.root() })
    try await laptop.session.logIn(root: root, handle: "alice", server: "test")
  }

  static func device(_ name: String, in world: World, _ offer: Locked<FileOffer?>) throws -> Device {
    try Device(
      path: world.folder.appending(path: "\(name).db").path, transport: InProcessTransport(world.cloud),
      clock: world.clock, entropy: SeededEntropy(name), app: Promises(offer: offer))
  }

  /// Promises a file, keeps it, and returns what the laptop gets.
  func arrive(_ offer: FileOffer) async throws -> [UInt8]? {
    self.offer.with { $0 = offer }
    let node = try owner.database.write { transaction in
      let node = try transaction.createNode(withPath: Treepath(.home, "file"))
      try transaction.promiseFile(of: node.id)
      return node
    }
    try await owner.syncAll()
    try await laptop.sync()
    let there = try laptop.database.read { try $0.node(withPath: Treepath(.home, node.name)) }
    guard let there, let file = try laptop.database.read({ try $0.file(of: there.id) }) else { return nil }
    try await laptop.session.fetchFile([.metadata, .thumbnail, .data], of: there.id)
    var sink = MemorySink()
    return try laptop.database.diskStore.data(of: file, into: &sink) ? sink.bytes : nil
  }

  @Test func dataInMemory() async throws {
    #expect(isSame(try await arrive(FileOffer(.data(Shelf.bytes(100_000)))) ?? [], Shelf.bytes(100_000)))
  }

  @Test func nothingAtAll() async throws {
    #expect(try await arrive(FileOffer(.data([]))) == [])
  }

  @Test func aClearFile() async throws {
    let path = folder.appending(path: "clear").path
    try Data(Shelf.bytes(2_000_000)).write(to: URL(filePath: path))
    #expect(isSame(try await arrive(FileOffer(.clearFile(path: path))) ?? [], Shelf.bytes(2_000_000)))
  }

  @Test func aPromiseOfAPromise() async throws {
    let offer = FileOffer(.promise { .promise { .data([1, 2, 3]) } })
    #expect(try await arrive(offer) == [1, 2, 3])
  }

  @Test func aSealedFile() async throws {
    var source = MemorySource(Shelf.bytes(5000))
    let file = try owner.database.diskStore.store(data: &source, size: 5000)
    #expect(try await arrive(FileOffer(.sealed(file))) == Shelf.bytes(5000))
  }

  @Test(arguments: ["missing", "folder", "pipe"]) func whatIsNoFileIsRefusedAndKeepsNothingWaiting(kind: String)
    async throws
  {
    let path = folder.appending(path: kind).path
    if kind == "folder" { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
    if kind == "pipe" { #expect(mkfifo(path, 0o600) == 0) }
    #expect(try await arrive(FileOffer(.clearFile(path: path))) == nil)
    #expect(try owner.refused() == [.contentMissing])
  }

  @Test func aSourceThatChangesBetweenTriesGetsAnotherKey() async throws {
    let path = folder.appending(path: "changing").path
    try Data(Shelf.bytes(11_000_000)).write(to: URL(filePath: path))
    // The first part arrives and nothing more.
    _ = owner.transport.setFate(.lost, ofRequest: 2) { $0.method == "PUT" }
    await #expect(throws: CloudFailure.unreachable) { try await arrive(FileOffer(.clearFile(path: path))) }
    let node = try #require(try owner.database.read { try $0.node(withPath: Treepath(.home, "file")) })
    let first = try #require(try owner.database.read { try $0.file(of: node.id) })
    // What was sealed goes on its way as it was, whatever becomes of its source, until it is promised anew.
    let other = [UInt8](repeating: 5, count: 11_000_000)
    try Data(other).write(to: URL(filePath: path))
    try owner.database.write { try $0.promiseFile(of: node.id) }
    owner.transport.setFate { _ in .delivered }
    owner.transport.clearTraffic()
    try await owner.syncAll()
    let second = try #require(try owner.database.read { try $0.file(of: node.id) })
    #expect(first.content != second.content)
    #expect(first.root != second.root)
    #expect(owner.fileTraffic().up == Int(second.layout.length))
    try await laptop.sync()
    let there = try #require(try laptop.database.read { try $0.node(withPath: Treepath(.home, "file")) })
    try await laptop.session.fetchFile(.data, of: there.id)
    var sink = MemorySink()
    #expect(try laptop.database.diskStore.data(of: second, into: &sink))
    #expect(isSame(sink.bytes, other))
  }
}
