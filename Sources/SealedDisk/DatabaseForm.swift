import GRDBSQLite
import Glibc
import Sealing

/// How a database lies on the disk, as its first bytes say (spec §9.3). That it could not be read is none of these, but an error: nothing
/// is done then that only one of them allows.
enum DatabaseForm: Equatable {
  /// Nothing is there.
  case missing
  /// SQLite's own.
  case plain
  case sealed(DatabaseHeader)
  /// Neither: an empty file, too.
  case foreign

  private static let plainMagic = Array("SQLite format 3\0".utf8)

  /// Reads what lies at a path. Throws `SealFailure.unreadable`.
  init(path: String) throws(SealFailure) {
    var facts = stat()
    guard lstat(path, &facts) == 0 else {
      guard errno == ENOENT else { throw .unreadable(errno) }
      self = .missing
      return
    }
    // SQLite's means open no link, but what it leads to.
    guard let real = realpath(path, nil) else { throw .unreadable(errno) }
    defer { free(real) }
    self = try Self.opening(String(cString: real)) { file throws(SealFailure) in try DatabaseForm(of: file) }
  }

  /// Reads it of an open file. Throws `SealFailure.unreadable`.
  init(of file: SealedVFS.FilePointer) throws(SealFailure) {
    var bytes = [UInt8](repeating: 0, count: UnitLayout.header)
    let code = bytes.withUnsafeMutableBytes {
      file.pointee.pMethods.pointee.xRead(file, $0.baseAddress, Int32($0.count), 0)
    }
    // Where the file ends before, zeros stand for what is missing.
    guard code == SQLITE_OK || code == Code.shortRead else {
      var system: Int32 = 0
      _ = file.pointee.pMethods.pointee.xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &system)
      throw .unreadable(system == 0 ? EIO : system)
    }
    if let header = DatabaseHeader(bytes) {
      self = .sealed(header)
    } else {
      self = bytes.starts(with: Self.plainMagic) ? .plain : .foreign
    }
  }

  /// Opens a file with SQLite's own means: to open and close it past SQLite would let go of the locks that this process has on it.
  private static func opening<Result>(
    _ path: String, _ body: (SealedVFS.FilePointer) throws(SealFailure) -> Result
  ) throws(SealFailure) -> Result {
    let base = SealedVFS.base
    let below = UnsafeMutableRawPointer.allocate(byteCount: Int(base.pointee.szOsFile), alignment: 16)
    defer { below.deallocate() }
    below.initializeMemory(as: UInt8.self, repeating: 0, count: Int(base.pointee.szOsFile))
    let file = below.assumingMemoryBound(to: sqlite3_file.self)
    guard let name = sqlite3_create_filename(path, "", "", 0, nil) else { throw .unreadable(ENOMEM) }
    defer { sqlite3_free_filename(name) }
    guard base.pointee.xOpen(base, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nil) == SQLITE_OK else {
      throw .unreadable(base.pointee.xGetLastError(base, 0, nil))
    }
    defer { _ = file.pointee.pMethods.pointee.xClose(file) }
    return try body(file)
  }
}
