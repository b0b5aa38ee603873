import Sharing
import Signing
import TodoCore
import Treesystem

/// A conversation in one line.
struct NamedConversation {
  /// How to show the others in it.
  let names: [String]
  let users: [UserID]
  let unread: Int
  let latest: NamedPost
  let isRequest: Bool

  var json: JSON {
    [
      "users": .array(names.map { .string($0) }), "user_ids": .array(users.map { .string($0.description) }),
      "unread": .int(Int64(unread)), "request": .bool(isRequest), "latest": latest.json,
    ]
  }
}

/// Who talks with this person: those with the latest messages first, strangers apart.
struct ConversationsPage: Page {
  let conversations: [NamedConversation]

  func lines(_ style: Style) -> [String] {
    let known = conversations.filter { !$0.isRequest }
    let strangers = conversations.filter(\.isRequest)
    if conversations.isEmpty { return ["no messages yet"] }
    let header = strangers.isEmpty ? [] : ["from people whom you have not met:"]
    return rows(known, style) + header + rows(strangers, style).map { "  \($0)" }
  }

  private func rows(_ conversations: [NamedConversation], _ style: Style) -> [String] {
    let width = conversations.map { names($0).count }.max() ?? 0
    return conversations.map { conversation in
      let latest = conversation.latest
      let first = latest.post.textLines.first { !$0.isEmpty }.map(harmless) ?? ""
      let others = conversation.isRequest ? latest.alsoTo.map(harmless).joined(separator: ", ") : ""
      let marks = [latest.hasImage ? "[image]" : "", others.isEmpty ? "" : "· also to \(others)"]
      let what = ([Complaint.shortened(first)] + marks).filter { !$0.isEmpty }
      let who = latest.by == nil ? "you: " : conversation.users.count > 1 ? "\(harmless(latest.by ?? "")): " : ""
      let unread = conversation.unread == 0 ? "" : "  \(style.good("\(conversation.unread) unread"))"
      return style.heading(pad(names(conversation), to: width)) + unread
        + "  \(style.quiet(localTime(latest.post.sent)))  \(who)\(what.joined(separator: " "))"
    }
  }

  private func names(_ conversation: NamedConversation) -> String {
    conversation.names.map(harmless).joined(separator: ", ")
  }

  var members: [JSON.Member] { [.init(key: "conversations", value: .array(conversations.map(\.json)))] }

  var hints: [String] {
    conversations.first(where: \.isRequest).map { request in
      ["let them in with: todo chat --accept \(request.names[0]), or turn them away with --decline"]
    } ?? []
  }
}

/// What the same people said to each other.
struct ChatPage: Page {
  /// How to show the others in it.
  let names: [String]
  /// The oldest first.
  let messages: [NamedPost]
  let isRequest: Bool

  func lines(_ style: Style) -> [String] {
    if messages.isEmpty { return ["no messages yet"] }
    let width = messages.map { harmless($0.by ?? "you").count }.max() ?? 0
    return messages.flatMap { $0.lines(style, nameWidth: width, isRequest: isRequest) }
  }

  var members: [JSON.Member] {
    [
      .init(key: "users", value: .array(names.map { .string($0) })), .init(key: "request", value: .bool(isRequest)),
      .init(key: "messages", value: .array(messages.map(\.json))),
    ]
  }

  var hints: [String] {
    isRequest ? ["let them in with: todo chat --accept \(names[0]), or turn them away with --decline"] : []
  }
}

/// What became of a stranger's messages.
struct RequestPage: Page {
  let person: Person
  let isAccepted: Bool

  func lines(_ style: Style) -> [String] {
    let name = style.heading(harmless(person.display))
    return [isAccepted ? "let \(name) in (todo chat \(harmless(person.display)))" : "turned \(name) away"]
  }

  var members: [JSON.Member] {
    [
      .init(key: "user", value: .string(person.handle)), .init(key: "user_id", value: .string(person.user.description)),
      .init(key: "accepted", value: .bool(isAccepted)),
    ]
  }
}

/// A picture out of a conversation that was saved.
struct SavedMessageImagePage: Page {
  let path: String
  let message: NamedPost

  func lines(_ style: Style) -> [String] {
    ["saved \(harmless(path)), \(shortSize(message.image?.bytes ?? 0))"]
  }

  var members: [JSON.Member] {
    [.init(key: "file", value: .string(path)), .init(key: "message", value: message.json)]
  }
}

extension CloudTransaction {
  /// All conversations, and what strangers say.
  func conversationsPage() throws -> ConversationsPage {
    let unread = try unreadMessages()
    func named(_ users: [UserID], _ latest: Post, isRequest: Bool) throws -> NamedConversation {
      let count = unread.filter { $0.users == users && $0.isRequest == isRequest }.reduce(0) { $0 + $1.posts.count }
      return NamedConversation(
        names: try users.map { try displayName(of: $0) }, users: users, unread: count,
        latest: try self.named([latest])[0], isRequest: isRequest)
    }
    let known = try conversations().map { try named($0.users, $0.latest, isRequest: false) }
    let asked = try requests().compactMap { request in
      try request.posts.last.map { try named([request.sender], $0, isRequest: true) }
    }
    return ConversationsPage(conversations: known + asked)
  }

  /// The latest messages of a conversation, all that are unread among them, and whether they are a stranger's.
  func chat(with people: [Person], limit: Int) throws -> (posts: [Post], isRequest: Bool) {
    let users = people.map(\.user).sorted()
    if let conversation = try conversations().first(where: { $0.users == users && $0.topic == nil }) {
      return (try messagesWithUnread(of: conversation, limit: limit), false)
    }
    let request = try requests().first { [$0.sender] == users }
    // All of it is unread.
    return (request?.posts ?? [], request != nil)
  }
}
