import Foundation
import Glibc
import Pictures
import Sealing
import Signing
import Treesystem

extension Session {
  /// An image as the terminal shows it: the small copy, unless the whole one shows more and is here, or is asked for.
  func drawing(of picked: PickedImage, isFull: Bool) async throws -> String {
    let terminal = Terminal.now
    do {
      let method = try terminal.method()
      let small = try await section(.thumbnail, of: picked.image)
      let showsMore = terminal.room(method, isFull: true).side > PictureLimits.thumbnailSide && !method.isSymbols
      let isFull = isFull || small.isEmpty || showsMore && picked.image.isHere
      let bytes = isFull ? try await whole(picked.image) : small
      let room = terminal.room(method, isFull: isFull)
      // What others attached is decoded by a process that can do nothing else.
      guard let decoder = DecoderProcess.ofThisProgram else { throw PictureError.decoderEnded }
      let bitmap = try decoder.bitmap(of: Picture(bytes), fitting: room.side)
      let drawn = try bitmap.drawn(in: room, by: method)
      return terminal.isTerminal ? drawn : withoutTrailingSpaces(drawn)
    } catch let error as PictureError {
      throw Complaint.cannotShow(error, picked)
    }
  }

  /// All of a picture, in memory: so no larger than pictures are.
  private func whole(_ image: NamedImage) async throws -> [UInt8] {
    guard image.bytes <= PictureLimits.fileSize else { throw PictureError.fileTooLarge }
    return try await write(image) { MemorySink() }.bytes
  }
}

private func withoutTrailingSpaces(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { line in String(line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)]) }
    .joined(separator: "\n")
}

private struct MemorySink: FileSink {
  var bytes: [UInt8] = []

  mutating func write(_ bytes: [UInt8]) { self.bytes += bytes }
}

extension DrawingMethod {
  var isSymbols: Bool { if case .symbols = self { true } else { false } }
}

/// What standard output goes to, as far as pictures are concerned.
struct Terminal {
  /// Lines below a picture: what it is, and where one types on.
  private static let linesBelow = 3

  var isTerminal: Bool
  var columns: Int
  var rows: Int
  /// Of a cell in pixels, where the terminal says so.
  var cell: (width: Int, height: Int)?

  static var now: Terminal {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return Terminal(isTerminal: isatty(STDOUT_FILENO) == 1, columns: 80, rows: 24)
    }
    let (columns, rows) = (Int(size.ws_col), max(1, Int(size.ws_row)))
    let cell = (width: Int(size.ws_xpixel) / columns, height: Int(size.ws_ypixel) / rows)
    return Terminal(
      isTerminal: true, columns: columns, rows: rows, cell: cell.width > 0 && cell.height > 0 ? cell : nil)
  }

  /// In a pipe letters without colours, which are text.
  func method() throws(PictureError) -> DrawingMethod {
    guard isTerminal else { return .symbols(.none) }
    return try .detected(in: ProcessInfo.processInfo.environment)
  }

  /// A small copy gets no more room than it has pixels for, where pixels are shown.
  func room(_ method: DrawingMethod, isFull: Bool) -> DrawingRoom {
    let (width, height) = cell ?? (8, 16)
    let most = isFull ? Int.max : method.isSymbols ? 80 * width : PictureLimits.thumbnailSide
    return DrawingRoom(
      columns: min(columns, max(1, most / width)), rows: min(max(1, rows - Self.linesBelow), max(1, most / height)),
      cellWidth: width, cellHeight: height)
  }
}
