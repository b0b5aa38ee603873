import CloudAPI
import Foundation
import GRDB
public import Signing
public import Treesystem

/// First contacts: whoever this user has not heard of before is heard apart.
extension CloudTransaction {
  /// What strangers say, by who was first.
  public func requests() throws -> [MessageRequest] {
    try strangers().compactMap { sender in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM said WHERE sender = ? AND NOT read AND (expires IS NULL OR expires > ?)
          ORDER BY number, sent, id
          """, arguments: [sender, serverTime()])
      if rows.isEmpty { return nil }
      return MessageRequest(sender: sender, name: try displayName(of: sender), posts: try rows.map(post))
    }
  }

  /// Lets somebody in: what they have said stands in its conversations from now on, on all devices of this user.
  public func acceptRequest(from sender: UserID) throws {
    guard try strangers().contains(sender) else { throw PostError.notHere }
    try setAdmitted(sender)
  }

  /// Deletes what a stranger has said. They do not hear of it, and may say something again.
  public func declineRequest(from sender: UserID) throws {
    guard try strangers().contains(sender) else { throw PostError.notHere }
    try deleteUnread(from: sender)
  }

  /// Deletes what somebody has put into the inbox and nobody has read.
  func deleteUnread(from sender: UserID) throws {
    let posts = try NodeID.fetchAll(
      db, sql: "SELECT node FROM posts WHERE sender = ? AND NOT read ORDER BY node", arguments: [sender])
    for post in posts { try delete(post) }
  }

  /// Whether this user has heard of somebody: they have let them in, compared numbers with them, share a list with them or have written to them.
  func isStranger(_ user: UserID) throws -> Bool {
    if Defence.stranger.isDown { return false }
    if try user == requireAccount().user || isAdmitted(user) || regard(for: user).isVerified { return false }
    let hasWritten = try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM conversation_users u JOIN posts p ON p.conversation = u.conversation
        WHERE u.user = ?1 AND p.sender IN (SELECT user FROM account)
        UNION ALL SELECT 1 FROM conversation_users u JOIN provisional_posts p ON p.conversation = u.conversation
        WHERE u.user = ?1 AND p.sender IN (SELECT user FROM account) LIMIT 1
        """, arguments: [user])
    return try hasWritten == nil && !readers().contains(user)
  }

  /// Those of whom something lies in the inbox, by who was first.
  func strangers() throws -> [UserID] {
    try UserID.fetchAll(db, sql: "SELECT sender FROM said WHERE NOT read GROUP BY sender ORDER BY min(node)")
      .filter { try isStranger($0) }
  }
}
