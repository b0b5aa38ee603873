import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Holds a data folder for this process, so that two servers cannot open one folder.
final class FolderLock: Sendable {
  private let descriptor: Int32

  /// Makes the folder if needed, closes it to others (0700), and takes its lock.
  init(folder: String) throws(StartFailure) {
    try Self.makePrivate(folder)
    let descriptor = unsafe open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StartFailure(code: errno, folder) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      _ = Self.closeFile(descriptor)
      throw .folderInUse(folder)
    }
    self.descriptor = descriptor
  }

  /// Makes a file that only its owner may read, before anybody writes into it. SQLite's other files copy its mode.
  static func makePrivateFile(_ path: String, in folder: String) throws(StartFailure) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StartFailure(code: errno, folder) }
    let isPrivate = fchmod(descriptor, 0o600) == 0
    guard closeFile(descriptor), isPrivate else { throw .folderUnusable(folder) }
    // SQLite overlooks it when the folder does not keep a new file.
    try keepEntries(of: folder, folder)
  }

  /// Makes the folder if needed, and closes it to others (0700).
  static func makePrivate(_ folder: String) throws(StartFailure) {
    try makeFolder(folder)
    guard unsafe chmod(folder, 0o700) == 0 else { throw .folderUnusable(folder) }
  }

  private static func makeFolder(_ folder: String) throws(StartFailure) {
    if FileManager.default.fileExists(atPath: folder) { return }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw .diskFull(folder)
    } catch {
      throw .folderUnusable(folder)
    }
    try keepEntries(of: URL(fileURLWithPath: folder).deletingLastPathComponent().path, folder)
  }

  /// Makes a folder's list of files durable.
  static func keepEntries(of path: String, _ folder: String) throws(StartFailure) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A folder that may not be read cannot be synced either; its file system keeps it when it does.
    if descriptor < 0, errno == EACCES { return }
    guard descriptor >= 0 else { throw StartFailure(code: errno, folder) }
    let code = fsync(descriptor) == 0 ? 0 : errno
    _ = closeFile(descriptor)
    if code != 0 { throw StartFailure(code: code, folder) }
  }

  private static func closeFile(_ descriptor: Int32) -> Bool { close(descriptor) == 0 }

  deinit { _ = Self.closeFile(descriptor) }
}
