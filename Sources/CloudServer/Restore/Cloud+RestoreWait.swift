import CloudAPI
import Signing
import Synchronization

/// The time after a restore in which a branch takes no new line before its owner has given back what they have (spec §4.5).
extension Cloud {
  /// How long a branch waits for its owner unless somebody says otherwise: 7 days.
  public static let usualRestoreWait: Int64 = 7 * 24 * 3600 * 1000

  /// Begins to wait, in milliseconds, or goes on with the wait that an earlier start began. A server that takes nothing back forgets it, so
  /// that the next restore begins anew. Returns until when branches wait, in milliseconds since 1970; nil: they do not.
  @discardableResult
  public func awaitOwners(for wait: Int64) throws -> Int64? {
    let now = clock.now()
    let end = try storage.write { storage -> Int64? in
      guard acceptsRestores else {
        try storage.endRestoring()
        return nil
      }
      return try storage.beginRestoring(at: now) + wait
    }
    let open = end.flatMap { $0 > now ? $0 : nil }
    waitEnd.withLock { $0 = open ?? 0 }
    return open
  }

  /// Whether branches wait for their owners now.
  var awaitsOwners: Bool { waitEnd.withLock { $0 > clock.now() } }
}

extension BatchRun {
  /// Keeps new lines off a branch whose owner has not given back what they have. Who has no letter on it hears nothing of that.
  func requireGivenBack(_ branch: CloudID) throws {
    guard awaitsOwners, try !storage.isGivenBack(branch), try storage.head(of: branch) != nil,
      try !storage.letters(of: caller.user, on: branch).isEmpty
    else { return }
    throw Refusal.restoreAwaited
  }
}
