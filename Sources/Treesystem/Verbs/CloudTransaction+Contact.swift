import CloudAPI
import GRDB
import Signing

/// How long a server that was not there is left alone. Only what nobody waits for obeys it.
extension CloudTransaction {
  /// The longest wait, in milliseconds: nobody's changes lie around for hours after a night without network.
  private static let longestWait: Int64 = 15 * 60_000
  private static let shortestWait: Int64 = 1_000
  /// Beyond these nothing becomes longer.
  private static let countedFailures = 60

  /// Whether a sync that nobody asked for may try now.
  public func mayContactServer() throws -> Bool { try nextContact() == nil }

  /// When a sync that nobody asked for may try again, in milliseconds since 1970; nil if it may now.
  public func nextContact() throws -> Int64? {
    guard let until = try Int64.fetchOne(db, sql: "SELECT not_before FROM contact") else { return nil }
    let left = until - clock.now()
    // A wait that is longer than any was begun under another clock.
    return left <= 0 || left > Self.longestWait ? nil : until
  }

  /// Doubles the wait.
  func noteUnreachable() throws {
    let before = try Int.fetchOne(db, sql: "SELECT failures FROM contact") ?? 0
    let backoff = Backoff(
      shortest: Self.shortestWait, longest: Self.longestWait, failures: min(before + 1, Self.countedFailures))
    let pause = backoff.pause(BigEndian.read(entropy.bytes(8)))
    try db.execute(
      sql: "INSERT OR REPLACE INTO contact (id, failures, not_before) VALUES (1, ?, ?)",
      arguments: [backoff.failures, clock.now() + pause])
  }

  func noteReached() throws { try db.execute(sql: "DELETE FROM contact") }
}
