import CloudAPI
import GRDB
import Signing
import Treesystem

/// Messages that say nothing any more: a server keeps a hundred of one sender in an inbox and takes no more of theirs.
extension CloudTransaction {
  /// Of one sender's words that they took a list, so many stay though the lists tell it as well.
  static let joinedKept = 50

  /// Of this user's own words that they left a list, so many stay.
  static let leftKept = 20

  /// How long an invitation stays in the inbox after it has expired, in milliseconds: a clock may be wrong.
  private static let patience: Int64 = 30 * 24 * 3600 * 1000

  /// Deletes them. Called before a sync, so that none of it waits after one.
  func deleteIdleMessages() throws {
    guard try account() != nil else { return }
    let troubled = try Set(troubles().map(\.branch))
    for table in ["joined", "declined"] {
      let rows = try Row.fetchAll(db, sql: "SELECT node, branch, user FROM \(table)")
      for row in rows where try isIdle(row[1], row[2], troubled) { try delete(row[0]) }
    }
    let old = try NodeID.fetchAll(
      db, sql: "SELECT node FROM invites WHERE state = 'open' AND node IS NOT NULL AND expires < ?",
      arguments: [earlierTime() - Self.patience])
    for message in old { try delete(message) }
    try deleteRepeatedJoined()
    try thinJoined()
    try thinLeft()
  }

  /// Whether nobody asks any more what somebody answered: the list is none of this user's, has ended, or they are on it no more.
  private func isIdle(_ cloudID: CloudID, _ user: UserID, _ troubled: Set<BranchID>) throws -> Bool {
    guard let branch = try branch(cloudID) else { return true }
    guard !troubled.contains(branch), let body = try permissions(of: branch)?.body else { return false }
    if body.isClosed { return true }
    guard body.entry(of: user) == nil, try !permitOperations(of: branch).contains(where: { $0.user == user }) else {
      return false
    }
    // The record that let them in may not have come here yet.
    return try permissionsHistory(of: branch).contains { $0.entry(of: user) != nil }
  }

  /// Somebody takes a list once each time they are let in; what they say more often repeats that.
  private func deleteRepeatedJoined() throws {
    let crowds = try Row.fetchAll(
      db, sql: "SELECT branch, user FROM joined GROUP BY branch, user HAVING count(*) > 1")
    for crowd in crowds {
      guard let branch = try branch(crowd[0]) else { continue }
      let isOn = try permissionsHistory(of: branch).map { $0.entry(of: crowd[1] as UserID) != nil }
      let times = zip([false] + isOn, isOn).count { !$0 && $1 }
      let repeated = try NodeID.fetchAll(
        db, sql: "SELECT node FROM joined WHERE branch = ? AND user = ? ORDER BY node LIMIT -1 OFFSET ?",
        arguments: [crowd[0] as CloudID, crowd[1] as UserID, max(1, times)])
      for message in repeated { try delete(message) }
    }
  }

  /// Of those who took many lists the oldest words go, where something that they have signed since says the same: this user's other
  /// devices had time to read those.
  private func thinJoined() throws {
    let crowds = try Row.fetchAll(
      db, sql: "SELECT user, count(*) FROM joined GROUP BY user HAVING count(*) > ?", arguments: [Self.joinedKept])
    for crowd in crowds {
      let user: UserID = crowd[0]
      var left = (crowd[1] as Int) - Self.joinedKept
      let rows = try Row.fetchAll(
        db, sql: "SELECT node, branch FROM joined WHERE user = ? ORDER BY node", arguments: [user])
      for row in rows where left > 0 {
        guard let root = try branch(row[1]).flatMap({ try self.root(of: $0) }), try hasShown(user, at: root) else {
          continue
        }
        try delete(row[0])
        left -= 1
      }
    }
  }

  /// The oldest go: this user's other devices had time to read those.
  private func thinLeft() throws {
    let words = try Row.fetchAll(
      db, sql: "SELECT node, branch FROM withdrawn WHERE sender = ? ORDER BY sent DESC, node DESC LIMIT -1 OFFSET ?",
      arguments: [requireAccount().user, Self.leftKept])
    for row in words where try branch(row[1]).map(hangs) != true { try delete(row[0]) }
  }
}
