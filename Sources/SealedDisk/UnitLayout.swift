import Sealing
import Signing

/// How what SQLite sees lies in a sealed file (spec §9.3, §9.4). Offsets and lengths are in bytes.
struct UnitLayout {
  /// Of a page. SQLite chooses this by itself.
  static let page = 4096
  /// What stands before the pages of a database.
  static let header = 64

  /// SQLite locks the byte at 1 GiB, and leaves the page that it is in alone: in a larger database it is never written.
  fileprivate static let lockPage: UInt64 = 0x4000_0000 / 4096

  /// How many pages a database has, by its first one.
  static func pageCount(inFirst page: [UInt8]) -> Int { page[28..<32].reduce(0) { $0 << 8 | Int($1) } }

  /// How long a sealed database of so many pages is.
  static func sealedSize(ofPages count: Int) -> Int { header + count * sealedPage }

  private static let logHeader = 32
  private static let frameHeader = 24
  private static let frame = frameHeader + page
  private static let sealedPage = page + Seal.overhead
  private static let sealedLogHeader = logHeader + Seal.overhead
  private static let sealedFrameHeader = frameHeader + Seal.overhead
  private static let sealedFrame = sealedFrameHeader + sealedPage

  /// What is sealed as one.
  struct Unit: Equatable {
    let file: DatabaseKey.File
    let number: UInt64
    /// Where it begins for SQLite.
    let start: Int
    let length: Int
    /// Where it begins in the sealed file.
    let place: Int

    var end: Int { start + length }
  }

  let file: DatabaseKey.File

  /// The unit that a byte is in.
  func unit(at offset: Int) -> Unit {
    switch file {
    case .database:
      let page = offset / Self.page
      return Unit(
        file: file, number: UInt64(page), start: page * Self.page, length: Self.page,
        place: Self.header + page * Self.sealedPage)
    case .log: return logUnit(at: offset)
    }
  }

  private func logUnit(at offset: Int) -> Unit {
    guard offset >= Self.logHeader else {
      return Unit(file: file, number: 0, start: 0, length: Self.logHeader, place: 0)
    }
    let frame = (offset - Self.logHeader) / Self.frame
    let start = Self.logHeader + frame * Self.frame
    let place = Self.sealedLogHeader + frame * Self.sealedFrame
    let number = UInt64(frame) * 2 + 1
    if offset < start + Self.frameHeader {
      return Unit(file: file, number: number, start: start, length: Self.frameHeader, place: place)
    }
    return Unit(
      file: file, number: number + 1, start: start + Self.frameHeader, length: Self.page,
      place: place + Self.sealedFrameHeader)
  }

  /// How long a sealed file of so many bytes is for SQLite: what is not there whole does not count.
  func size(ofSealed size: Int) -> Int {
    switch file {
    case .database: return max(0, size - Self.header) / Self.sealedPage * Self.page
    case .log:
      guard size >= Self.sealedLogHeader else { return 0 }
      let frames = (size - Self.sealedLogHeader) / Self.sealedFrame
      let rest = (size - Self.sealedLogHeader) % Self.sealedFrame
      return Self.logHeader + frames * Self.frame + (rest >= Self.sealedFrameHeader ? Self.frameHeader : 0)
    }
  }

  /// How long the sealed file is that SQLite sees so many bytes of; nil if that is in the middle of a unit.
  func sealedSize(of size: Int) -> Int? {
    let unit = unit(at: size)
    return unit.start == size ? unit.place : nil
  }
}

extension DatabaseKey {
  /// Seals what a unit holds.
  func seal(_ plain: [UInt8], _ unit: UnitLayout.Unit) -> [UInt8] {
    seal(plain, unit: unit.number, of: unit.file, SystemEntropy())
  }

  /// Opens a unit; nil where it is torn, from elsewhere, or was changed.
  func open(_ sealed: [UInt8], _ unit: UnitLayout.Unit) -> [UInt8]? {
    if let plain = open(sealed, unit: unit.number, of: unit.file) { return plain }
    guard unit.file == .database, unit.number == UnitLayout.lockPage, sealed.allSatisfy({ $0 == 0 }) else { return nil }
    return [UInt8](repeating: 0, count: unit.length)
  }
}
