import Glibc
import Synchronization

/// One sync per profile at a time, over all processes: two that pull the same pages would each find the other's cursor
/// where their own should be. The kernel lets go when a process ends.
final class SyncLock: Sendable {
  private let descriptor: Int32
  /// The kernel's lock is the whole process's, so syncs in one process take turns by this.
  private let isHeld = Mutex(false)

  /// Opens the lock file, making it if need be.
  init(path: String) throws(StoreError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(code: errno) }
  }

  deinit { close(descriptor) }

  /// Takes the lock, unless another sync has it.
  func take() -> Bool {
    isHeld.withLock { isHeld in
      if isHeld { return false }
      isHeld = flock(descriptor, LOCK_EX | LOCK_NB) == 0
      return isHeld
    }
  }

  func release() {
    isHeld.withLock { isHeld in
      flock(descriptor, LOCK_UN)
      isHeld = false
    }
  }
}

/// A lock whose file is opened when somebody wants it first: most programs never do.
final class LateLock: Sendable {
  private let path: String
  private let lock = Mutex<SyncLock?>(nil)

  init(path: String) { self.path = path }

  /// Takes the lock, unless another one has it.
  func take() throws -> Bool {
    try lock.withLock { lock in
      let opened = try lock ?? SyncLock(path: path)
      lock = opened
      return opened.take()
    }
  }

  func release() { lock.withLock { $0?.release() } }
}
