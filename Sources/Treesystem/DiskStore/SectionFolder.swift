import Glibc

/// Where a profile keeps the sealed sections of files, each as a file that a number names. Injected, so that a test or a simulation brings a disk
/// that fails or loses power.
package protocol SectionFolder: Sendable {
  /// Writes at `offset`, making the file if need be.
  func write(_ bytes: [UInt8], to file: Int64, at offset: UInt64) throws
  /// Has what was written to a file, and the file itself, survive a power cut.
  func keep(_ file: Int64) throws
  /// Reads a range; fewer bytes where the file ends before, none where there is no file.
  func read(_ range: Range<UInt64>, of file: Int64) throws -> [UInt8]
  /// Takes a file away; one that is not there is no error.
  func remove(_ file: Int64) throws
  /// Has what was removed stay away after a power cut.
  func keepRemovals() throws
  /// The files that are there.
  func files() throws -> [Int64]
}

/// The sections in a folder beside the database. They are opened for every call, so any number of processes may use it.
struct DiskFolder: SectionFolder {
  let path: String

  func write(_ bytes: [UInt8], to file: Int64, at offset: UInt64) throws {
    if mkdir(path, 0o700) != 0, errno != EEXIST { throw StoreError(code: errno) }
    let descriptor = open(name(file), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw StoreError(code: errno) }
    defer { close(descriptor) }
    try unsafe bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let count = unsafe pwrite(
          descriptor, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + off_t(done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw StoreError(code: count < 0 ? errno : EIO) }
        done += count
      }
    }
  }

  func keep(_ file: Int64) throws {
    try sync(name(file), O_WRONLY)
    try sync(path, O_RDONLY | O_DIRECTORY)
    // That it is there at all may be new too, and whoever made it may not have come this far.
    try sync(parent, O_RDONLY | O_DIRECTORY)
  }

  func read(_ range: Range<UInt64>, of file: Int64) throws -> [UInt8] {
    let descriptor = open(name(file), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    if descriptor < 0, errno == ENOENT { return [] }
    guard descriptor >= 0 else { throw StoreError(code: errno) }
    defer { close(descriptor) }
    return try unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, filled in
      while filled < range.count {
        let offset = off_t(range.lowerBound) + off_t(filled)
        let count = unsafe pread(descriptor, buffer.baseAddress! + filled, range.count - filled, offset)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw StoreError(code: errno) }
        if count == 0 { break }
        filled += count
      }
    }
  }

  func remove(_ file: Int64) throws {
    guard unlink(name(file)) == 0 || errno == ENOENT else { throw StoreError(code: errno) }
  }

  func files() throws -> [Int64] {
    guard let folder = unsafe opendir(path) else {
      if errno == ENOENT { return [] }
      throw StoreError(code: errno)
    }
    defer { unsafe closedir(folder) }
    var files: [Int64] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let file = Int64(name) { files.append(file) }
    }
    return files
  }

  func keepRemovals() throws {
    // Of what was begun and never came there may be no folder yet.
    guard access(path, F_OK) == 0 || errno != ENOENT else { return }
    try sync(path, O_RDONLY | O_DIRECTORY)
  }

  private func sync(_ name: String, _ flags: Int32) throws {
    let descriptor = open(name, flags | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(code: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw StoreError(code: errno) }
  }

  private var parent: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func name(_ file: Int64) -> String { "\(path)/\(file)" }
}
