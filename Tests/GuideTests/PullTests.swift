import CloudAPI
import Foundation
import Sealing
import Signing
import Testing
import Treesystem

/// The article "Pull and download".
@Suite struct PullTests {
  private let server: GuideServer
  private let authority = GuideServer.authority
  private let desk: CloudDatabase
  private let deskEngine: SyncEngine

  init() async throws {
    server = try GuideServer()
    desk = try CloudDatabase(path: server.path("desk.db"), appMigrations: [], app: Wishes())
    deskEngine = SyncEngine(
      database: desk, transport: server.transport, authority: authority, delegate: Wishes())
    try await desk.signUp(handle: "alice", server: authority, over: server.transport, authority: authority)
    try desk.write { transaction in
      _ = try transaction.createBranch(withPath: Treepath(.home, "wishes"))
      let birthday = try transaction.createNode(withPath: Treepath(.home, "wishes", "birthday"))
      try transaction.addWish("a bicycle", to: birthday)
    }
    _ = try await deskEngine.sync()
  }

  /// The words as alice wrote them down.
  private func words() throws -> String {
    let root = try desk.read { try $0.root() }
    return RecoveryWords(root: try #require(root)).words.joined(separator: " ")
  }

  private func signIn(_ path: String) async throws -> (CloudDatabase, SyncEngine) {
    let transport = server.transport
    let typed = try words()

    let laptop = try CloudDatabase(path: path, appMigrations: [], app: Wishes())
    let root = try RecoveryWords(text: typed).root()
    try await laptop.logIn(
      root: root, handle: "alice", server: authority, over: transport, authority: authority)
    let engine = SyncEngine(
      database: laptop, transport: transport, authority: authority, delegate: Wishes())
    _ = try await engine.sync()

    return (laptop, engine)
  }

  @Test func twoDevicesJoinWhatTheyWrote() async throws {
    let (laptop, engine) = try await signIn(server.path("laptop.db"))
    let path = Treepath(.home, "wishes", "birthday")

    for (device, wish) in [(desk, "skis"), (laptop, "a kite")] {
      try device.write { transaction in
        guard let birthday = try transaction.node(withPath: path) else { return }
        try transaction.addWish(wish, to: birthday)
      }
    }
    for engine in [deskEngine, engine, deskEngine] { _ = try await engine.sync() }

    for device in [desk, laptop] {
      let wishes = try device.read { transaction in
        try transaction.node(withPath: path).map { try transaction.wishes($0) }
      }
      #expect(wishes == ["a bicycle", "skis", "a kite"])
    }
  }

  @Test func aFileIsFetchedSectionBySection() async throws {
    let photo = server.path("photo.jpeg")
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try Data(bytes).write(to: URL(filePath: photo))
    let thumbnail = [UInt8](repeating: 7, count: 500)
    let (laptop, engine) = try await signIn(server.path("laptop.db"))

    var source = try ClearFile(path: photo)
    let file = try desk.diskStore.store(thumbnail: thumbnail, data: &source, size: source.size)
    try desk.write { transaction in
      let picture = try transaction.createNode(withPath: Treepath(.home, "wishes", "birthday", "picture"))
      try transaction.setFile(file, of: picture.id)
    }
    _ = try await deskEngine.transferFiles()
    _ = try await deskEngine.sync()

    _ = try await engine.sync()
    let (picture, there) = try laptop.read { transaction in
      let node = try transaction.node(withPath: Treepath(.home, "wishes", "birthday", "picture"))
      return (node, try node.flatMap { try transaction.file(of: $0.id) })
    }
    guard let picture, let there else { throw TreeError.noSuchNode }
    try await engine.fetchFile([.thumbnail], of: picture.id)
    #expect(try laptop.diskStore.section(.thumbnail, of: there) == thumbnail)

    try laptop.write { try $0.markFileAsNeedsDownload(picture.id, components: [.data]) }
    _ = try await engine.transferFiles()
    var sink = Bytes()
    #expect(try laptop.diskStore.data(of: there, into: &sink))

    #expect(sink.all == bytes)
  }
}

/// A file that is small enough for memory.
private struct Bytes: FileSink {
  var all: [UInt8] = []
  mutating func write(_ bytes: [UInt8]) { all += bytes }
}
