import GRDBSQLite
import Sealing

/// A sealed file that SQLite has open: opens what it reads, and seals what it writes.
final class SealedFile {
  private enum Content {
    case plain([UInt8])
    /// Beyond the end of the file.
    case missing
    case unopenable
    case failed(Int32)
  }

  /// The file as it is on the disk.
  let base: UnsafeMutablePointer<sqlite3_file>
  let layout: UnitLayout
  private let key: DatabaseKey

  init(_ base: UnsafeMutablePointer<sqlite3_file>, _ file: DatabaseKey.File, _ key: DatabaseKey) {
    self.base = base
    layout = UnitLayout(file: file)
    self.key = key
  }

  deinit { UnsafeMutableRawPointer(base).deallocate() }

  private var methods: sqlite3_io_methods { base.pointee.pMethods.pointee }

  /// Whether the file holds more than what stands before its pages.
  var hasFirstPage: Bool {
    var bytes: Int64 = 0
    return size(&bytes) == SQLITE_OK && bytes > 0
  }

  /// Fills `target` with what stands at `offset`, and returns SQLite's code.
  func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int32 {
    target.initializeMemory(as: UInt8.self, repeating: 0)
    let first = layout.unit(at: offset)
    let isForgiven = forgives(first, offset, target.count)
    var position = offset
    while position < offset + target.count {
      let unit = layout.unit(at: position)
      let end = min(unit.end, offset + target.count)
      switch load(unit) {
      case .plain(let bytes):
        bytes.withUnsafeBytes { plain in
          UnsafeMutableRawBufferPointer(rebasing: target[(position - offset)...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: plain[(position - unit.start)..<(end - unit.start)]))
        }
      // A file that was cut short: every page that SQLite asks for whole was written there, or is in the log.
      case .missing: return layout.file == .log || isForgiven ? Code.shortRead : Code.data
      case .unopenable where isForgiven: if layout.file == .database { return Code.shortRead }
      case .unopenable: return Code.data
      case .failed(let code): return code
      }
      position = end
    }
    return SQLITE_OK
  }

  /// Whether what does not open may read as zeros (spec §9.4): SQLite looks for the end of a log in its header and in whole
  /// frames, and at the beginning of a database that the log may hold anew.
  private func forgives(_ first: UnitLayout.Unit, _ offset: Int, _ count: Int) -> Bool {
    switch layout.file {
    case .database: count < first.length
    case .log: first.number == 0 || offset + count > first.end
    }
  }

  private func load(_ unit: UnitLayout.Unit) -> Content {
    var sealed = [UInt8](repeating: 0, count: unit.length + Seal.overhead)
    let code = sealed.withUnsafeMutableBytes {
      methods.xRead(base, $0.baseAddress, Int32($0.count), Int64(unit.place))
    }
    if code == Code.shortRead { return .missing }
    guard code == SQLITE_OK else { return .failed(code) }
    return key.open(sealed, unit).map { .plain($0) } ?? .unopenable
  }

  /// Writes whole units, and returns SQLite's code. SQLite writes nothing else to these files.
  func write(_ source: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    var position = offset
    while position < offset + source.count {
      let unit = layout.unit(at: position)
      guard unit.start == position, unit.end <= offset + source.count else { return Code.write }
      let plain = Array(source[(position - offset)..<(unit.end - offset)])
      let sealed = key.seal(plain, unit)
      let code = sealed.withUnsafeBytes { methods.xWrite(base, $0.baseAddress, Int32($0.count), Int64(unit.place)) }
      guard code == SQLITE_OK else { return code }
      position = unit.end
    }
    return SQLITE_OK
  }

  func truncate(to size: Int) -> Int32 {
    guard let sealed = layout.sealedSize(of: size) else { return Code.truncate }
    return methods.xTruncate(base, Int64(sealed))
  }

  func size(_ output: UnsafeMutablePointer<Int64>?) -> Int32 {
    var size: Int64 = 0
    let code = methods.xFileSize(base, &size)
    if code == SQLITE_OK { output?.pointee = Int64(layout.size(ofSealed: Int(size))) }
    return code
  }
}
