import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf
public import Treesystem

/// Where a conversation lies, and what was said in it and read (spec §8.6).
extension Node {
  private static let prefix = "conversation-"

  /// Whether it is the node of a conversation, below which lies what was said or read there.
  public var isConversation: Bool { (trunk == .home || trunk == .outbox) && pointer == nil && conversation != nil }

  /// The conversation that a node is named after.
  var conversation: ConversationID? { Self.conversation(named: name) }

  static func conversation(named name: String) -> ConversationID? {
    guard name.hasPrefix(prefix) else { return nil }
    return Base16.decode(String(name.dropFirst(prefix.count))).flatMap { ConversationID(bytes: $0) }
  }

  /// Whether it holds a message that was taken out of the inbox.
  var isTakenOut: Bool { trunk == .home && pointer == nil && name == cloudID?.description }

  static func name(of conversation: ConversationID) -> String { prefix + conversation.description }
}

extension CloudTransaction {
  /// Has a post be read, and all before it in its conversation, on every device of this user: it leaves the inbox for its conversation's place below
  /// `home`. What a stranger says is read once they were let in.
  public func markRead(_ post: PostID) throws {
    guard let last = try self.post(post) else { throw PostError.notHere }
    let shown = try shownPosts()
    let posts = try PostID.fetchAll(
      db,
      sql: """
        SELECT id FROM posts WHERE conversation = ? AND NOT read AND \(shown.sql)
          AND (number, sent, id) <= (SELECT number, sent, id FROM said WHERE id = ?) ORDER BY number, sent, id
        """, arguments: StatementArguments([last.conversation] + shown.arguments + [post]))
    for post in posts { try takeOut(post, of: last.conversation) }
  }

  /// Has posts be read, and no others: what came in between while they were shown stays unread. Of those that cannot be marked it says
  /// nothing.
  public func markRead(_ posts: [Post]) throws {
    let strangers = try Set(strangers())
    for post in posts where !post.isRead && !strangers.contains(post.sender) {
      try takeOut(post.id, of: post.conversation)
    }
  }

  private func takeOut(_ post: PostID, of conversation: ConversationID) throws {
    let place = try NodeID.fetchOne(db, sql: "SELECT node FROM posts WHERE id = ? AND NOT read", arguments: [post])
    guard let message = try place.flatMap({ try node($0) }), message.trunk == .inbox else { return }
    let kept = try keepMessage(message, below: self.place(of: conversation, in: .home))
    try db.execute(sql: "UPDATE posts SET node = ?, read = 1 WHERE id = ?", arguments: [kept.id, post])
    try deleteMessage(message, keptAt: kept.id)
  }

  /// The node of a conversation, which every device of this user makes alike: in home for what was read, in the outbox for what was said.
  func place(of conversation: ConversationID, in trunk: Trunk) throws -> NodeID {
    let root = try self.trunk(trunk)
    guard root.cloudID != nil else { throw TreeError.notSignedIn }
    let id = try derivationKey(of: root.branch).map { CloudID(of: conversation, by: $0) } ?? .random(entropy)
    return try node(named: Node.name(of: conversation), in: root.id, orNewWith: id).id
  }

  func conversationContent(of node: Node) throws -> [UInt8] {
    guard let id = node.conversation else { return [] }
    let users = try users(in: id)
    let topic = try CloudID.fetchOne(db, sql: "SELECT topic FROM conversations WHERE id = ?", arguments: [id])
    return encode(
      SealedConversation.with {
        $0.users = users.map { data($0.bytes) }
        $0.topic = data(topic?.bytes ?? [])
      })
  }

  /// Takes in the node of a conversation, which bears its name.
  func receiveConversation(_ bytes: [UInt8], named name: ConversationID?) throws {
    let wire = try decode(SealedConversation.self, bytes)
    var users: [UserID] = []
    for user in wire.users { users.append(try fixed(user)) }
    let topic: CloudID? = try optional(wire.topic)
    let id = ConversationID(of: users, about: topic)
    guard id == name, users.contains(try requireAccount().user) else { throw Refusal.malformed }
    try store(id, of: users, about: topic)
  }

  /// Remembers who is in a conversation.
  func store(_ conversation: ConversationID, of users: [UserID], about topic: CloudID?) throws {
    for user in users {
      try db.execute(
        sql: "INSERT OR IGNORE INTO conversation_users (conversation, user) VALUES (?, ?)",
        arguments: [conversation, user])
    }
    try db.execute(
      sql: "INSERT OR IGNORE INTO conversations (id, topic) VALUES (?, ?)", arguments: [conversation, topic])
  }

  /// Takes in a post that another device of this user's has read. Returns what an app hears of it.
  func receiveTakenOut(_ bytes: [UInt8], from sender: UserID, at node: Node) throws -> MessageEvent? {
    let message = try readMessage(bytes, signedBy: sender)
    guard case .post(let wire)? = message.what else { return nil }
    let checked = try CheckedPost(wire, from: sender, to: requireAccount().user)
    let place = try node.parent.flatMap { try self.node($0) }
    guard place?.conversation == checked.conversation else { throw Refusal.originWrong }
    // What the server told beforehand says nothing of what this device has read.
    let known = try post(checked.id).flatMap { $0.node == nil ? nil : $0 }
    if known?.isRead == true { return nil }
    try pin(sender)
    try store(checked, from: sender, sent: message.sent, at: node.id, isRead: true)
    guard known == nil else { return .read(checked.id) }
    return try post(checked.id).map { MessageEvent.arrived($0, isRequest: false) }
  }
}
