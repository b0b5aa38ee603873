import GRDBSQLite

extension SealedVFS {
  /// What SQLite does with an open file. Version 2: there is no mapping of files into memory, which would pass us by.
  nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { close($0) }
    methods.xRead = { pointer, target, count, offset in
      file(pointer).read(UnsafeMutableRawBufferPointer(start: target, count: Int(count)), at: Int(offset))
    }
    methods.xWrite = { pointer, source, count, offset in
      file(pointer).write(UnsafeRawBufferPointer(start: source, count: Int(count)), at: Int(offset))
    }
    methods.xTruncate = { file($0).truncate(to: Int($1)) }
    methods.xFileSize = { file($0).size($1) }
    methods.xFileControl = { control(below($0), $1, $2) }
    methods.xSectorSize = { pointer in
      let (base, calls) = below(pointer)
      return calls.xSectorSize(base)
    }
    // As SQLite assumes of a file on Linux: a write leaves the bytes beside it alone, and promises nothing else.
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    passOn(&methods)
    let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    pointer.initialize(to: methods)
    return UnsafePointer(pointer)
  }()

  /// Syncs, locks and the shared index have nothing to do with what is in a file.
  private static func passOn(_ table: inout sqlite3_io_methods) {
    table.xSync = { pointer, flags in
      let (base, calls) = SealedVFS.below(pointer)
      return calls.xSync(base, flags)
    }
    table.xLock = { pointer, level in
      let (base, calls) = SealedVFS.below(pointer)
      return calls.xLock(base, level)
    }
    table.xUnlock = { pointer, level in
      let (base, calls) = SealedVFS.below(pointer)
      return calls.xUnlock(base, level)
    }
    table.xCheckReservedLock = { pointer, result in
      let (base, calls) = SealedVFS.below(pointer)
      return calls.xCheckReservedLock(base, result)
    }
    table.xShmMap = { pointer, index, size, extend, output in
      let (base, calls) = SealedVFS.below(pointer)
      return calls.xShmMap(base, index, size, extend, output)
    }
    table.xShmLock = { pointer, first, count, flags in
      let (base, calls) = SealedVFS.below(pointer)
      return calls.xShmLock(base, first, count, flags)
    }
    table.xShmBarrier = { pointer in
      let (base, calls) = SealedVFS.below(pointer)
      calls.xShmBarrier(base)
    }
    table.xShmUnmap = { pointer, delete in
      let (base, calls) = SealedVFS.below(pointer)
      return calls.xShmUnmap(base, delete)
    }
  }

  private static func below(_ pointer: FilePointer?) -> (FilePointer, sqlite3_io_methods) {
    let base = file(pointer).base
    return (base, base.pointee.pMethods.pointee)
  }

  /// Sizes that SQLite foresees are not those of the sealed file, and mapping is not for it.
  private static func control(
    _ below: (base: FilePointer, calls: sqlite3_io_methods), _ operation: Int32, _ argument: UnsafeMutableRawPointer?
  ) -> Int32 {
    switch operation {
    case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE, SQLITE_FCNTL_MMAP_SIZE: SQLITE_NOTFOUND
    default: below.calls.xFileControl(below.base, operation, argument)
    }
  }

  private static func close(_ pointer: FilePointer?) -> Int32 {
    let slot = slot(pointer)
    guard let file = slot.pointee.file?.takeRetainedValue() else { return SQLITE_OK }
    slot.pointee.file = nil
    return file.base.pointee.pMethods.pointee.xClose(file.base)
  }
}
