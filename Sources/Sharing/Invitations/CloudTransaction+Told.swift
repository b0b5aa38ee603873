import GRDB
public import Treesystem

/// An invitation is news as well: 0, this user has met nothing of it, 1, a notice, 2, all of it.
extension CloudTransaction {
  /// The open invitations of which this user has not been told as much as this.
  public func invites(toldBelow level: Int64) throws -> [Invite] {
    let untold = try Int.fetchSet(
      db, sql: "SELECT number FROM invites WHERE state = 'open' AND told < ?", arguments: [level])
    return try untold.isEmpty ? [] : invites().filter { untold.contains($0.number) }
  }

  /// Remembers that this user was told of invitations.
  public func mark(_ invites: [Invite], asTold level: Int64) throws {
    for invite in invites {
      try db.execute(
        sql: "UPDATE invites SET told = max(told, ?) WHERE number = ?", arguments: [level, invite.number])
    }
  }
}
