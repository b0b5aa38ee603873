import GRDB
import Glibc
import Sealing

/// A profile in a folder where nothing can be written: on a disk that is mounted so, or one that is somebody else's.
struct ReadOnlyFiles: ProfileFiles {
  let path: String

  func makeDatabase() throws { throw StoreError.notWritable }
  func holdingWriteLock<Result>(_ body: () throws -> Result) throws -> Result { throw StoreError.notWritable }
  func takeSyncLock() -> Bool { false }
  func releaseSyncLock() {}
  func takeTransferLock() throws -> Bool { false }
  func releaseTransferLock() {}
  func lockSection(_ name: SectionName) throws -> SectionLock? { throw StoreError.notWritable }
  var sections: any SectionFolder { DiskFolder(path: path + ".files") }

  /// How SQLite has to open the database. It makes files for the log of a database even to read it; where no log was left there is
  /// nothing to read in one, and it may take the file as it is.
  var setting: String {
    get throws {
      var facts = stat()
      guard stat(path + "-wal", &facts) == 0 else {
        guard errno == ENOENT else { throw StoreError.unreadable }
        return "immutable=1"
      }
      return facts.st_size > 0 ? "mode=ro" : "immutable=1"
    }
  }

  static var configuration: Configuration {
    var configuration = Configuration()
    configuration.readonly = true
    return configuration
  }
}
