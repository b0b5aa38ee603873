import CloudAPI
import Sharing
import Treesystem

extension Session {
  /// As often files are sent and listed in one go; what still waits then goes with the next sync.
  private static let rounds = 3

  /// Syncs in the foreground, with the files that wait on both sides. What was done until an interruption stays done.
  func syncWithFiles() async throws -> (SyncReport, TransferReport) {
    var report = try await syncEntries()
    var files = TransferReport()
    for _ in 0..<Self.rounds {
      guard try read({ try $0.hasFilesToTransfer() }) else { break }
      let done = try await transfer()
      files.sent += done.sent
      files.fetched += done.fetched
      files.refused += done.refused
      files.troubles = done.troubles
      guard done.sent > 0 || done.refused > 0 else { break }
      let next = try await syncEntries()
      report.sent += next.sent
      report.received += next.received
      (report.unsent, report.refused, report.troubles) = (next.unsent, next.refused, next.troubles)
    }
    return (report, files)
  }

  private func transfer() async throws -> TransferReport {
    try await Interruption.ending { [self] in
      try await withCloud("sending files") { cloud, line in try await cloud.transferFiles { line.update($0) } }
    }
  }

  /// Sends and fetches files, unless another process of this profile is at it: that one looks once more when it is done. Whether anything came of it.
  func transferUnlessBusy() async throws -> Bool {
    guard try read({ try $0.hasFilesToTransfer() }) else { return false }
    let work = Task { [self] in
      try await withCloud { cloud in
        try await cloud.transferFiles { progress in
          if progress.isWaiting { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
    }
    do {
      let report = try await work.value
      return report.sent + report.fetched + report.refused > 0
    } catch  where error is CancellationError {
      return false
    }
  }

  /// Has the disk store hold what the settings allow.
  func settleDiskLimits() throws {
    let limits = config.diskLimits
    guard try read({ try $0.diskLimits() }) != limits else { return }
    try database.write { try $0.setDiskLimits(limits) }
  }
}
