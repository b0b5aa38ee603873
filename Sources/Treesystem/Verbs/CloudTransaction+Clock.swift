import CloudAPI
import GRDB

/// How this machine's clock and the server's differ. People are told, and what expires is made and judged by the server's.
extension CloudTransaction {
  /// Beyond this a clock was not only set badly, in milliseconds: times of changes are wrong for everybody who reads them.
  static let farApart: Int64 = 3_600_000

  /// By how much this machine's clock is ahead of the server's, in milliseconds, negative where it is behind; nil while they are
  /// not far apart, as far as the server has said.
  public func clockAhead() throws -> Int64? { try Int64.fetchOne(db, sql: "SELECT ahead FROM server_clock") }

  /// The time by the server's clock, as far as that is known to be far from this machine's: what expires has to do so at one
  /// time for everybody.
  public func serverTime() throws -> Int64 {
    let now = clock.now()
    guard let ahead = try clockAhead() else { return now }
    let (time, overflow) = now.subtractingReportingOverflow(ahead)
    // No date that a server can say is beyond this.
    return overflow || !(0...1 << 53).contains(time) ? now : time
  }

  /// The earlier of this machine's time and the server's: what is deleted for good when its date is over goes when both say that it is,
  /// so that neither a wrong clock here nor a wrong word of the server's takes what still stands.
  public func earlierTime() throws -> Int64 { try min(clock.now(), serverTime()) }

  /// Whether people should hear that two clocks are so far apart.
  public static func isFarApart(_ ahead: Int64) -> Bool { ahead.magnitude > farApart.magnitude }

  /// Remembers by how much this machine's clock was ahead when the server last said the time.
  public func note(clockAhead ahead: Int64) throws {
    try db.execute(
      sql: Self.isFarApart(ahead)
        ? "INSERT OR REPLACE INTO server_clock (id, ahead) VALUES (1, ?)"
        : "DELETE FROM server_clock WHERE ? IS NOT NULL",
      arguments: [ahead])
  }
}
