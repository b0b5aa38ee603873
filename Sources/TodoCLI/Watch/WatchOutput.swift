import Glibc
import Sharing
import Signing
import TodoCore
import Treesystem

/// Prints news as it comes, each piece once.
struct WatchOutput {
  private let session: Session
  private let list: NodeID?
  /// Up to which news was printed.
  private var last: Int64
  private var lastInvite: Int

  /// What is here already is not printed.
  init(session: Session, list: NodeID?) throws {
    self.session = session
    self.list = list
    last = try session.read { try $0.lastNews() }
    lastInvite = try session.read { try $0.invites().map(\.number).max() ?? 0 }
  }

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
    last = news.last?.id ?? last
    lastInvite = invites.map(\.number).max() ?? lastInvite
    if session.voice.isRead, !items.isEmpty { try session.database.write { try $0.mark(items.map(\.news), as: .seen) } }
    return !session.voice.isReaderGone
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
