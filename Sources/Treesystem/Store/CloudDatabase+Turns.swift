import CloudAPI
import Signing

extension CloudDatabase {
  /// Runs `body` while no other sync of this profile runs, here or in another process.
  /// - Parameter waits: hears that another one has the turn, and when that is over.
  func syncing<Result>(
    _ waits: (Bool) -> Void = { _ in }, _ body: () async throws -> Result
  ) async throws -> Result {
    var isWaiting = false
    while !Defect.lockDropped.isPlanted, !files.takeSyncLock() {
      if !isWaiting { waits(true) }
      isWaiting = true
      try await clock.sleep(20)
    }
    defer { files.releaseSyncLock() }
    if isWaiting { waits(false) }
    try fulfilWish()
    return try await body()
  }

  /// Runs `body`, unless another sync of this profile runs: then leaves word that one more is wanted, and returns nil.
  ///
  /// Whoever has synced looks for such a word after letting go of the lock: so it is never left where nobody finds it.
  func syncingUnlessBusy<Result>(_ body: () async throws -> Result) async throws -> Result? {
    if !files.takeSyncLock() {
      try write { try $0.wantAnotherSync(true) }
      // The other may have looked before that.
      guard files.takeSyncLock() else { return nil }
    }
    defer { files.releaseSyncLock() }
    try fulfilWish()
    return try await body()
  }

  /// Runs `body` while no other transfer of files of this profile runs, here or in another process.
  func transferring<Result>(
    _ waits: (Bool) -> Void, _ body: () async throws -> Result
  ) async throws -> Result {
    var isWaiting = false
    while try !files.takeTransferLock() {
      if !isWaiting { waits(true) }
      isWaiting = true
      try await clock.sleep(50)
    }
    defer { files.releaseTransferLock() }
    if isWaiting { waits(false) }
    return try await body()
  }

  /// Runs `body`, unless another transfer of files of this profile runs: then returns nil.
  func transferringUnlessBusy<Result>(_ body: () async throws -> Result) async throws -> Result? {
    guard try files.takeTransferLock() else { return nil }
    defer { files.releaseTransferLock() }
    return try await body()
  }

  /// Runs `body` while nobody else fetches this section, here or in another process. Whoever has not come further for half a minute is not waited for: a
  /// program that was stopped, or that a dead line holds, would hold this one too.
  /// - Parameter done: says how much of the section is here.
  func fetching(_ name: SectionName, done: () throws -> UInt64, _ body: () async throws -> Void) async throws {
    var before: UInt64?
    var since = clock.now()
    while clock.now() - since < 30_000 {
      if let lock = try files.lockSection(name) {
        defer { withExtendedLifetime(lock) {} }
        return try await body()
      }
      if case let now = try done(), now != before { (before, since) = (now, clock.now()) }
      try await clock.sleep(50)
    }
    try await body()
  }

  /// Runs `body` while no sync runs. Throws `StoreError.busy` where one does not come to its end for so many milliseconds.
  public func whileNothingSyncs<Result>(waiting limit: Int64, _ body: () async throws -> Result) async throws -> Result
  {
    let end = clock.now() + limit
    while !files.takeSyncLock() {
      guard clock.now() < end else { throw StoreError.busy }
      try await clock.sleep(20)
    }
    defer { files.releaseSyncLock() }
    return try await body()
  }

  /// What was wanted before this sync began, it does.
  private func fulfilWish() throws {
    if try read({ try $0.wantsAnotherSync() }) { try write { try $0.wantAnotherSync(false) } }
  }
}
