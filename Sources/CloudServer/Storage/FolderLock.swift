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
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw .folderUnusable(folder)
    }
    guard unsafe chmod(folder, 0o700) == 0 else { throw .folderUnusable(folder) }
    let descriptor = unsafe open("\(folder)/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .folderUnusable(folder) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      _ = Self.closeFile(descriptor)
      throw .folderInUse(folder)
    }
    self.descriptor = descriptor
  }

  /// Makes a file that only its owner may read, before anybody writes into it. SQLite's other files copy its mode.
  static func makePrivateFile(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    let isPrivate = fchmod(descriptor, 0o600) == 0
    return closeFile(descriptor) && isPrivate
  }

  private static func closeFile(_ descriptor: Int32) -> Bool { close(descriptor) == 0 }

  deinit { _ = Self.closeFile(descriptor) }
}
