import CloudAPI
import Foundation
import Sealing
import Signing

/// Files travel beside the sync, which has short turns: a photo on its way keeps no entry waiting. What arrived is listed by the next sync.
extension SyncEngine {
  /// Hears how far files are.
  public typealias TransferWatcher = @Sendable (TransferProgress) -> Void

  /// Sends the files that wait, and fetches the sections that are wanted. Throws `CloudFailure` where the server cannot be reached or used; what
  /// was done until then stays done, and the next transfer goes on from there. What goes wrong with one file alone keeps no other waiting, and is thrown at
  /// the end. One runs at a time.
  public func transferFiles(_ watcher: TransferWatcher? = nil) async throws -> TransferReport {
    guard try database.read({ try $0.hasFilesToTransfer() }) else { return TransferReport() }
    return try await database.transferring {
      watcher?(TransferProgress(.up, done: 0, total: 0, files: 0, isWaiting: $0))
    } _: {
      try await transferNow(watcher)
    }
  }

  /// The same, unless another transfer of this profile runs: then it does nothing, and returns nil.
  public func transferFilesUnlessBusy() async throws -> TransferReport? {
    guard try database.read({ try $0.hasFilesToTransfer() }) else { return TransferReport() }
    return try await database.transferringUnlessBusy { try await transferNow(nil) }
  }

  private func transferNow(_ watcher: TransferWatcher?) async throws -> TransferReport {
    let connection = try connection()
    var report = TransferReport()
    try await abandonUploads(connection)
    var failure: (any Error)?
    for upload in try database.read({ try $0.fileUploads() }) where upload.stage == .promised {
      do {
        try await redeem(upload.node, &report)
      } catch {
        // No server had a part in it, whatever the app's promise says.
        try Task.checkCancellation()
        failure = failure ?? error
      }
    }
    let uploads = try database.read { try $0.fileUploads() }
    for (place, upload) in uploads.enumerated() {
      guard let file = upload.file else { continue }
      do {
        try await send(file, of: upload.node, connection, &report) { done in
          watcher?(TransferProgress(.up, done: done, total: file.layout.length, files: uploads.count - place))
        }
      } catch {
        try Self.keep(error, &failure)
      }
    }
    let wanted = try database.read { try $0.wantedSections() }
    for (place, section) in wanted.enumerated() {
      do {
        try await work(off: section, connection, &report) { done, total in
          watcher?(TransferProgress(.down, done: done, total: total, files: wanted.count - place))
        }
      } catch {
        try Self.keep(error, &failure)
      }
    }
    try database.diskStore.makeRoom()
    if let failure { throw failure }
    return report
  }

  /// Keeps what went wrong with one file until the others had their turn. What is about all of them is thrown at once.
  private static func keep(_ error: any Error, _ first: inout (any Error)?) throws {
    if error is CloudFailure || error is CancellationError { throw error }
    first = first ?? error
  }

  /// Tells the server what was given up on its way, so that it takes no room there until the server notices by itself.
  private func abandonUploads(_ connection: CloudConnection) async throws {
    for content in try database.read({ try $0.abandonedUploads() }) {
      // One that will not hear of it notices a week later.
      do { try await connection.abandonUpload(content) } catch CloudFailure.refused {}
      try database.write { try $0.forgetAbandoned(content) }
    }
  }

  /// Seals what the app had promised. What cannot be read is refused as a change; a source that changed meanwhile is tried again, under another
  /// key, and after that with the next transfer.
  private func redeem(_ node: Node, _ report: inout TransferReport) async throws {
    guard let offer = try database.read({ try delegate.file(of: node, in: $0) }) else {
      return try refuse(node, .contentMissing, &report)
    }
    for _ in 0..<3 {
      do {
        let file = try await sealed(offer)
        return try database.write { transaction in
          // It went while it was sealed, or something else took its place.
          guard try transaction.fileUploads().contains(where: { $0.node.id == node.id && $0.stage == .promised }) else {
            return
          }
          try transaction.noteFile(file, of: node.id)
          try transaction.setStage(.sealed, of: node.id)
        }
      } catch FileSealError.sourceChanged {
        continue
      } catch FileSealError.tooLarge {
        return try refuse(node, .limitExceeded, &report)
      } catch is FileSealError {
        return try refuse(node, .contentMissing, &report)
      }
    }
  }

  private func sealed(_ offer: FileOffer) async throws -> NodeFile {
    let store = database.diskStore
    var content = offer.content
    while case .promise(let make) = content { content = try await make() }
    switch content {
    case .sealed(let file): return file
    case .data(let bytes):
      var source = MemoryFile(bytes)
      return try store.store(
        metadata: offer.metadata, thumbnail: offer.thumbnail, data: &source, size: UInt64(bytes.count))
    case .clearFile(let path):
      var source = try ClearFile(path: path)
      return try store.store(
        metadata: offer.metadata, thumbnail: offer.thumbnail, data: &source, size: source.size)
    case .promise: preconditionFailure("a promise that was kept")
    }
  }

  /// Sends the parts that the server has not got, from the sealed file on this disk.
  private func send(
    _ file: NodeFile, of node: Node, _ connection: CloudConnection, _ report: inout TransferReport,
    _ progress: (UInt64) -> Void
  ) async throws {
    let sent: NodeFile
    do {
      sent = try whole(file, of: node)
      try await send(sent, connection, progress)
    } catch CloudFailure.refused(let reason) where reason.isOfTheFile {
      return try refuse(node, reason, &report)
    } catch let fault as FileFault {
      return try refuse(node, Refusal(fault), &report)
    }
    try database.write { transaction in
      guard try transaction.file(of: node.id) == sent, try transaction.isWaitingForFile(node.id) else { return }
      try transaction.setStage(.sent, of: node.id)
    }
    report.sent += 1
  }

  /// What is to be sent lies here as a whole: a picture whose thumbnail was never fetched is sealed anew without it.
  private func whole(_ file: NodeFile, of node: Node) throws -> NodeFile {
    guard try database.read({ try !$0.isWhole(file) && $0.isHere(.data, of: file) }) else { return file }
    let whole = try database.diskStore.storeAnew(file)
    try database.write { transaction in
      guard try transaction.file(of: node.id) == file else { return }
      try transaction.noteFile(whole, of: node.id)
    }
    return whole
  }

  private func send(_ file: NodeFile, _ connection: CloudConnection, _ progress: (UInt64) -> Void) async throws {
    let parts = FileParts(of: file.layout)
    let sealed = try SealedParts(of: file, in: database.diskStore)
    let there = try await connection.upload(file.content)
    // Another layout under this id is not ours, and the server says so when a part comes.
    let known = there?.layout == file.layout ? there?.parts ?? [] : []
    for part in 0..<parts.count {
      guard let range = parts.range(of: part) else { throw CloudFailure.nonsense }
      if !known.contains(part) {
        try Task.checkCancellation()
        progress(range.lowerBound)
        try await connection.putPart(part, sealed.bytes(of: part), of: file.content, file.layout)
      }
      progress(range.upperBound)
    }
  }

  private func refuse(_ node: Node, _ reason: Refusal, _ report: inout TransferReport) throws {
    try database.write { try $0.refuseFile(of: node.id, reason) }
    report.refused += 1
  }

  /// Fetches what is marked. What the server has not, or what is not what was signed, stays marked.
  private func work(
    off wanted: WantedSection, _ connection: CloudConnection, _ report: inout TransferReport,
    _ progress: @escaping @Sendable (UInt64, UInt64) -> Void
  ) async throws {
    do {
      try await fetchSection(wanted.section, of: wanted.file, at: wanted.node, connection, watching: progress)
      try database.write {
        try $0.unmarkFileAsNeedsDownload(wanted.node.id, components: NodeComponents(wanted.section))
      }
      report.fetched += 1
      report.arrived.insert(wanted.node.id)
    } catch CloudFailure.refused(let reason) where reason.isOfTheFile {
      report.troubles[wanted.node.id] = reason
    } catch let fault as FileFault {
      report.troubles[wanted.node.id] = Refusal(fault)
    } catch TreeError.noSuchNode {
      // It went meanwhile, and the mark with it.
    }
  }
}

extension Refusal {
  /// Whether it is about one file, and no other has to wait for it.
  fileprivate var isOfTheFile: Bool {
    switch self {
    case .quotaExceeded, .limitExceeded, .fork, .malformed, .digestWrong, .contentMissing, .notFound, .letterMissing:
      true
    default: false
    }
  }
}

extension CloudTransaction {
  /// Whether there is anything to send or fetch.
  public func hasFilesToTransfer() throws -> Bool {
    guard try account() != nil else { return false }
    let wanted = try Int.fetchOne(
      db, sql: "SELECT 1 FROM wanted_sections w JOIN node_files f ON f.node = w.node LIMIT 1")
    return try wanted != nil || waitingFiles().count > 0 || !abandonedUploads().isEmpty
  }
}
