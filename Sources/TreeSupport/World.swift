public import CloudAPI
public import CloudServer
public import Foundation
public import Sharing
public import Signing
public import Treesystem

/// A server and some devices in one process, on folders of their own.
public final class World {
  public let folder: URL
  public let clock = ManualClock()
  public let cloud: Cloud
  /// What the server has, for tests that look behind it or make it lie.
  public let storage: SQLiteStorage
  /// The files that it has.
  public let blobs = MemoryBlobStore()
  /// What its devices run, with its tables.
  private let app: any TreesystemDelegate
  private let tables: [AppMigration]
  private let seed: String
  private var openings = 0

  /// A world whose devices run this app.
  public convenience init(
    running app: any TreesystemDelegate, _ tables: [AppMigration] = [], seed: String = "world",
    policy: SignUpPolicy = .open
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try self.init(in: folder, running: app, tables, seed: seed, policy: policy)
  }

  /// A copy of another world as it stands while nothing in it moves, to go on from there.
  public convenience init(copying other: World, seed: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-test-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: other.folder, to: folder)
    // The index of a write-ahead log belongs to the processes that have it open.
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) where path.hasSuffix("-shm") {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(path))
    }
    try self.init(in: folder, running: other.app, other.tables, seed: seed, policy: .open)
  }

  private init(
    in folder: URL, running app: any TreesystemDelegate, _ tables: [AppMigration], seed: String, policy: SignUpPolicy
  ) throws {
    self.app = app
    self.tables = tables
    self.seed = seed
    self.folder = folder
    let server = folder.appendingPathComponent("server").path
    try BlankDatabase.makeServer(in: server)
    storage = try SQLiteStorage(folder: server)
    cloud = Cloud(storage: storage, blobs: blobs, policy: policy, clock: clock, acceptsRestores: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A device with an empty profile, or the one of this name again as after a crash.
  public func device(
    _ name: String, batchOperations: Int = Limits.batchOperations, pageLines: Int = Limits.pageLines,
    readsAhead: Bool = true
  ) throws -> Device {
    openings += 1
    return try Device(
      path: folder.appendingPathComponent("\(name).db").path, transport: InProcessTransport(cloud), clock: clock,
      entropy: SeededEntropy("\(seed)/\(name)/\(openings)"), app: app, tables: tables,
      batchOperations: batchOperations, pageLines: pageLines, readsAhead: readsAhead)
  }

  /// A device that has signed up and synced.
  public func person(_ handle: String, batchOperations: Int = Limits.batchOperations) async throws -> Device {
    let device = try device(handle, batchOperations: batchOperations)
    try await device.session.signUp(handle: handle, server: "test")
    _ = try await device.session.sync()
    return device
  }
}

/// One profile: its database and session, and the transport that a test can break.
public final class Device {
  public let path: String
  public let database: CloudDatabase
  public let transport: InProcessTransport
  public let session: CloudSession

  public init(
    path: String, transport: InProcessTransport, clock: any WallClock, entropy: any Entropy,
    app: any TreesystemDelegate, tables: [AppMigration] = [], batchOperations: Int = Limits.batchOperations,
    pageLines: Int = Limits.pageLines, readsAhead: Bool = true
  ) throws {
    self.path = path
    self.transport = transport
    let migrations = sharingMigrations + tables
    try BlankDatabase.makeProfile(at: path, migrations)
    database = try CloudDatabase(
      path: path, appMigrations: migrations, app: SharingDelegate(app: app), entropy: entropy, clock: clock)
    session = CloudSession(
      database: database, transport: transport, authority: "test", app: app, batchOperations: batchOperations,
      pageLines: pageLines, readsAhead: readsAhead)
  }
}
