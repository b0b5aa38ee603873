import Glibc

/// One lock for all processes around every write transaction and checkpoint: the SQLite of Debian 12 can damage
/// its log when two connections write or checkpoint at once.
final class WriteLock: Sendable {
  private let descriptor: Int32

  /// Opens the lock file, making it if need be.
  init(path: String) throws(StoreError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(code: errno) }
  }

  deinit { close(descriptor) }

  /// Runs `body` while no other process writes.
  func hold<Result>(_ body: () throws -> Result) throws -> Result {
    while flock(descriptor, LOCK_EX) != 0 {
      guard errno == EINTR else { throw StoreError.disk }
    }
    defer { flock(descriptor, LOCK_UN) }
    return try body()
  }
}
