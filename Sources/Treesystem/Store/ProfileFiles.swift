import SealedDisk

/// What a profile needs of its disk beside what SQLite does there itself: a file of the right mode, and two locks.
/// Injected, so that a simulation brings a disk and processes of its own.
package protocol ProfileFiles: Sendable {
  /// Makes the database's file where there is none and nothing of one, so that SQLite gives its log and index the same mode.
  func makeDatabase() throws
  /// Runs `body` while no other process of this profile writes or checkpoints.
  func holdingWriteLock<Result>(_ body: () throws -> Result) throws -> Result
  /// Takes the lock of a sync, unless another sync of this profile has it.
  func takeSyncLock() -> Bool
  func releaseSyncLock()
  /// Takes the lock of a transfer of files, unless another one has it.
  func takeTransferLock() throws -> Bool
  func releaseTransferLock()
  /// Takes the lock of whoever fetches a section, unless another one has it; it is let go of with the value.
  func lockSection(_ name: SectionName) throws -> SectionLock?
  /// Where the sections of files lie.
  var sections: any SectionFolder { get }
}

extension ProfileFiles {
  package func lockSection(_ name: SectionName) -> SectionLock? { SectionLock() }
}

/// The database and its lock files in a folder.
struct FolderFiles: ProfileFiles {
  private let path: String
  private let writeLock: WriteLock
  private let syncLock: SyncLock
  private let transferLock: LateLock

  /// Opens the lock files, making them if need be; that of transfers with the first of them.
  init(path: String) throws(StoreError) {
    self.path = path
    syncLock = try SyncLock(path: path + ".sync")
    transferLock = LateLock(path: path + ".transfer")
    writeLock = try WriteLock(path: path + ".lock")
  }

  /// Sections without their database are of one that is gone: a new one would take their names, and clear them away.
  func makeDatabase() throws {
    try SealedDatabase(path: path).makeIfMissing { try sections.files().isEmpty }
  }

  func holdingWriteLock<Result>(_ body: () throws -> Result) throws -> Result { try writeLock.hold(body) }
  func takeSyncLock() -> Bool { syncLock.take() }
  func releaseSyncLock() { syncLock.release() }
  func takeTransferLock() throws -> Bool { try transferLock.take() }
  func releaseTransferLock() { transferLock.release() }
  func lockSection(_ name: SectionName) throws -> SectionLock? { try SectionLock(path: path + ".fetch", name) }

  var sections: any SectionFolder { DiskFolder(path: path + ".files") }
}
