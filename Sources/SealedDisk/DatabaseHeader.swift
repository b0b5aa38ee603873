import GRDBSQLite
import Sealing

/// What stands before the pages of a sealed database (spec §9.3).
struct DatabaseHeader {
  private static let magic = Array("todo/v1/database".utf8)

  let suite: UInt8
  let id: DatabaseKeyID

  /// Of a new sealed database.
  init(_ key: DatabaseKey) {
    suite = 1
    id = key.id
  }

  /// Reads one; nil where a file begins with something else.
  private init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.magic), let id = DatabaseKeyID(bytes: bytes[17..<33]) else { return nil }
    suite = bytes[16]
    self.id = id
  }

  /// Reads that of an open file.
  init?(of file: UnsafeMutablePointer<sqlite3_file>) {
    var bytes = [UInt8](repeating: 0, count: UnitLayout.header)
    let code = bytes.withUnsafeMutableBytes {
      file.pointee.pMethods.pointee.xRead(file, $0.baseAddress, Int32($0.count), 0)
    }
    guard code == SQLITE_OK else { return nil }
    self.init(bytes)
  }

  /// Reads that of a file, with SQLite's own means: to open and close it past SQLite would let go of the locks that this
  /// process has on it.
  init?(path: String) {
    let base = SealedVFS.base
    let below = UnsafeMutableRawPointer.allocate(byteCount: Int(base.pointee.szOsFile), alignment: 16)
    defer { below.deallocate() }
    below.initializeMemory(as: UInt8.self, repeating: 0, count: Int(base.pointee.szOsFile))
    let file = below.assumingMemoryBound(to: sqlite3_file.self)
    guard let name = sqlite3_create_filename(path, "", "", 0, nil) else { return nil }
    defer { sqlite3_free_filename(name) }
    guard base.pointee.xOpen(base, name, file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nil) == SQLITE_OK else {
      return nil
    }
    defer { _ = file.pointee.pMethods.pointee.xClose(file) }
    self.init(of: file)
  }

  /// All of it.
  var encoded: [UInt8] {
    let facts = Self.magic + [suite] + id.bytes
    return facts + [UInt8](repeating: 0, count: UnitLayout.header - facts.count)
  }
}
