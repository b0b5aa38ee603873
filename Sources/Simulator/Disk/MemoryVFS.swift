import Foundation
import GRDBSQLite

/// SQLite's way to the simulated disks: a file system of its own, and the default one of this program.
enum MemoryVFS {
  /// What the present seed runs on. Only its one thread touches it.
  nonisolated(unsafe) static var world = DiskWorld()

  nonisolated(unsafe) private static let name = strdup("todo-sim")

  /// Registers it, once, before anything is opened.
  static let install: Void = {
    useOneThread()
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: sqlite3_vfs())
    vfs.pointee.iVersion = 2
    vfs.pointee.szOsFile = Int32(MemoryLayout<Slot>.size)
    vfs.pointee.mxPathname = 512
    vfs.pointee.zName = UnsafePointer(name)
    vfs.pointee.xOpen = { open($1, $2, $3, $4) }
    vfs.pointee.xDelete = { delete($1, $2) }
    vfs.pointee.xAccess = { _, path, _, result in
      let found = Berth.resolve(String(cString: path!)).map { $0.berth.machine.file($0.name) != nil } ?? false
      result!.pointee = found ? 1 : 0
      return SQLITE_OK
    }
    vfs.pointee.xFullPathname = { _, path, size, output in
      strncpy(output!, path!, Int(size))
      return SQLITE_OK
    }
    vfs.pointee.xRandomness = { _, size, output in
      for index in 0..<Int(size) { output![index] = CChar(truncatingIfNeeded: index &* 37 &+ 11) }
      return size
    }
    vfs.pointee.xSleep = { _, time in time }
    vfs.pointee.xGetLastError = { _, _, _ in 0 }
    vfs.pointee.xCurrentTimeInt64 = { _, output in
      output!.pointee = world.now() + 210_866_760_000_000
      return SQLITE_OK
    }
    let status = sqlite3_vfs_register(vfs, 1)
    precondition(status == SQLITE_OK, "SQLite refused the simulated disk")
  }()

  /// SQLite need not lock against other threads: there are none. Swift cannot call a function with variable arguments
  /// by its name.
  private static func useOneThread() {
    typealias Configure = @convention(c) (Int32, Int32) -> Int32
    guard let symbol = dlsym(nil, "sqlite3_config") else { return }
    let configure = unsafeBitCast(symbol, to: Configure.self)
    _ = configure(SQLITE_CONFIG_SINGLETHREAD, 0)
    _ = configure(SQLITE_CONFIG_MEMSTATUS, 0)
  }

  /// What SQLite keeps for an open file.
  struct Slot {
    var base: sqlite3_file
    var file: Unmanaged<OpenFile>?
  }

  typealias FilePointer = UnsafeMutablePointer<sqlite3_file>

  private static func slot(_ file: FilePointer?) -> UnsafeMutablePointer<Slot> {
    UnsafeMutableRawPointer(file!).assumingMemoryBound(to: Slot.self)
  }

  static func file(_ pointer: FilePointer?) -> OpenFile { slot(pointer).pointee.file!.takeUnretainedValue() }

  private static func open(
    _ path: UnsafePointer<CChar>?, _ pointer: FilePointer?, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    world.check()
    let slot = slot(pointer)
    slot.pointee = Slot(base: sqlite3_file(pMethods: nil), file: nil)
    guard let path else {
      let nowhere = Machine("nowhere", files: [:], isProfile: false, seed: 0)
      nowhere.start(0)
      return fill(slot, OpenFile(DiskFile(), Berth(nowhere, process: 0), name: nil))
    }
    guard let (berth, name) = Berth.resolve(String(cString: path)), berth.machine.isAlive(berth.process) else {
      return SQLITE_CANTOPEN
    }
    let (machine, process) = (berth.machine, berth.process)
    if machine.file(name) == nil {
      guard flags & SQLITE_OPEN_CREATE != 0 else { return SQLITE_CANTOPEN }
      guard machine.step(.other, by: process, on: name) == .proceed else { return SQLITE_CANTOPEN }
    }
    outFlags?.pointee = flags
    return fill(slot, OpenFile(machine.makeFile(name), berth, name: name))
  }

  private static func fill(_ slot: UnsafeMutablePointer<Slot>, _ file: OpenFile) -> Int32 {
    file.machine.opened(file)
    slot.pointee.file = Unmanaged.passRetained(file)
    slot.pointee.base.pMethods = methods
    return SQLITE_OK
  }

  private static func delete(_ path: UnsafePointer<CChar>?, _ syncFolder: Int32) -> Int32 {
    guard let (berth, name) = Berth.resolve(String(cString: path!)) else { return Failure.delete }
    let (machine, process) = (berth.machine, berth.process)
    guard machine.file(name) != nil else { return Failure.deleteMissing }
    guard machine.step(.other, by: process, on: name) == .proceed else { return Failure.delete }
    machine.deleteFile(name, isSynced: syncFolder != 0)
    return SQLITE_OK
  }

  static func close(_ pointer: FilePointer?) -> Int32 {
    let slot = slot(pointer)
    guard let file = slot.pointee.file?.takeRetainedValue() else { return SQLITE_OK }
    slot.pointee.file = nil
    file.file.locks[file.id] = nil
    file.machine.closed(file)
    return SQLITE_OK
  }
}
