import GRDBSQLite
import Glibc
import Sealing
import Synchronization

/// SQLite's way to sealed databases: the system's own, with every file sealed on its way to the disk.
///
/// It opens databases in WAL mode and their logs, and nothing else: what SQLite would write beside them goes to memory, or not at all.
enum SealedVFS {
  /// As addresses name it.
  static let name = "todo-sealed"
  /// In an address, the number of the key.
  static let keyName = "key"

  private static let keys = Mutex<(next: Int, keys: [Int: DatabaseKey])>((0, [:]))

  /// Lets connections use a key, until it is dismissed.
  static func admit(_ key: DatabaseKey) -> Int {
    _ = install
    return keys.withLock { keys in
      keys.next += 1
      keys.keys[keys.next] = key
      return keys.next
    }
  }

  static func dismiss(_ number: Int) { keys.withLock { $0.keys[number] = nil } }

  /// What the files below are opened with.
  nonisolated(unsafe) static let base = sqlite3_vfs_find(nil)!

  /// Registers it, once.
  private static let install: Void = {
    useAddresses()
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: base.pointee)
    vfs.pointee.pNext = nil
    vfs.pointee.zName = UnsafePointer(strdup(name))
    vfs.pointee.szOsFile = Int32(MemoryLayout<Slot>.size)
    vfs.pointee.xOpen = { _, path, file, flags, outFlags in open(path, file, flags, outFlags) }
    let status = sqlite3_vfs_register(vfs, 0)
    precondition(status == SQLITE_OK, "SQLite refused the sealed disk")
  }()

  /// Debian's SQLite takes addresses in place of paths, others have to be told. Swift cannot call a function with variable
  /// arguments by its name. Where SQLite is in use already, and never was told, opening fails.
  private static func useAddresses() {
    typealias Configure = @convention(c) (Int32, Int32) -> Int32
    guard sqlite3_compileoption_used("USE_URI") == 0, let symbol = dlsym(nil, "sqlite3_config") else { return }
    _ = unsafeBitCast(symbol, to: Configure.self)(SQLITE_CONFIG_URI, 1)
  }

  /// What SQLite keeps for an open file.
  struct Slot {
    var base: sqlite3_file
    var file: Unmanaged<SealedFile>?
  }

  typealias FilePointer = UnsafeMutablePointer<sqlite3_file>

  static func slot(_ pointer: FilePointer?) -> UnsafeMutablePointer<Slot> {
    UnsafeMutableRawPointer(pointer!).assumingMemoryBound(to: Slot.self)
  }

  static func file(_ pointer: FilePointer?) -> SealedFile { slot(pointer).pointee.file!.takeUnretainedValue() }

  private static func open(
    _ path: UnsafePointer<CChar>?, _ pointer: FilePointer?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    let slot = slot(pointer)
    slot.initialize(to: Slot(base: sqlite3_file(pMethods: nil), file: nil))
    guard let path, let text = sqlite3_uri_parameter(path, keyName), let number = Int(String(cString: text)),
      let key = keys.withLock({ $0.keys[number] })
    else { return SQLITE_CANTOPEN }
    let isDatabase = flags & SQLITE_OPEN_MAIN_DB != 0
    guard isDatabase || flags & SQLITE_OPEN_WAL != 0 else { return SQLITE_CANTOPEN }
    // A database is made by sealing one, never by opening what is not there.
    let wanted = isDatabase ? flags & ~SQLITE_OPEN_CREATE : flags
    let below = UnsafeMutableRawPointer.allocate(byteCount: Int(base.pointee.szOsFile), alignment: 16)
    below.initializeMemory(as: UInt8.self, repeating: 0, count: Int(base.pointee.szOsFile))
    let file = SealedFile(
      below.assumingMemoryBound(to: sqlite3_file.self), isDatabase ? .database : .log, key)
    let code = base.pointee.xOpen(base, path, file.base, wanted, outFlags)
    guard code == SQLITE_OK else { return code }
    let refusal = isDatabase ? self.refusal(of: file, key) : SQLITE_OK
    guard refusal == SQLITE_OK else {
      _ = file.base.pointee.pMethods.pointee.xClose(file.base)
      return refusal
    }
    slot.pointee.file = Unmanaged.passRetained(file)
    slot.pointee.base.pMethods = methods
    return SQLITE_OK
  }

  /// SQLite's code for a database that this key does not open.
  private static func refusal(of file: SealedFile, _ key: DatabaseKey) -> Int32 {
    do throws(SealFailure) {
      // Without its first page it would pass for an empty one.
      guard case .sealed(let header) = try DatabaseForm(of: file.base), header.id == key.id, file.hasFirstPage else {
        return SQLITE_NOTADB
      }
      return SQLITE_OK
    } catch {
      return Code.read
    }
  }
}
