public import CloudAPI
public import Signing
public import Treesystem

/// What one person has said to others.
public struct Post: Hashable, Sendable {
  /// The same on every device of everybody who has it.
  public let id: PostID
  /// Where it belongs.
  public let conversation: ConversationID
  /// Who has signed it.
  public let sender: UserID
  /// Whether this user has.
  public let isOwn: Bool
  /// As the sender typed it: it may contain anything.
  public let text: String
  /// The app's.
  public let data: [UInt8]
  /// Milliseconds since 1970, by the sender's clock.
  public let sent: Int64
  /// Whether this user has read it, on any of their devices; of one's own always.
  public let isRead: Bool
  /// When it goes, in milliseconds since 1970; nil: never.
  public let expires: Int64?
  /// Whether a file goes with it, known before that can be had.
  public let hasFile: Bool
  /// Where it lies now; nil while a new device knows it by the server's word only, and has not read that far. Its file, if it has one, is that node's (`CloudTransaction.file(of:)` of Treesystem).
  public let node: NodeID?
}

/// All that the same people say to each other about one thing.
public struct Conversation: Hashable, Sendable {
  /// The same for each of them.
  public let id: ConversationID
  /// The others in it, ascending.
  public let users: [UserID]
  /// What it is about, where that was said: the same people may have several conversations.
  public let topic: CloudID?
  /// How many posts this user has not read.
  public let unread: Int
  /// The latest post.
  public let latest: Post
}

/// Somebody of whom this user has not heard before, and what they say.
public struct MessageRequest: Hashable, Sendable {
  /// Who they are.
  public let sender: UserID
  /// How to show them.
  public let name: String
  /// What they have said so far, the oldest first.
  public let posts: [Post]
}

/// What became of a post on its way to one of those whom it is for.
public enum Delivery: Hashable, Sendable {
  /// It waits here, perhaps until there is room in their inbox.
  case queued
  /// It lies in their inbox, or has lain there.
  case delivered
  /// It was to be burnt, and they had taken it out of their inbox.
  case read
  /// It was taken back before they had read it.
  case burnt
  /// The server does not take it for them. It is kept here and can be tried again.
  case refused(Refusal)
  /// It will not be sent: it was given up here, or they have no account any more.
  case givenUp
}

/// What happened to what people say to each other, to an app that wants to hear it.
public enum MessageEvent: Hashable, Sendable {
  /// Somebody has said something. A request comes from somebody of whom this user has not heard before, and is shown apart.
  case arrived(Post, isRequest: Bool)
  /// Somebody's device says something that is not kept.
  case signal([UInt8], from: UserID)
  /// This user has read it, on another of their devices.
  case read(PostID)
  /// It lies in this user's inbox.
  case delivered(PostID, to: UserID)
  /// It was taken back before this user had read it.
  case burnt(PostID, of: UserID)
  /// Whoever had said it took it back, or another device of this user's deleted it.
  case gone(PostID)
  /// The server does not take it for this user.
  case refused(PostID, to: UserID, Refusal)
}
