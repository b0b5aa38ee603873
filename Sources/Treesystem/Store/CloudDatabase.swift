public import CloudAPI
import Foundation
import GRDB
import SealedDisk
public import Sealing
public import Signing

/// The local database: the tree, the queue, and the app's tables beside them. Works without account and network.
public final class CloudDatabase: Sendable {
  private let queue: DatabaseQueue
  /// Outlives the connection.
  private let access: SealedAccess?
  let files: any ProfileFiles
  /// Where ids and keys are drawn from.
  public let entropy: any Entropy
  /// What time it is here.
  public let clock: any WallClock
  private let app: (any TreesystemDelegate)?
  private let keyrings = KeyringMemory()

  /// Opens or makes the database at `path`, and brings its tables up to date. `app` is asked for the content of what is
  /// deleted, so that it can come back; without it, content comes from the server again. `key` opens it where it is sealed;
  /// without it that throws `StoreError.locked`.
  public convenience init(
    path: String, key: DatabaseKey? = nil, appMigrations: [AppMigration], app: (any TreesystemDelegate)? = nil,
    entropy: any Entropy = SystemEntropy(), clock: any WallClock = SystemClock()
  ) throws {
    try self.init(
      path: path, files: FolderFiles(path: path), key: key, appMigrations: appMigrations, app: app,
      entropy: entropy, clock: clock)
  }

  /// Opens or makes the database at `path` of a disk that is not this machine's.
  package init(
    path: String, files: any ProfileFiles, key: DatabaseKey? = nil, appMigrations: [AppMigration],
    app: (any TreesystemDelegate)? = nil, entropy: any Entropy, clock: any WallClock
  ) throws {
    self.app = app
    self.entropy = entropy
    self.clock = clock
    self.files = files
    (queue, access) = try Self.translating {
      try files.holdingWriteLock {
        let sealed = SealedDatabase(path: path)
        try sealed.clearDrafts()
        try sealed.requireSeal()
        try files.makeDatabase()
        let access = try sealed.access(key)
        let queue = try DatabaseQueue(path: access?.address ?? path, configuration: Self.configuration)
        // GRDB's own way to WAL makes and drops a table at every opening, and chooses NORMAL; an acknowledged change has to
        // survive a power cut.
        try queue.inDatabase {
          guard try String.fetchOne($0, sql: "PRAGMA journal_mode = WAL") == "wal" else { throw StoreError.notWritable }
          try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; \(Self.memory)")
          // Without room for the log and its index this fails as itself; the migrator would take it for a missing table.
          _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema")
        }
        let migrator = Schema.migrator(app: appMigrations)
        guard try queue.read({ try !migrator.hasBeenSuperseded($0) }) else { throw StoreError.newer }
        if try queue.read({ try !migrator.hasCompletedMigrations($0) }) { try migrator.migrate(queue) }
        return (queue, access)
      }
    }
  }

  /// Opens the database at `path` to read it, in a folder where nothing can be written: `write` throws `StoreError.notWritable`, and
  /// so does this where the tables of an older program would have to be brought up to date.
  public init(reading path: String, key: DatabaseKey? = nil, appMigrations: [AppMigration]) throws {
    let files = ReadOnlyFiles(path: path)
    (app, entropy, clock, self.files) = (nil, SystemEntropy(), SystemClock(), files)
    (queue, access) = try Self.translating {
      let sealed = SealedDatabase(path: path)
      try sealed.requireSeal()
      let access = try sealed.access(key)
      let setting = try files.setting
      let address = access.map { "\($0.address)&\(setting)" } ?? databaseAddress(of: path, [setting])
      let queue = try DatabaseQueue(path: address, configuration: ReadOnlyFiles.configuration)
      try queue.inDatabase { try $0.execute(sql: Self.memory) }
      let migrator = Schema.migrator(app: appMigrations)
      guard try queue.read({ try !migrator.hasBeenSuperseded($0) }) else { throw StoreError.newer }
      guard try queue.read({ try migrator.hasCompletedMigrations($0) }) else { throw StoreError.notWritable }
      return (queue, access)
    }
  }

  /// The sealed files beside the database.
  public var diskStore: DiskStore { DiskStore(database: self) }

  /// Closing checkpoints the log, which only one process may do at a time.
  deinit { try? files.holdingWriteLock { try queue.close() } }

  /// Room for all that one page of a pull changes: a row lies in six trees at places that its random id chooses. With
  /// SQLite's usual 2 MiB the same pages were written several times before they were committed.
  ///
  /// Savepoints keep what they may have to take back in memory: a file would be written for every row that comes, and what
  /// it holds is titles and keys.
  private static let memory = "PRAGMA cache_size = -24576; PRAGMA temp_store = MEMORY"

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    return configuration
  }

  /// Runs `body` on one snapshot. What it changes is taken back, and is an error.
  ///
  /// GRDB's own way to read switches the connection to read-only and back, and SQLite then prepares every statement anew.
  public func read<Result>(_ body: (CloudTransaction) throws -> Result) throws -> Result {
    try Self.translating { try queue.unsafeRead { try Self.snapshot($0) { try body(transaction($0)) } } }
  }

  private static func snapshot<Result>(_ db: Database, _ body: (Database) throws -> Result) throws -> Result {
    let changes = db.totalChangesCount
    try db.beginTransaction(.deferred)
    do {
      let result = try body(db)
      guard db.totalChangesCount == changes else { throw DatabaseError(resultCode: .SQLITE_READONLY) }
      try db.commit()
      return result
    } catch {
      try? db.rollback()
      throw error
    }
  }

  /// Runs `body` in one durable transaction, while no other process writes.
  @discardableResult
  public func write<Result>(_ body: (CloudTransaction) throws -> Result) throws -> Result {
    try Self.translating {
      try files.holdingWriteLock {
        try queue.write { try body(transaction($0)) }
      }
    }
  }

  private func transaction(_ db: Database) -> CloudTransaction {
    CloudTransaction(db: db, entropy: entropy, clock: clock, app: app, keyrings: keyrings)
  }

  /// SQLite's own words for what is wrong, as an empty list if nothing is.
  public func integrityProblems() throws -> [String] {
    try read { try String.fetchAll($0.db, sql: "PRAGMA integrity_check").filter { $0 != "ok" } }
  }

  static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      // Where there is no room for the index of the log, SQLite does not say that the disk is full.
      if error.extendedResultCode == .SQLITE_IOERR_SHMSIZE { throw StoreError.diskFull }
      if error.extendedResultCode == Self.notWhatWasWritten { throw StoreError.damaged }
      switch error.resultCode {
      case .SQLITE_FULL: throw StoreError.diskFull
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: throw StoreError.damaged
      case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: throw StoreError.notWritable
      case .SQLITE_BUSY, .SQLITE_LOCKED: throw StoreError.busy
      case .SQLITE_IOERR: throw StoreError.disk
      default: throw error
      }
    } catch let failure as SealFailure {
      throw StoreError(failure)
    }
  }

  /// `SQLITE_IOERR_DATA`: a page that does not open.
  private static let notWhatWasWritten = ResultCode(rawValue: 10 | 32 << 8)
}
