import CloudAPI
import Glibc
import Treesystem

/// What the background has done, for whoever wonders: times, counts and reasons, and nothing that anybody typed or is called.
struct SyncLog {
  /// Of one file; there is one before it.
  static let limit = 256 * 1024

  let folder: String

  private var path: String { folder + "/sync.log" }

  /// Tells of a sync that came to its end.
  func write(_ report: SyncReport, _ time: Duration) {
    let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
    let left = report.unsent == 0 ? "" : ", \(report.unsent) left"
    let refused = report.refused == 0 ? "" : ", \(report.refused) refused"
    let troubles = Set(report.troubles.values.map(\.rawValue)).sorted()
    let trouble = troubles.isEmpty ? "" : ", trouble: \(troubles.joined(separator: " "))"
    write("\(report.sent) sent, \(report.received) received\(left)\(refused)\(trouble), \(milliseconds) ms")
  }

  /// Writes a line. That it cannot be written stops nothing, and a folder that is gone stays so.
  func write(_ text: String) {
    rotate()
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let now = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    let line = Array("\(rfc3339(now)) \(getpid()) \(text)\n".utf8)
    _ = Glibc.write(descriptor, line, line.count)
    close(descriptor)
  }

  private func rotate() {
    var status = stat()
    guard stat(path, &status) == 0, status.st_size >= Self.limit else { return }
    rename(path, path + ".1")
  }
}
