import Glibc

/// A small file that only its owner can read: it is written whole and stays, or it is as it was before.
///
/// What can go wrong is told by the system's code, 0 where nothing did.
struct DurableFile {
  let path: String

  /// Makes the file. One that is there already is left alone.
  func create(_ bytes: [UInt8]) -> Int32 {
    var code = fill(bytes)
    if code != 0 { return code }
    code = keepEntries(ofFolder: folder)
    if code != 0 { unlink(path) }
    return code
  }

  /// Puts new content in place of what is there, all at once.
  func replace(_ bytes: [UInt8]) -> Int32 {
    let draft = DurableFile(path: "\(path).\(getpid())")
    // Of a process that ended while it wrote.
    unlink(draft.path)
    var code = draft.fill(bytes)
    if code != 0 { return code }
    guard rename(draft.path, path) == 0 else {
      code = errno
      unlink(draft.path)
      return code
    }
    return keepEntries(ofFolder: folder)
  }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private func fill(_ bytes: [UInt8]) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    let count = write(descriptor, bytes, bytes.count)
    var code: Int32 = count == bytes.count ? 0 : count < 0 ? errno : ENOSPC
    if code == 0, fsync(descriptor) != 0 { code = errno }
    if code != 0 { unlink(path) }
    return code
  }
}

/// Makes a folder's list of files durable. Returns the system's code of what went wrong, or 0.
func keepEntries(ofFolder path: String) -> Int32 {
  let descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  // A folder that may be written and not read cannot be synced either; its file system keeps it when it does.
  guard descriptor >= 0 else { return errno == EACCES ? 0 : errno }
  defer { close(descriptor) }
  return fsync(descriptor) == 0 ? 0 : errno
}
