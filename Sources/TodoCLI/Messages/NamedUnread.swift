import Sharing
import Signing
import TodoCore
import Treesystem

/// What was said to this person and not shown to them yet, with names.
struct NamedUnread {
  let unread: UnreadMessages
  /// How to show the others in it.
  let names: [String]
  /// The handle of who said the latest.
  let by: String

  /// When the latest was said.
  var time: Int64 { unread.posts.last?.sent ?? 0 }

  /// `2 messages from bob (todo chat bob)`
  var sentence: String {
    let messages = "\(counted(unread.posts.count, "message")) from \(names.joined(separator: ", "))"
    return unread.isRequest
      ? "\(messages), whom you have not met (todo chat)" : "\(messages) (todo chat \(names.joined(separator: " ")))"
  }

  var json: JSON {
    [
      "by": .string(by), "by_user": .text(unread.posts.last?.sender.description),
      "users": .array(names.map { .string($0) }), "unread": .int(Int64(unread.posts.count)),
      "request": .bool(unread.isRequest), "time": .time(time),
    ]
  }
}

extension CloudTransaction {
  /// Adds names to what was said.
  func named(_ messages: [UnreadMessages]) throws -> [NamedUnread] {
    try messages.map { unread in
      NamedUnread(
        unread: unread, names: try unread.users.map { try displayName(of: $0) },
        by: try unread.posts.last.map { try displayName(of: $0.sender) } ?? "somebody")
    }
  }
}
