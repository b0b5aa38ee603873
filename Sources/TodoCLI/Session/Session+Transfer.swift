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
      let done = try read { try $0.hasFilesToTransfer() } ? try await transfer() : TransferReport()
      files.add(done)
      // What another process sent, while this one waited for it, has to be listed like what this one sent.
      guard try done.refused > 0 || read({ try $0.hasFilesToList() }) else { break }
      let next = try await syncEntries()
      report.sent += next.sent
      report.received += next.received
      (report.unsent, report.refused, report.troubles) = (next.unsent, next.refused, next.troubles)
      if done.sent == 0, next.sent == 0 { break }
    }
    // It may have listed that as well.
    report.unsent = min(report.unsent, try read { try $0.pendingOperationCount() })
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
    guard let report = try await withCloud({ try await $0.transferFilesUnlessBusy() }) else { return false }
    return report.sent + report.fetched + report.refused > 0
  }

  /// Takes from this disk the files of what is gone for good. What cannot go now goes with the next change: this one is stored.
  func clearFiles() { try? database.diskStore.tidy() }

  /// Has the disk store hold what the settings allow.
  func settleDiskLimits() throws {
    let limits = config.diskLimits
    guard try read({ try $0.diskLimits() }) != limits else { return }
    try database.write { try $0.setDiskLimits(limits) }
  }
}

extension TransferReport {
  /// Takes in what a later transfer came to. What it could still not fetch is what could not be fetched.
  fileprivate mutating func add(_ later: TransferReport) {
    sent += later.sent
    fetched += later.fetched
    arrived.formUnion(later.arrived)
    refused += later.refused
    troubles = later.troubles
  }
}
