import Sharing
import Signing
import TodoCore
import Treesystem

/// A piece of news with the names in it, as people here know them.
struct NamedNews {
  let news: News
  /// Who did it.
  let deed: NamedDeed
  let list: TodoList
  let todo: Todo?
  /// Whether it is about people, and about this one.
  var isAboutMe = false

  /// A handle; nil where nobody can tell, and "you" for oneself.
  var by: String? { deed.by }

  /// What became of a list itself, without who did that.
  var aboutList: String {
    switch news.kind {
    case .closed: "deleted \(list.name) for everybody (todo lists keep \(shellQuoted(list.name)))"
    case .retitled: "renamed \(news.detail) to \(news.title)\(taking(news.title))"
    default: "changed \(list.name)"
    }
  }

  /// How to take a title for one's own name of a list, where that stayed what it was.
  func taking(_ title: String) -> String {
    guard title == list.otherTitle else { return "" }
    return " (here it stays \(list.name): todo lists rename \(shellQuoted(list.name)) \(shellQuoted(title)))"
  }

  /// As scripts see it.
  var json: JSON { .object([.init(key: "id", value: .int(news.id))] + members) }

  /// The same without its number.
  var members: [JSON.Member] {
    [
      .init(key: "kind", value: .string(news.kind.rawValue)), .init(key: "time", value: .time(news.time)),
      .init(key: "by", value: .text(by)), .init(key: "by_user", value: .text(news.author?.description)),
      .init(key: "via", value: .text(deed.via)), .init(key: "via_user", value: .text(news.via?.description)),
      .init(key: "list", value: .string(list.name)), .init(key: "list_id", value: .string(list.id)),
      .init(key: "todo", value: .text(todo?.ownID.text)), .init(key: "short_id", value: .text(todo?.shortID)),
      .init(key: "title", value: .string(news.title)),
      .init(key: "title_before", value: news.kind == .retitled ? .string(news.detail) : .null),
      .init(key: "user", value: news.kind.isAboutPeople ? .string(news.title) : .null),
      .init(key: "role", value: news.kind.isAboutPeople ? .string(news.detail) : .null),
      .init(
        key: "image", value: .text(news.isImageAttached ? "attached" : news.isImageRemoved ? "removed" : nil)),
      .init(key: "comment", value: news.kind == .commented ? .string(news.detail) : .null),
    ]
  }
}

extension NamedNews {
  /// `took bob off Groceries`, without who did that.
  var aboutPeople: String {
    let whom = isAboutMe ? "you" : news.title
    return switch news.kind {
    case .joined where by == whom: "joined \(list.name)"
    case .joined: "added \(whom) to \(list.name)"
    case .handedOver where by == whom: "took over \(list.name)"
    case .left: "left \(list.name)"
    case .unshared: "took \(whom) off \(list.name)"
    case .declined: news.detail == Role.owner.rawValue ? "does not want to own \(list.name)" : "declined \(list.name)"
    case .roleChanged:
      "made \(whom) \(news.detail == "editor" || news.detail == "admin" ? "an" : "a") \(news.detail) of \(list.name)"
    default: "gave \(list.name) to \(whom)"
    }
  }
}

/// News of one kind, by one person, on one list: one sentence.
struct NewsGroup {
  /// At least one, oldest first.
  var items: [NamedNews]

  /// `bob added 2 things to Groceries`
  var sentence: String {
    let item = items[0]
    let who = item.deed.subject
    if item.news.kind.isAboutPeople { return "\(who) \(items[items.count - 1].aboutPeople)" }
    if item.news.isAboutList {
      return "\(who) \(item.news.kind == .retitled ? renaming : item.aboutList)"
    }
    let things = things
    let what = things.count == 1 ? things[0].title : "\(things.count) things"
    return "\(who) \(item.news.verb) \(what) \(item.news.kind.preposition) \(item.list.name)"
  }

  /// `renamed Groceries to Food`; or what it was called in between, if that is what it is called again.
  private var renaming: String {
    let (before, after) = (items[0].news.detail, items[items.count - 1].news.title)
    guard before == after else { return "renamed \(before) to \(after)\(items[0].taking(after))" }
    return "renamed \(before) to \(items[items.count - 1].news.detail) and back"
  }

  /// The titles, where the sentence does not say them.
  var titles: String {
    if items[0].news.kind == .commented { return ": " + items.map(\.news.detail).joined(separator: " / ") }
    let things = things
    guard things.count > 1, !items[0].news.isAboutList else { return "" }
    let first = things.prefix(3).map(\.title)
    return ": " + (first + (things.count > 3 ? ["…"] : [])).joined(separator: ", ")
  }

  /// Each todo once, however often it was changed, with its latest title.
  private var things: [News] {
    var things: [News] = []
    for item in items {
      if let index = things.firstIndex(where: { $0.node != nil && $0.node == item.news.node }) {
        things[index] = item.news
      } else {
        things.append(item.news)
      }
    }
    return things
  }
}

extension News {
  /// In the past tense.
  var verb: String {
    isImageAttached ? "attached an image to" : isImageRemoved ? "took the image off" : kind.verb
  }
}

extension News.Kind {
  /// In the past tense.
  var verb: String {
    switch self {
    case .added: "added"
    case .retitled: "renamed"
    case .done: "ticked"
    case .reopened: "reopened"
    case .removed: "removed"
    case .restored: "restored"
    case .edited: "changed"
    case .commented: "commented on"
    case .joined: "added"
    case .left: "left"
    case .unshared: "took off"
    case .roleChanged: "gave a role to"
    case .handedOver: "gave it to"
    case .declined: "declined"
    case .closed: "deleted"
    }
  }

  fileprivate var preposition: String {
    switch self {
    case .added: "to"
    case .removed: "from"
    default: "on"
    }
  }
}

/// What others did, in sentences.
struct NewsPage: Page {
  let groups: [NewsGroup]
  let items: [NamedNews]
  /// Those of which this person was not told yet.
  var invites: [Invite] = []
  /// What became of this person's own devices.
  var devices: [NamedDeviceNews] = []
  /// What was said to this person, and not shown to them yet.
  var messages: [NamedUnread] = []

  func lines(_ style: Style) -> [String] {
    if groups.isEmpty, invites.isEmpty, devices.isEmpty, messages.isEmpty { return ["no news"] }
    return devices.map { "\(style.quiet(localTime($0.news.time)))  \(harmless($0.sentence))" } + offers(style)
      + messages.map { "\(style.quiet(localTime($0.time)))  \(harmless($0.sentence))" }
      + groups.map { group in
        let time = localTime(group.items.last?.news.time ?? 0)
        return "\(style.quiet(time))  \(harmless(group.sentence))\(style.quiet(harmless(group.titles)))"
      }
  }

  private func offers(_ style: Style) -> [String] {
    invites.map { "\(style.quiet(localTime($0.received)))  \(harmless($0.sentence))" }
  }

  var members: [JSON.Member] {
    let invites: [JSON] = invites.map {
      [
        "number": .int(Int64($0.number)), "title": .string($0.title), "by": .string($0.senderName),
        "by_user": .string($0.sender.description), "role": .string($0.role.rawValue), "time": .time($0.received),
      ]
    }
    return [
      .init(key: "news", value: .array(items.map(\.json))), .init(key: "invites", value: .array(invites)),
      .init(key: "devices", value: .array(devices.map(\.json))),
      .init(key: "messages", value: .array(messages.map(\.json))),
    ]
  }
}

extension Invite {
  /// `alice offers you Groceries (todo accept 1)`
  var sentence: String {
    let what = isOwnership ? "wants to make you the owner of \(title)" : "offers you \(title)"
    return "\(senderName) \(what) (todo accept \(number))"
  }
}

extension CloudTransaction {
  /// Adds names to news. What is about a list that is not here any more is left out.
  func named(_ news: [News]) throws -> [NamedNews] {
    guard !news.isEmpty else { return [] }
    var handles = try Handles(self)
    let me = try account()?.user
    let mine = try me.map { try displayName(of: $0) }
    let lists = try Dictionary(lists().map { ($0.node, $0) }) { first, _ in first }
    return try news.compactMap { item -> NamedNews? in
      guard let list = lists[item.list] else { return nil }
      let deed = item.isOwn ? NamedDeed.own : try handles.named(Deed(item.author, via: item.via))
      let found = item.isAboutList ? nil : try item.node.flatMap { try self.todo($0) }
      return NamedNews(
        news: item, deed: deed, list: list, todo: found, isAboutMe: item.kind.isAboutPeople && item.title == mine)
    }
  }

  /// Puts together what makes one sentence; the latest last.
  func groups(of news: [News]) throws -> [NewsGroup] {
    struct Key: Hashable {
      let author: UserID?
      let via: UserID?
      let list: NodeID
      let kind: News.Kind
      let isAboutList: Bool
      let isImageAttached: Bool
      let isImageRemoved: Bool
      /// Whom it is about, where it is about people: each makes a sentence.
      let person: String?
      /// What it is about, where somebody said something: each makes a sentence.
      let commented: NodeID?
    }
    var groups: [Key: NewsGroup] = [:]
    for item in try named(news) {
      let key = Key(
        author: item.news.author, via: item.news.via, list: item.news.list, kind: item.news.kind,
        isAboutList: item.news.isAboutList,
        isImageAttached: item.news.isImageAttached, isImageRemoved: item.news.isImageRemoved,
        person: item.news.kind.isAboutPeople ? item.news.title : nil,
        commented: item.news.kind == .commented ? item.news.node : nil)
      groups[key, default: NewsGroup(items: [])].items.append(item)
    }
    return groups.values.sorted { ($0.items.last?.news.id ?? 0) < ($1.items.last?.news.id ?? 0) }
  }
}
