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

  @Test(arguments: [true, false]) func whatIsPromisedAnewGetsAnotherKey(changed: Bool) async throws {
    let path = folder.appending(path: "changing").path
    let before = Shelf.bytes(11_000_000)
    let first = try await interrupted(before, path)
    let after = changed ? [UInt8](repeating: 5, count: before.count) : before
    try Data(after).write(to: URL(filePath: path))
    let node = try #require(try owner.database.read { try $0.node(withPath: Treepath(.home, "file")) })
    try owner.database.write { try $0.promiseFile(of: node.id) }
    try await owner.syncAll()
    let second = try #require(try owner.database.read { try $0.file(of: node.id) })
    #expect(first.content != second.content)
    #expect(first.root != second.root)
    #expect(owner.fileTraffic().up == Int(second.layout.length))
    #expect(isSame(try await fetched() ?? [], after))
  }

  @Test func whatWasSealedGoesOnAsItWasWhateverBecameOfItsSource() async throws {
    let path = folder.appending(path: "changing").path
    let before = Shelf.bytes(11_000_000)
    let file = try await interrupted(before, path)
    try Data([UInt8](repeating: 5, count: before.count)).write(to: URL(filePath: path))
    try await owner.syncAll()
    let parts = FileParts(of: file.layout)
    #expect(owner.fileTraffic().up == (1..<parts.count).compactMap { parts.range(of: $0)?.count }.reduce(0, +))
    #expect(isSame(try await fetched() ?? [], before))
  }

  /// Of these files the system says that they are empty, and then gives more: as one that grows while it is read.
  @Test func aSourceThatChangesWhileItIsSealedIsSealedAnew() async throws {
    let path = folder.appending(path: "clear").path
    try Data(Shelf.bytes(2_000_000)).write(to: URL(filePath: path))
    let tries = Locked(0)
    let offer = FileOffer(
      .promise {
        let isFirst = tries.with { tries in
          tries += 1
          return tries == 1
        }
        return .clearFile(path: isFirst ? "/proc/self/status" : path)
      }, thumbnail: [1, 2, 3])
    #expect(isSame(try await arrive(offer) ?? [], Shelf.bytes(2_000_000)))
    #expect(tries.with { $0 } == 2)
    // Of what was sealed first nothing is left: not even its name is used again.
    let names = try FileManager.default.contentsOfDirectory(atPath: owner.path + ".files").compactMap { Int($0) }
    #expect(names.count == 2 && !names.contains(1))
  }

  @Test func aSourceThatGoesOnChangingIsTriedWithTheNextTransfer() async throws {
    #expect(try await arrive(FileOffer(.clearFile(path: "/proc/self/status"))) == nil)
    #expect(try owner.refused() == [])
    #expect(try owner.database.read { try $0.waitingFiles() }.count == 1)
    offer.with { $0 = FileOffer(.data([1, 2, 3])) }
    try await owner.syncAll()
    #expect(try await fetched() == [1, 2, 3])
  }

  @Test func aPromiseThatIsNotKeptKeepsNoOtherWaiting() async throws {
    let calls = Locked(0)
    offer.with {
      $0 = FileOffer(
        .promise {
          let isFirst = calls.with { calls in
            calls += 1
            return calls == 1
          }
          // Even where it says that the server cannot be reached: that is another one.
          if isFirst { throw CloudFailure.unreachable }
          return .data([1, 2, 3])
        })
    }
    try owner.database.write { transaction in
      for name in ["file", "other"] {
        try transaction.promiseFile(of: transaction.createNode(withPath: Treepath(.home, name)).id)
      }
    }
    try await owner.sync()
    await #expect(throws: CloudFailure.unreachable) { try await owner.session.transferFiles() }
    #expect(try await owner.sync().unsent == 1)
    try await owner.syncAll()
    #expect(try owner.unsent() == 0)
    #expect(try await fetched() == [1, 2, 3])
  }

  /// Seals a file of which the first part arrives, and nothing more.
  private func interrupted(_ bytes: [UInt8], _ path: String) async throws -> NodeFile {
    try Data(bytes).write(to: URL(filePath: path))
    _ = owner.transport.setFate(.lost, ofRequest: 2) { $0.method == "PUT" }
    await #expect(throws: CloudFailure.unreachable) { try await arrive(FileOffer(.clearFile(path: path))) }
    owner.transport.setFate { _ in .delivered }
    owner.transport.clearTraffic()
    let node = try #require(try owner.database.read { try $0.node(withPath: Treepath(.home, "file")) })
    return try #require(try owner.database.read { try $0.file(of: node.id) })
  }

  /// What the laptop gets.
  private func fetched() async throws -> [UInt8]? {
    try await laptop.sync()
    guard let there = try laptop.database.read({ try $0.node(withPath: Treepath(.home, "file")) }),
      let file = try laptop.database.read({ try $0.file(of: there.id) })
    else { return nil }
    try await laptop.session.fetchFile(.data, of: there.id)
    var sink = MemorySink()
    return try laptop.database.diskStore.data(of: file, into: &sink) ? sink.bytes : nil
  }
}
