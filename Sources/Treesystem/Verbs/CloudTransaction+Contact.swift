import CloudAPI
import GRDB
import Signing

/// How long a server that was not there is left alone. Only what nobody waits for obeys it.
extension CloudTransaction {
  /// The longest wait, in milliseconds: nobody's changes lie around for hours after a night without network.
  private static let longestWait: Int64 = 15 * 60_000
  private static let shortestWait: Int64 = 1_000

  /// Whether a sync that nobody asked for may try now.
  public func mayContactServer() throws -> Bool { try nextContact() == nil }

  /// When a sync that nobody asked for may try again, in milliseconds since 1970; nil if it may now.
  public func nextContact() throws -> Int64? {
    guard let until = try Int64.fetchOne(db, sql: "SELECT not_before FROM contact") else { return nil }
    let left = until - clock.now()
    // A wait that is longer than any was begun under another clock.
    return left <= 0 || left > Self.longestWait ? nil : until
  }

  /// Doubles the wait. Half of it is left to chance, so that everybody does not come back at once.
  func noteUnreachable() throws {
    let failures = min((try Int64.fetchOne(db, sql: "SELECT failures FROM contact") ?? 0) + 1, 60)
    let wait = min(Self.longestWait, Self.shortestWait << min(failures - 1, 20))
    let chance = BigEndian.read(entropy.bytes(8)) % UInt64(wait / 2)
    try db.execute(
      sql: "INSERT OR REPLACE INTO contact (id, failures, not_before) VALUES (1, ?, ?)",
      arguments: [failures, clock.now() + wait / 2 + Int64(chance)])
  }

  func noteReached() throws { try db.execute(sql: "DELETE FROM contact") }
}
