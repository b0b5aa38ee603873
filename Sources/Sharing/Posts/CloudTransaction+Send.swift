import CloudAPI
import Foundation
import GRDB
public import Signing
import SwiftProtobuf
public import Treesystem

extension CloudTransaction {
  /// Says something to people: it lies in the outbox, and a copy goes to each of them, once `dependencies` were accepted. Its content is
  /// stored once on the server. What was said before in the same conversation arrives before.
  @discardableResult
  public func sendMessage(
    _ draft: MessageDraft, withDependencies dependencies: [CloudOperation] = []
  ) throws -> PostID {
    let me = try requireAccount().user
    try draft.check(from: me)
    try requireReachable(draft.recipients)
    let recipients = Set(draft.recipients).sorted()
    let conversation = ConversationID(of: recipients + [me], about: draft.topic)
    var message = SealedMessage()
    message.post.id = data(entropy.bytes(16))
    message.post.recipients = recipients.map { data($0.bytes) }
    message.post.topic = data(draft.topic?.bytes ?? [])
    message.post.number = try nextNumber(in: conversation)
    message.post.text = draft.text
    message.post.data = data(draft.data)
    let sent = try sendMessage(
      message, toRecipients: recipients, withDependencies: dependencies, in: conversation, with: draft.attachment,
      until: draft.expires)
    guard let sent, let post = try receiveOwn(sent.message, at: sent.node) else { throw PostError.notHere }
    for recipient in recipients {
      try db.execute(sql: "INSERT INTO deliveries (post, user) VALUES (?, ?)", arguments: [post, recipient])
    }
    return post
  }

  /// Says something to people's devices that is read once and belongs to no conversation. Of somebody of whom they have not heard before they
  /// read none.
  public func sendSignal(
    _ bytes: [UInt8], toRecipients recipients: [UserID], withDependencies dependencies: [CloudOperation] = []
  ) throws {
    var draft = MessageDraft(to: recipients)
    draft.data = bytes
    try draft.check(from: requireAccount().user)
    try requireReachable(recipients)
    var message = SealedMessage()
    message.signal.data = data(bytes)
    let sent = try sendMessage(message, toRecipients: Set(recipients).sorted(), withDependencies: dependencies)
    if let sent { try db.execute(sql: "INSERT INTO signals (node) VALUES (?)", arguments: [sent.node.id]) }
  }

  /// Signals that nobody waits for any more go. Called before a sync.
  func deleteSentSignals() throws {
    let sent = try NodeID.fetchAll(
      db, sql: "SELECT node FROM signals s WHERE NOT EXISTS (SELECT 1 FROM operations o WHERE o.node = s.node)")
    for node in sent { try delete(node) }
  }

  /// Nothing is said to somebody of whom nothing is read; what somebody cannot get any more is said to the others.
  private func requireReachable(_ recipients: [UserID]) throws {
    for user in recipients where try regard(for: user).isBlocked {
      throw ShareError.blocked(try displayName(of: user))
    }
    if try recipients.allSatisfy({ try hasDeletedAccount($0) }), let first = recipients.first {
      throw ShareError.accountDeleted(try displayName(of: first))
    }
  }

  /// What is said next comes after all that its sender knew, on every device of everybody, and as a rule after what others said before it and
  /// its sender had not read.
  private func nextNumber(in conversation: ConversationID) throws -> UInt64 {
    let last = try Int64.fetchOne(
      db,
      sql: """
        SELECT max(number) FROM (SELECT max(number) AS number FROM posts WHERE conversation = ?1
          UNION ALL SELECT max(number) FROM provisional_posts WHERE conversation = ?1)
        """, arguments: [conversation])
    return try UInt64(max(0, serverTime(), (last ?? 0) + (last == .max ? 0 : 1)))
  }
}
