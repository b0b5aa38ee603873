import CloudAPI
import GRDB
public import Signing
public import Treesystem

extension CloudTransaction {
  /// What became of a post of this user's, for each whom it is for. Only the device that sent it knows: nobody on others.
  public func deliveries(of post: PostID) throws -> [UserID: Delivery] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT d.user, d.state, o.state, o.reason FROM deliveries d LEFT JOIN posts p ON p.id = d.post
        LEFT JOIN operations o ON o.node = p.node AND o.user = d.user AND o.kind = 'copy' WHERE d.post = ?
        """, arguments: [post])
    return Dictionary(
      rows.map { ($0[0], Self.delivery($0[1], waiting: $0[2], $0[3])) }, uniquingKeysWith: { first, _ in first })
  }

  private static func delivery(_ state: String, waiting: String?, _ reason: String?) -> Delivery {
    switch state {
    case "delivered": return .delivered
    case "read": return .read
    case "burnt": return .burnt
    default: break
    }
    guard let waiting else { return .givenUp }
    return waiting == "refused" ? .refused(reason.flatMap { Refusal(rawValue: $0) } ?? .malformed) : .queued
  }

  /// Notes how the server answered a copy. Nil: it is none of a post.
  func noteDelivery(of message: Node, to user: UserID, refused reason: Refusal?) throws -> MessageEvent? {
    let found = try PostID.fetchOne(
      db, sql: "SELECT p.id FROM posts p JOIN deliveries d ON d.post = p.id WHERE p.node = ? AND d.user = ?",
      arguments: [message.id, user])
    guard let post = found else { return nil }
    if let reason { return .refused(post, to: user, reason) }
    try setDelivery("delivered", of: post, to: user)
    return .delivered(post, to: user)
  }

  func setDelivery(_ state: String, of post: PostID, to user: UserID) throws {
    try db.execute(
      sql: "UPDATE deliveries SET state = ? WHERE post = ? AND user = ?", arguments: [state, post, user])
  }
}
