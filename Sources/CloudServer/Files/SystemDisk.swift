#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A folder of this machine's disk.
public struct SystemDisk: BlobDisk {
  private let folder: String

  /// The folder need not be there; the one that it is in does.
  public init(folder: String) { self.folder = folder }

  public func makeFolder(_ path: String) throws {
    guard unsafe mkdir(full(path), 0o700) != 0 else { return }
    guard errno == EEXIST else { throw Self.failure(errno) }
  }

  public func create(_ path: String) throws -> any BlobFile {
    let descriptor = unsafe open(full(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.failure(errno) }
    return File(descriptor)
  }

  /// That the folder is there, the one around it has to tell.
  public func syncFolder(_ path: String) throws {
    try sync(full(path))
    if path.isEmpty { try sync("\(folder)/..") }
  }

  private func sync(_ path: String) throws {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder that may not be read cannot be synced either; its file system keeps it when it does.
    if descriptor < 0, errno == EACCES { return }
    guard descriptor >= 0 else { throw Self.failure(errno) }
    let code = fsync(descriptor) == 0 ? 0 : errno
    _ = close(descriptor)
    if code != 0 { throw Self.failure(code) }
  }

  public func rename(_ path: String, to name: String) throws {
    let status = Self.renameFile(full(path), full(name))
    guard status == 0 else { throw Self.failure(errno) }
  }

  private static func renameFile(_ path: String, _ name: String) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.rename(path, name)
    #else
      unsafe Musl.rename(path, name)
    #endif
  }

  public func remove(_ path: String) throws {
    guard unsafe unlink(full(path)) != 0, errno != ENOENT else { return }
    throw Self.failure(errno)
  }

  public func removeFolder(_ path: String) throws {
    guard unsafe rmdir(full(path)) != 0, errno != ENOENT else { return }
    throw Self.failure(errno)
  }

  public func names(in path: String) throws -> [String] {
    guard let stream = unsafe opendir(full(path)) else {
      if errno == ENOENT { return [] }
      throw Self.failure(errno)
    }
    defer { _ = unsafe closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw Self.failure(errno) }
    return names
  }

  public func read(_ path: String, _ range: Range<UInt64>) throws -> [UInt8] {
    let descriptor = unsafe open(full(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(errno) }
    defer { _ = close(descriptor) }
    var failure = 0 as Int32
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      while count < range.count {
        let taken = unsafe pread(
          descriptor, buffer.baseAddress! + count, range.count - count, off_t(range.lowerBound) + off_t(count))
        if taken < 0, errno == EINTR { continue }
        if taken <= 0 {
          failure = taken < 0 ? errno : 0
          return
        }
        count += taken
      }
    }
    if failure != 0 { throw Self.failure(failure) }
    guard bytes.count == range.count else { throw StorageFailure.damaged }
    return bytes
  }

  private func full(_ path: String) -> String { path.isEmpty ? folder : "\(folder)/\(path)" }

  fileprivate static func failure(_ code: Int32) -> StorageFailure {
    switch code {
    case ENOSPC, EDQUOT: .full
    case ENOENT: .damaged
    default: .disk(code: code)
    }
  }

  private final class File: BlobFile {
    private var descriptor: Int32?

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close() }

    func write(_ bytes: [UInt8]) throws {
      guard let descriptor else { throw StorageFailure.damaged }
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = unsafe rest.withUnsafeBytes { unsafe Self.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw SystemDisk.failure(count < 0 ? errno : ENOSPC) }
        rest = rest.dropFirst(count)
      }
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
      #if canImport(Glibc)
        unsafe Glibc.write(descriptor, bytes, count)
      #else
        unsafe Musl.write(descriptor, bytes, count)
      #endif
    }

    func sync() throws {
      guard let descriptor else { throw StorageFailure.damaged }
      guard fsync(descriptor) == 0 else { throw SystemDisk.failure(errno) }
    }

    func close() {
      guard let descriptor else { return }
      self.descriptor = nil
      #if canImport(Glibc)
        _ = Glibc.close(descriptor)
      #else
        _ = Musl.close(descriptor)
      #endif
    }
  }
}
