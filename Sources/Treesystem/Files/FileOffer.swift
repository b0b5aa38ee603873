import Glibc
public import Sealing

/// A file as the app gives it, on its way up: what it holds, and what stands beside that.
public struct FileOffer: Sendable {
  /// What it holds.
  public var content: FileContent
  /// At most 65,536 bytes.
  public var metadata: [UInt8]
  /// At most 2^20 bytes.
  public var thumbnail: [UInt8]

  /// This content, with what stands beside it.
  public init(_ content: FileContent, metadata: [UInt8] = [], thumbnail: [UInt8] = []) {
    self.content = content
    self.metadata = metadata
    self.thumbnail = thumbnail
  }
}

/// Where the data of a file comes from.
public enum FileContent: Sendable {
  /// Bytes in memory.
  case data([UInt8])
  /// A regular file, in clear. If it changes while it is sealed, it is sealed anew under another key.
  case clearFile(path: String)
  /// Sealed and in the disk store already; what the offer has beside it does not count.
  case sealed(NodeFile)
  /// Made when it is needed, and however long that takes.
  case promise(@Sendable () async throws -> FileContent)
}

/// Reads a file of this machine, in clear.
public final class ClearFile: FileSource {
  /// In bytes, when it was opened.
  public let size: UInt64
  private let descriptor: Int32

  /// Opens it. Throws `StoreError` where that may go well another time, and `FileSealError.notAFile` for what is no regular file, or not there, or not for
  /// this user; a pipe is not waited for.
  public init(path: String) throws {
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      throw [ENOENT, ENOTDIR, EACCES, EPERM].contains(errno) ? FileSealError.notAFile : StoreError(code: errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw FileSealError.notAFile
    }
    size = UInt64(max(status.st_size, 0))
  }

  deinit { close(descriptor) }

  public func read(_ count: Int) throws -> [UInt8] {
    try unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      var got = Glibc.read(descriptor, buffer.baseAddress, count)
      while got < 0, errno == EINTR { unsafe got = Glibc.read(descriptor, buffer.baseAddress, count) }
      guard got >= 0 else { throw StoreError(code: errno) }
      filled = got
    }
  }

  public func read(into buffer: inout [UInt8], at range: Range<Int>) throws -> Int {
    try unsafe buffer.withUnsafeMutableBytes { buffer in
      let place = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[range])
      var got = unsafe Glibc.read(descriptor, place.baseAddress, place.count)
      while got < 0, errno == EINTR { unsafe got = Glibc.read(descriptor, place.baseAddress, place.count) }
      guard got >= 0 else { throw StoreError(code: errno) }
      return got
    }
  }
}

/// Data in memory, as a source.
package struct MemoryFile: FileSource {
  let bytes: [UInt8]
  private var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package mutating func read(_ count: Int) -> [UInt8] {
    let end = min(position + count, bytes.count)
    defer { position = end }
    return Array(bytes[position..<end])
  }

  package mutating func read(into buffer: inout [UInt8], at range: Range<Int>) -> Int {
    let end = min(position + range.count, bytes.count)
    defer { position = end }
    overwrite(&buffer, at: range.lowerBound, with: bytes[position..<end])
    return end - position
  }
}
