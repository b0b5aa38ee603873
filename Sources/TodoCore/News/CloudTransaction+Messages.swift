import GRDB
public import Sharing
public import Signing
public import Treesystem

/// How much this person has met of what somebody said to them.
public enum MessageState: Int64, Sendable {
  case new = 0
  /// One line said that there is something.
  case noticed = 1
  /// It was counted among the news.
  case told = 2
}

/// What the same people have said to each other, and this person has not met yet in some way.
public struct UnreadMessages: Hashable, Sendable {
  /// The others in it, ascending.
  public let users: [UserID]
  /// At least one, oldest first.
  public let posts: [Post]
  /// Whether they come from somebody of whom this person has not heard before.
  public let isRequest: Bool
}

extension CloudTransaction {
  /// So many of one conversation are looked through for those that are new.
  private static var lookedThrough: Int { 1000 }

  /// What others have said and this person has not read, by conversation, requests last.
  /// - Parameter state: leaves out what they have met in this way already.
  public func unreadMessages(below state: MessageState? = nil) throws -> [UnreadMessages] {
    guard try account() != nil else { return [] }
    func isUnmet(_ post: Post) throws -> Bool {
      guard !post.isRead, let state else { return !post.isRead }
      return try messageState(of: post) < state.rawValue
    }
    let said = try conversations().filter { $0.unread > 0 }.map { conversation in
      UnreadMessages(
        users: conversation.users,
        posts: try messages(in: conversation.id, limit: Self.lookedThrough).filter(isUnmet), isRequest: false)
    }
    let asked = try requests().map {
      UnreadMessages(users: [$0.sender], posts: try $0.posts.filter(isUnmet), isRequest: true)
    }
    return (said + asked).filter { !$0.posts.isEmpty }
  }

  /// Remembers that this person has met messages.
  public func mark(_ posts: [Post], as state: MessageState) throws {
    for post in posts {
      try db.execute(
        sql: """
          INSERT INTO message_news (post, state) VALUES (?, ?)
          ON CONFLICT DO UPDATE SET state = max(state, excluded.state)
          """, arguments: [post.id, state.rawValue])
    }
  }

  private func messageState(of post: Post) throws -> Int64 {
    try Int64.fetchOne(db, sql: "SELECT state FROM message_news WHERE post = ?", arguments: [post.id]) ?? 0
  }
}
