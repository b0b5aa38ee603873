import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import Treesystem

/// What a post says of itself, checked as far as its reader can (spec §8.5).
struct CheckedPost {
  let id: PostID
  let conversation: ConversationID
  /// Everybody in the conversation, ascending.
  let users: [UserID]
  let topic: CloudID?
  let wire: SealedPost

  /// - Parameter reader: whose inbox, or outbox, it lies in.
  init(_ wire: SealedPost, from sender: UserID, to reader: UserID) throws(Refusal) {
    var recipients: [UserID] = []
    for user in wire.recipients { recipients.append(try fixed(user)) }
    guard wire.id.count == 16, (1...PostLimits.recipients).contains(recipients.count),
      zip(recipients, recipients.dropFirst()).allSatisfy({ $0 < $1 }), !recipients.contains(sender),
      wire.text.utf8.count <= PostLimits.text, wire.data.count <= PostLimits.data
    else { throw .malformed }
    guard sender == reader || recipients.contains(reader) || Defence.postRecipient.isDown else {
      throw .recipientMismatch
    }
    topic = try optional(wire.topic)
    users = (recipients + [sender]).sorted()
    id = PostID(of: sender, Array(wire.id))
    conversation = ConversationID(of: users, about: topic)
    self.wire = wire
  }

  /// When it goes: as the header has it that its sender signed, and as older programs said it inside.
  func expiry(signed: Int64?) -> Int64? {
    let said = wire.expires == 0 ? nil : Int64(clamping: wire.expires)
    return [signed, said].compactMap { $0 }.min()
  }

  func expiry(at node: NodeID, in transaction: CloudTransaction) throws -> Int64? {
    try expiry(signed: transaction.expiry(of: node))
  }
}

extension CloudTransaction {
  /// Takes in a post that lies in the inbox. Returns it the first time.
  func receive(_ post: SealedPost, from sender: UserID, sent: UInt64, in node: Node) throws -> Post? {
    let me = try requireAccount().user
    let checked = try CheckedPost(post, from: sender, to: me)
    guard sender != me else { throw Refusal.malformed }
    if let expires = try checked.expiry(at: node.id, in: self), try expires <= earlierTime() {
      try delete(node.id)
      return nil
    }
    if let known = try NodeID.fetchOne(db, sql: "SELECT node FROM posts WHERE id = ?", arguments: [checked.id]) {
      // Whoever says something once more has said it once.
      if known != node.id, !Defence.postOnce.isDown { try delete(node.id) }
      if known == node.id || !Defence.postOnce.isDown { return nil }
    }
    try store(checked, from: sender, sent: sent, at: node.id, isRead: false)
    return try self.post(checked.id)
  }

  /// Takes in a post of this user's own, which lies in the outbox.
  @discardableResult
  func receiveOwn(_ message: SealedMessage, at node: Node) throws -> PostID? {
    guard case .post(let post)? = message.what else { return nil }
    let me = try requireAccount().user
    let checked = try CheckedPost(post, from: me, to: me)
    // Older programs put it below the root.
    let place = try node.parent.flatMap { try self.node($0)?.conversation }
    guard place == nil || place == checked.conversation else { throw Refusal.originWrong }
    try store(checked, from: me, sent: message.sent, at: node.id, isRead: true)
    return checked.id
  }

  func store(_ post: CheckedPost, from sender: UserID, sent: UInt64, at node: NodeID, isRead: Bool) throws {
    try store(post.conversation, of: post.users, about: post.topic)
    let place = try place(of: post, sent: sent)
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO posts (node, id, conversation, sender, number, sent, expires, read, post)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        node, post.id, post.conversation, sender, place.number, place.sent,
        post.expiry(at: node, in: self), isRead, Data(encode(post.wire)),
      ])
  }

  /// Where a post stands: at the time that its sender says, or at which it was read here, whichever is earlier. So nobody has the last word
  /// of a conversation for years.
  func place(of post: CheckedPost, sent: UInt64) throws -> (number: Int64, sent: Int64) {
    let known = try Row.fetchOne(db, sql: "SELECT number, sent FROM said WHERE id = ?", arguments: [post.id])
    if let known { return (known[0], known[1]) }
    let now = try max(clock.now(), serverTime())
    // So far two clocks may differ unnoticed, and what is said in one millisecond counts on.
    func earlier(_ said: UInt64) -> Int64 {
      let said = Int64(clamping: said)
      return said > now && CloudTransaction.isFarApart(said - now) ? now : said
    }
    return (earlier(post.wire.number), earlier(sent))
  }
}
