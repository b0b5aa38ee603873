import Glibc
import Sharing
import Signing
import TodoCore
import Treesystem

/// Prints news as it comes, each piece once.
struct WatchOutput: WatchScreen {
  private let session: Session
  private let list: NodeID?
  /// Up to which news was printed.
  private var last: Int64
  private var lastInvite: Int
  /// What was said and is printed already.
  private var said: Set<PostID>

  /// What is here already is not printed.
  init(session: Session, list: NodeID?) throws {
    self.session = session
    self.list = list
    last = try session.read { try $0.lastNews() }
    lastInvite = try session.read { try $0.invites().map(\.number).max() ?? 0 }
    said = try Set(session.read { try $0.unreadMessages() }.flatMap(\.posts).map(\.id))
  }

  func note(_ text: String) { session.voice.note(text) }

  /// Prints what has come since. False: nobody reads it any more.
  mutating func tellNews() throws -> Bool {
    let (news, items, invites) = try session.read { transaction in
      let news = try transaction.news(since: last)
      return (
        news, try transaction.named(news.filter { list == nil || $0.list == list }),
        list == nil ? try transaction.invites().filter { $0.number > lastInvite } : []
      )
    }
    for item in items where try !session.voice.tell(line: item.line, json: item.event) { return false }
    for invite in invites where try !session.voice.tell(line: invite.line, json: invite.event) { return false }
    if list == nil, try !tellMessages() { return false }
    last = news.last?.id ?? last
    lastInvite = invites.map(\.number).max() ?? lastInvite
    if session.voice.isRead, !items.isEmpty { try session.database.write { try $0.mark(items.map(\.news), as: .seen) } }
    return !session.voice.isReaderGone
  }

  private mutating func tellMessages() throws -> Bool {
    let unread = try session.read { try $0.unreadMessages() }
    for messages in unread {
      let new = messages.posts.filter { !said.contains($0.id) }
      for message in try session.read({ try $0.named(new) }) {
        let event = ArrivedMessage(message: message, isRequest: messages.isRequest)
        if try !session.voice.tell(line: event.line, json: event.json) { return false }
        said.insert(message.post.id)
      }
      if session.voice.isRead, !new.isEmpty { try session.database.write { try $0.mark(new, as: .told) } }
    }
    return true
  }
}

/// A message, as a watch shows it.
private struct ArrivedMessage {
  let message: NamedPost
  let isRequest: Bool

  /// `bob says: which sauce?`
  func line(_ style: Style) -> String {
    let who = style.heading(harmless(message.by ?? "you")) + (isRequest ? ", whom you have not met, says: " : " says: ")
    return who + harmless(message.post.text) + (message.image == nil ? "" : style.quiet(" [image]"))
  }

  var json: JSON {
    [
      "schema": 1, "kind": "message", "time": .time(message.post.sent), "request": .bool(isRequest),
      "message": message.json,
    ]
  }
}

extension NamedNews {
  /// `bob added k3fa BBQ sauce · Groceries`
  func line(_ style: Style) -> String {
    let who = style.heading(harmless(by ?? "somebody"))
    if news.kind.isAboutPeople { return "\(who) \(harmless(aboutPeople))" }
    if news.isAboutList { return "\(who) \(harmless(aboutList))" }
    let id = todo.map { style.id($0.shortID) + " " } ?? ""
    let before = news.kind == .retitled ? style.quiet(", before: \(harmless(news.detail))") : ""
    return "\(who) \(news.verb) \(id)\(harmless(news.title))\(before)\(style.quiet(" · \(harmless(list.name))"))"
  }

  /// On one line of a script.
  var event: JSON { json.with("schema", 1) }
}

extension Invite {
  /// `bob offers Groceries (todo accept 1)`
  fileprivate func line(_ style: Style) -> String {
    let what = "offers \(harmless(title)) \(style.quiet("(todo accept \(number))"))"
    return "\(style.heading(harmless(senderName))) \(what)"
  }

  fileprivate var event: JSON {
    [
      "schema": 1, "kind": "invited", "time": .time(received), "by": .string(senderName),
      "by_user": .string(sender.description), "number": .int(Int64(number)), "title": .string(title),
    ]
  }
}

extension JSON {
  /// An object with one more member in front.
  fileprivate func with(_ key: String, _ value: JSON) -> JSON {
    guard case .object(let members) = self else { return self }
    return .object([Member(key: key, value: value)] + members)
  }
}
