public import CloudAPI
import Foundation
import Signing

/// Brings this device and its server together: pull, push, and again while there were conflicts, a bounded number of times.
public final class SyncEngine: Sendable {
  let database: CloudDatabase
  let transport: any CloudTransport & CloudStreaming
  let delegate: any TreesystemDelegate
  /// Names the server in signatures: its host and port.
  let authority: String
  /// How many operations go in one request at most.
  let batchOperations: Int
  /// How many lines are asked for at once at most.
  let pageLines: Int
  /// Whether a page is fetched and its signatures are checked while the one before is taken in, in child tasks.
  let readsAhead: Bool
  /// The sections of files that are being fetched because somebody asked.
  let fetches = FetchDesk()

  /// One more round than any chain of dependencies needs: permissions, root, pointer and children, message.
  static let rounds = 8

  /// Over this transport. `authority` is the server's host and port, as it stands in signatures; `batchOperations` and `pageLines` are how many
  /// operations are sent and lines are asked for in one request at most; `readsAhead` allows child tasks in a pull.
  public init(
    database: CloudDatabase, transport: any CloudTransport & CloudStreaming, authority: String,
    delegate: any TreesystemDelegate,
    batchOperations: Int = Limits.batchOperations, pageLines: Int = Limits.pageLines,
    readsAhead: Bool = true
  ) {
    self.database = database
    self.transport = transport
    self.authority = authority
    self.delegate = delegate
    self.batchOperations = batchOperations
    self.pageLines = pageLines
    self.readsAhead = readsAhead
  }

  /// Syncs once. Throws `CloudFailure` where the server cannot be reached or used; what was done until then stays done.
  public func sync(progress: (@Sendable (SyncProgress) -> Void)? = nil) async throws -> SyncReport {
    let waits = { isWaiting in
      progress?(SyncProgress(received: 0, sent: 0, unsent: 0, isWaiting: isWaiting)) ?? ()
    }
    return try await database.syncing(waits) { try await syncNow(progress) }
  }

  /// Syncs once, unless another sync of this profile is under way: then that one goes round once more, and this returns nil.
  public func syncUnlessBusy() async throws -> SyncReport? {
    try await database.syncingUnlessBusy { try await syncNow(nil) }
  }

  private func syncNow(_ progress: (@Sendable (SyncProgress) -> Void)?) async throws -> SyncReport {
    do {
      return try await syncRounds(progress)
    } catch CloudFailure.unreachable {
      try database.write { try $0.noteUnreachable() }
      throw CloudFailure.unreachable
    } catch CloudFailure.refused(.deviceUnknown) {
      await learnEnd()
      throw CloudFailure.refused(.deviceUnknown)
    }
  }

  /// A device that has ended is told by whom: the server answers it about its own keyring, and the entries are signed.
  func learnEnd() async {
    // Where it is not told, what was known before stands.
    try? await askAboutAccount()
  }

  private func syncRounds(_ progress: (@Sendable (SyncProgress) -> Void)?) async throws -> SyncReport {
    let connection = try connection()
    var report = SyncReport()
    for round in 0..<Self.rounds {
      report.unreadable = []
      if round == 0 { try await askForWantedRows(connection) }
      try await pull(connection, &report, progress)
      if round == 0 {
        try await drawKeyAfterEnding(connection)
        try await download(connection)
      }
      try database.write { transaction in
        if round == 0 {
          try PageReader.judgeAgain(telling: delegate, in: transaction)
          try transaction.retryUnfounded()
          try transaction.forgetExpired()
        }
        try transaction.comparePasts()
        try transaction.queueMissingRoots()
      }
      let conflicts = try await push(connection, &report, progress)
      if !conflicts { break }
    }
    try finish(&report)
    return report
  }

  private func finish(_ report: inout SyncReport) throws {
    let (unsent, refused) = try database.write { transaction in
      try transaction.dropOrphans()
      try transaction.forgetComebacks()
      try transaction.setSynced()
      try transaction.noteReached()
      return (try transaction.pendingOperationCount(), try transaction.refusedOperationCount())
    }
    report.unsent = unsent
    report.refused = refused
    // With the nodes that went, and with what is in cache mode from now on.
    try database.diskStore.tidy()
  }

  /// A connection that signs as this device.
  public func connection() throws -> CloudConnection {
    let (account, identity) = try database.read { (try $0.requireAccount(), try $0.identity()) }
    let signer = CloudConnection.Signer(
      caller: Caller(user: account.user, device: account.device), key: identity.signingKey)
    return CloudConnection(
      transport: transport, authority: authority, signer: signer, clock: database.clock, entropy: database.entropy)
  }
}
