import Foundation
import GRDB
import Synchronization

/// The storage of a server with no configuration: one SQLite database in one folder.
///
/// One connection does everything, and the folder's lock keeps other servers out, so two connections never write or
/// checkpoint at once. One writer at a time is also what numbers a branch's lines without gaps.
public final class SQLiteStorage: CloudStorage {
  private let queue: DatabaseQueue
  /// Nil on a disk that nobody else can reach.
  private let lock: FolderLock?
  private let budget: Work
  private let total = Mutex(Work())

  /// Opens or makes the database in a folder, which it makes readable by its owner only.
  /// No transaction does more than the budget, unless it is allowed to.
  public convenience init(folder: String, budget: Work = ServerLimits.work) throws(StartFailure) {
    let lock = try FolderLock(folder: folder)
    try FolderLock.makePrivateFile(Self.path(in: folder), in: folder)
    try self.init(folder: folder, lock: lock, budget)
  }

  /// Opens or makes the database in a folder of a disk that is not this machine's, and that no other server reaches.
  package convenience init(unlockedFolder folder: String) throws(StartFailure) {
    try self.init(folder: folder, lock: nil, ServerLimits.work)
  }

  private static func path(in folder: String) -> String { "\(folder)/todo-server.sqlite" }

  private init(folder: String, lock: FolderLock?, _ budget: Work) throws(StartFailure) {
    self.lock = lock
    self.budget = budget
    do {
      var configuration = Configuration()
      configuration.foreignKeysEnabled = true
      queue = try DatabaseQueue(path: Self.path(in: folder), configuration: configuration)
      // GRDB's own way to WAL makes and drops a table at every start, and chooses NORMAL, which can lose acknowledged
      // commits at a power cut.
      try queue.inDatabase { db in
        guard try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL") == "wal" else {
          throw StartFailure.databaseUnusable(folder)
        }
        try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -\(ServerLimits.cacheKiB)")
        // Nothing that was deleted stays readable in the file.
        try db.execute(sql: "PRAGMA secure_delete = ON")
        // What the savepoint of an operation may have to take back is in memory up to 64 KiB, and beyond in a file without a name: in memory it
        // is a chain, and each statement walks along it.
        try db.execute(sql: "PRAGMA temp_store = FILE")
        // A log that grew with one large deletion shrinks again.
        try db.execute(sql: "PRAGMA journal_size_limit = \(ServerLimits.logBytes)")
      }
      try Self.makeDurable(queue)
      try Schema.migrator.migrate(queue)
      guard try queue.read({ try Schema.migrator.hasBeenSuperseded($0) }) == false else {
        throw StartFailure.databaseNewer(folder)
      }
    } catch let failure as StartFailure {
      throw failure
    } catch let error as DatabaseError {
      throw StartFailure(error, folder)
    } catch {
      throw .databaseUnusable(folder)
    }
  }

  /// A server that was killed between writing a commit and syncing it leaves it in a log that SQLite believes at the next start.
  /// Nobody may read it before it is safe: a power cut would take it back. A checkpoint syncs the log before it does anything.
  private static func makeDurable(_ queue: DatabaseQueue) throws {
    do {
      _ = try queue.writeWithoutTransaction { try $0.checkpoint(.passive) }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      // The log was synced; it is written to the database when there is room.
    }
  }

  /// Writes everything to the database file. Nothing can be read or written afterwards.
  public func close() {
    // A checkpoint that fails is made up for at the next start: the log is durable by itself.
    try? queue.close()
  }

  public func read<T>(_ body: (any CloudStorageReader) throws -> T) throws -> T {
    try Self.naming { try queue.unsafeRead { try Self.snapshot($0) { try counting($0, body) } } }
  }

  /// A reader has no verbs that change anything. GRDB's own way to read switches the connection to read-only and back, and
  /// SQLite then prepares every statement anew.
  private static func snapshot<T>(_ db: Database, _ body: (Database) throws -> T) throws -> T {
    try db.beginTransaction(.deferred)
    do {
      let result = try body(db)
      try db.commit()
      return result
    } catch {
      try? db.rollback()
      throw error
    }
  }

  public func write<T>(_ body: (any CloudStorageTransaction) throws -> T) throws -> T {
    try Self.naming {
      try queue.write { db in
        try counting(db) { transaction in
          let result = try body(transaction)
          try transaction.settleNewest()
          return result
        }
      }
    }
  }

  private func counting<T>(_ db: Database, _ body: (SQLiteTransaction) throws -> T) throws -> T {
    let meter = WorkMeter(budget)
    defer { total.withLock { $0 = $0 + meter.done } }
    return try body(SQLiteTransaction(db: db, meter: meter))
  }

  /// What was done in all transactions so far, for a test.
  package func work() -> Work { total.withLock { $0 } }

  /// What the connection does at a commit, for a test: WAL mode, and 2 for a log that is synced before it counts.
  package func durability() throws -> (journal: String, synchronous: Int) {
    try queue.inDatabase {
      (
        try String.fetchOne($0, sql: "PRAGMA journal_mode") ?? "",
        try Int.fetchOne($0, sql: "PRAGMA synchronous") ?? -1
      )
    }
  }

  /// Reads the database itself, for a check.
  func inspect<T>(_ body: (Database) throws -> T) throws -> T { try queue.inDatabase(body) }

  private static func naming<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw error.isFull
        ? StorageFailure.full : StorageFailure.broken(code: error.extendedResultCode.rawValue)
    }
  }
}

extension DatabaseError {
  /// Where there is no room for the index of the log, SQLite does not say that the disk is full.
  fileprivate var isFull: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }
}

extension StartFailure {
  fileprivate init(_ error: DatabaseError, _ folder: String) {
    switch error.resultCode {
    case _ where error.isFull: self = .diskFull(folder)
    case .SQLITE_IOERR: self = .diskFailed(folder)
    default: self = .databaseUnusable(folder)
    }
  }
}
