import Foundation
import GRDB

/// The storage of a server with no configuration: one SQLite database in one folder.
///
/// One connection does everything, and the folder's lock keeps other servers out, so two connections never write or
/// checkpoint at once. One writer at a time is also what numbers a branch's lines without gaps.
public final class SQLiteStorage: CloudStorage {
  private let queue: DatabaseQueue
  private let lock: FolderLock

  /// Opens or makes the database in a folder, which it makes readable by its owner only.
  public init(folder: String) throws(StartFailure) {
    lock = try FolderLock(folder: folder)
    let path = "\(folder)/todo-server.sqlite"
    guard FolderLock.makePrivateFile(path) else { throw .folderUnusable(folder) }
    do {
      var configuration = Configuration()
      configuration.journalMode = .wal
      configuration.foreignKeysEnabled = true
      queue = try DatabaseQueue(path: path, configuration: configuration)
      // GRDB chooses NORMAL for WAL, which can lose acknowledged commits at a power cut.
      try queue.inDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      try Schema.migrator.migrate(queue)
      guard try queue.read({ try Schema.migrator.hasBeenSuperseded($0) }) == false else {
        throw StartFailure.databaseNewer(folder)
      }
    } catch let failure as StartFailure {
      throw failure
    } catch {
      throw .databaseUnusable(folder)
    }
  }

  /// Writes everything to the database file. Nothing can be read or written afterwards.
  public func close() {
    // A checkpoint that fails is made up for at the next start: the log is durable by itself.
    try? queue.close()
  }

  public func read<T>(_ body: (any CloudStorageReader) throws -> T) throws -> T {
    try Self.naming { try queue.read { try body(SQLiteTransaction(db: $0)) } }
  }

  public func write<T>(_ body: (any CloudStorageTransaction) throws -> T) throws -> T {
    try Self.naming { try queue.write { try body(SQLiteTransaction(db: $0)) } }
  }

  private static func naming<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw error.resultCode == .SQLITE_FULL
        ? StorageFailure.full : StorageFailure.broken(code: error.extendedResultCode.rawValue)
    }
  }
}
