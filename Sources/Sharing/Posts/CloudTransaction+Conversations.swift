import CloudAPI
import Foundation
import GRDB
public import Signing
import SwiftProtobuf
public import Treesystem

extension CloudTransaction {
  /// The conversations of this user, those with the latest posts first. What strangers say is in ``requests()``.
  public func conversations() throws -> [Conversation] {
    let shown = try shownPosts()
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT conversation, count(*) FILTER (WHERE NOT read), max(sent) AS latest FROM said WHERE \(shown.sql)
        GROUP BY conversation ORDER BY latest DESC, conversation
        """, arguments: StatementArguments(shown.arguments))
    let me = try requireAccount().user
    return try rows.compactMap { row in
      let id: ConversationID = row[0]
      guard let latest = try messages(in: id, limit: 1).last else { return nil }
      let users = try users(in: id).filter { $0 != me }
      let topic = try CloudID.fetchOne(db, sql: "SELECT topic FROM conversations WHERE id = ?", arguments: [id])
      return Conversation(id: id, users: users, topic: topic, unread: row[1], latest: latest)
    }
  }

  /// The latest posts of a conversation, the oldest of them first: at most `limit`, and only those before a post that is named.
  public func messages(in conversation: ConversationID, limit: Int, before: PostID? = nil) throws -> [Post] {
    let shown = try shownPosts()
    var arguments: [any DatabaseValueConvertible] = [conversation]
    var bound = ""
    if let before {
      bound = "AND (number, sent, id) < (SELECT number, sent, id FROM said WHERE id = ?)"
      arguments.append(before)
    }
    arguments += shown.arguments + [limit]
    // Each by its index: the two together would be sorted as a whole.
    let file = "EXISTS (SELECT 1 FROM node_files f WHERE f.node = posts.node) AS has_file"
    let tables = [("posts", "node", file), ("provisional_posts", "NULL AS node", "has_file")]
    let latest = tables.map { table, node, file in
      """
      SELECT * FROM (SELECT \(node), id, conversation, sender, number, sent, expires, read, post, \(file) FROM \(table)
        WHERE conversation = ? \(bound) AND \(shown.sql) ORDER BY number DESC, sent DESC, id DESC LIMIT ?)
      """
    }
    return try Row.fetchAll(
      db, sql: "\(latest.joined(separator: " UNION ALL ")) ORDER BY number DESC, sent DESC, id DESC LIMIT ?",
      arguments: StatementArguments(arguments + arguments + [limit])
    ).reversed().map(post)
  }

  /// The same, and as many more as it takes to have all that are unread among them: whoever has them read then has shown them.
  public func messagesWithUnread(of conversation: Conversation, limit: Int) throws -> [Post] {
    var posts = try messages(in: conversation.id, limit: limit)
    while posts.count(where: { !$0.isRead }) < conversation.unread, let first = posts.first {
      let earlier = try messages(in: conversation.id, limit: Self.lookedThrough, before: first.id)
      if earlier.isEmpty { break }
      posts = earlier + posts
    }
    let unread = posts.count - (posts.firstIndex { !$0.isRead } ?? posts.count)
    return posts.suffix(max(limit, unread))
  }

  /// So many are looked through at once for those that are unread.
  private static var lookedThrough: Int { 1000 }

  /// Everybody in a conversation, this user among them, ascending.
  public func users(in conversation: ConversationID) throws -> [UserID] {
    try UserID.fetchAll(
      db, sql: "SELECT user FROM conversation_users WHERE conversation = ? ORDER BY user", arguments: [conversation])
  }

  /// A post, if it is here.
  public func post(_ id: PostID) throws -> Post? {
    try Row.fetchOne(db, sql: "SELECT * FROM said WHERE id = ?", arguments: [id]).map(post)
  }

  func post(at node: NodeID) throws -> PostID? {
    try PostID.fetchOne(db, sql: "SELECT id FROM posts WHERE node = ?", arguments: [node])
  }

  func post(_ row: Row) throws -> Post {
    let wire = try SealedPost(serializedBytes: row["post"] as Data)
    let sender: UserID = row["sender"]
    return Post(
      id: row["id"], conversation: row["conversation"], sender: sender, isOwn: try sender == requireAccount().user,
      text: wire.text, data: Array(wire.data), sent: row["sent"], isRead: row["read"], expires: row["expires"],
      hasFile: row["has_file"],
      node: row["node"])
  }

  /// Not what strangers have put into the inbox, nor what is over.
  func shownPosts() throws -> (sql: String, arguments: [any DatabaseValueConvertible]) {
    let strangers = try strangers()
    let marks = strangers.map { _ in "?" }.joined(separator: ", ")
    return ("(read OR sender NOT IN (\(marks))) AND (expires IS NULL OR expires > ?)", strangers + [try serverTime()])
  }
}
