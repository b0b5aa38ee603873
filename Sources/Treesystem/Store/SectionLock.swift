import Foundation
import Glibc
import Signing

/// Held by whoever fetches a section. One file has room for the locks of all sections: each is of one byte, which the section's name chooses. The
/// kernel lets go when a process ends.
package final class SectionLock: Sendable {
  /// Of an open file, not of the process: two who opened it in one process keep each other out too. `F_OFD_SETLK`, which Swift does not see.
  private static let setLock: Int32 = 37

  /// Nil where there is nobody else.
  private let descriptor: Int32?

  /// Takes no lock, for a profile that only one process has.
  package init() { descriptor = nil }

  /// Takes the lock of a section, making the file if need be. Returns nil if somebody else has it.
  init?(path: String, _ name: SectionName) throws {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StoreError(code: errno) }
    var lock = Glibc.flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(name.place)
    lock.l_len = 1
    guard fcntl(descriptor, Self.setLock, &lock) == 0 else {
      let code = errno
      close(descriptor)
      if code == EAGAIN || code == EACCES { return nil }
      throw StoreError(code: code)
    }
    self.descriptor = descriptor
  }

  deinit { if let descriptor { close(descriptor) } }
}

extension SectionName {
  /// Below 2^56. Two sections of one place would wait for each other, which harms nothing.
  fileprivate var place: UInt64 {
    root.bytes.prefix(6).reduce(0) { $0 << 8 | UInt64($1) } << 8 | UInt64(section.rawValue)
  }
}
