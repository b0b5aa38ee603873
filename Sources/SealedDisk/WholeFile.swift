import Glibc

/// A file that only its owner can read, and that comes into its place whole and durable, or not at all.
public struct WholeFile: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  /// True where something is there, a link that leads nowhere, too. Throws `SealFailure.unreadable` where nobody can tell.
  public func isThere() throws(SealFailure) -> Bool { try facts() != nil }

  /// How many bytes it has, without following a link; 0 where nothing is there.
  func size() throws(SealFailure) -> Int { try facts().map { Int($0.st_size) } ?? 0 }

  /// What the folder says of it; nil where nothing is there.
  func facts() throws(SealFailure) -> stat? {
    var facts = stat()
    if lstat(path, &facts) == 0 { return facts }
    guard errno == ENOENT else { throw .unreadable(errno) }
    return nil
  }

  /// At most `limit` bytes of it; nil where it is not there.
  public func read(_ limit: Int) throws(SealFailure) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .unreadable(errno)
    }
    defer { close(descriptor) }
    return try Self.read(descriptor, limit)
  }

  /// Puts new content in place of what is there.
  public func replace(_ bytes: [UInt8]) throws(SealFailure) {
    let draft = WholeFile(path: path + ".draft")
    draft.remove()
    do throws(SealFailure) {
      try draft.make { descriptor throws(SealFailure) in try Self.write(bytes, to: descriptor) }
      try draft.take(placeOf: self)
    } catch {
      draft.remove()
      throw error
    }
  }

  /// Removes it. What cannot be removed stays, and stands in the way of whoever makes it anew. Not for what may be the only one of its kind.
  func remove() { unlink(path) }

  /// Makes it, and what `body` writes to it durable.
  func make(_ body: (Int32) throws(SealFailure) -> Void) throws(SealFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(errno) }
    defer { close(descriptor) }
    try body(descriptor)
    guard fsync(descriptor) == 0 else { throw .system(errno) }
  }

  /// Comes in place of another in the same folder, all at once, and durably. What may be refused is asked for before anything has changed; only
  /// a disk that fails stops it after that.
  func take(placeOf other: WholeFile) throws(SealFailure) {
    let folder = try openFolder()
    defer { close(folder) }
    guard rename(path, other.path) == 0, fsync(folder) == 0 else { throw .system(errno) }
  }

  private func openFolder() throws(SealFailure) -> Int32 {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno) }
    return descriptor
  }

  /// Up to `count` bytes from where a descriptor stands: fewer only at the end.
  static func read(_ descriptor: Int32, _ count: Int) throws(SealFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + filled, count - filled) }
      if got == 0 { break }
      if got > 0 { filled += got } else if errno != EINTR { throw .system(errno) }
    }
    return Array(bytes.prefix(filled))
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SealFailure) {
    var written = 0
    while written < bytes.count {
      let put = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, bytes.count - written) }
      if put > 0 {
        written += put
      } else if put == 0 {
        throw .system(ENOSPC)
      } else if errno != EINTR {
        throw .system(errno)
      }
    }
  }
}
