import CloudAPI

/// What a machine believes the time is. It may be wrong, and jump.
final class SimClock: WallClock, @unchecked Sendable {
  private let executor: SimExecutor
  /// How far it is off, in milliseconds.
  var error: Int64 = 0

  init(_ executor: SimExecutor) { self.executor = executor }

  func now() -> Int64 { executor.now + error }
  func sleep(_ milliseconds: Int64) async throws { await executor.sleep(milliseconds) }
}

/// The clock of whichever process has a connection.
final class ProcessClock: WallClock, @unchecked Sendable {
  var clock: (any WallClock)?

  func now() -> Int64 { clock?.now() ?? 0 }
  func sleep(_ milliseconds: Int64) async throws { try await clock?.sleep(milliseconds) }
}
