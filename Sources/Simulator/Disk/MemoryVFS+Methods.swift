import GRDBSQLite

extension MemoryVFS {
  /// What SQLite does with an open file.
  nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { close($0) }
    methods.xRead = { read(file($0), $1, $2, $3) }
    methods.xWrite = { write(file($0), $1, $2, $3) }
    methods.xTruncate = { truncate(file($0), Int($1)) }
    methods.xSync = { pointer, _ in sync(file(pointer)) }
    methods.xFileSize = { pointer, size in
      let file = file(pointer)
      guard file.isAlive else { return Failure.size }
      size!.pointee = Int64(file.file.bytes.count)
      return SQLITE_OK
    }
    methods.xLock = { lock(file($0), $1) }
    methods.xUnlock = { unlock(file($0), $1) }
    methods.xCheckReservedLock = { pointer, result in
      let file = file(pointer)
      result!.pointee = file.file.locks.contains { $0.key != file.id && $0.value >= SQLITE_LOCK_RESERVED } ? 1 : 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    // As SQLite assumes of a file on Linux: a write leaves the bytes beside it alone, and promises nothing else.
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    methods.xShmMap = { map(file($0), Int($1), Int($2), $3 != 0, $4) }
    methods.xShmLock = { lockShared(file($0), Int($1), Int($2), $3) }
    methods.xShmBarrier = { _ in }
    methods.xShmUnmap = { pointer, _ in
      let file = file(pointer)
      file.file.memory?.forget(file.id)
      if file.file.memory?.users.isEmpty == true { file.file.memory = nil }
      return SQLITE_OK
    }
    let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    pointer.initialize(to: methods)
    return UnsafePointer(pointer)
  }()

  private static func read(
    _ file: OpenFile, _ target: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    guard file.isAlive else { return Failure.read }
    let buffer = UnsafeMutableRawBufferPointer(start: target, count: Int(count))
    return file.file.read(buffer, at: Int(offset)) == Int(count) ? SQLITE_OK : Failure.shortRead
  }

  private static func write(
    _ file: OpenFile, _ source: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    switch file.machine.step(.write, by: file.process, on: file.name) {
    case .proceed:
      file.file.write(UnsafeRawBufferPointer(start: source, count: Int(count)), at: Int(offset))
      return SQLITE_OK
    case .full: return SQLITE_FULL
    case .error, .dead: return Failure.write
    }
  }

  private static func truncate(_ file: OpenFile, _ size: Int) -> Int32 {
    guard file.machine.step(.other, by: file.process, on: file.name) == .proceed else { return Failure.truncate }
    file.file.truncate(to: size)
    return SQLITE_OK
  }

  private static func sync(_ file: OpenFile) -> Int32 {
    guard file.machine.step(.sync, by: file.process, on: file.name) == .proceed else { return Failure.sync }
    file.file.sync()
    return SQLITE_OK
  }

  private static func lock(_ file: OpenFile, _ level: Int32) -> Int32 {
    guard file.isAlive else { return Failure.lock }
    let mine = file.file.locks[file.id] ?? SQLITE_LOCK_NONE
    guard level > mine else { return SQLITE_OK }
    let others = file.file.locks.filter { $0.key != file.id }.values.max() ?? SQLITE_LOCK_NONE
    let isFree =
      switch level {
      case SQLITE_LOCK_SHARED: others < SQLITE_LOCK_PENDING
      case SQLITE_LOCK_RESERVED: others < SQLITE_LOCK_RESERVED
      default: others == SQLITE_LOCK_NONE
      }
    guard isFree else { return SQLITE_BUSY }
    file.file.locks[file.id] = level
    return SQLITE_OK
  }

  private static func unlock(_ file: OpenFile, _ level: Int32) -> Int32 {
    file.file.locks[file.id] = level == SQLITE_LOCK_NONE ? nil : level
    return SQLITE_OK
  }

  private static func map(
    _ file: OpenFile, _ index: Int, _ size: Int, _ extend: Bool,
    _ output: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) -> Int32 {
    guard file.isAlive else { return Failure.sharedMap }
    let memory = file.mapped ?? file.file.memory ?? SharedMemory()
    file.file.memory = memory
    file.mapped = memory
    memory.users.insert(file.id)
    output?.pointee = memory.region(index, size: size, extend: extend).map { UnsafeMutableRawPointer($0) }
    return SQLITE_OK
  }

  private static func lockShared(_ file: OpenFile, _ first: Int, _ count: Int, _ flags: Int32) -> Int32 {
    guard file.isAlive, let memory = file.file.memory else { return Failure.sharedLock }
    let range = first..<first + count
    if flags & SQLITE_SHM_UNLOCK != 0 {
      memory.release(range, for: file.id)
      return SQLITE_OK
    }
    let exclusively = flags & SQLITE_SHM_EXCLUSIVE != 0
    return memory.take(range, exclusively: exclusively, for: file.id) ? SQLITE_OK : SQLITE_BUSY
  }
}
