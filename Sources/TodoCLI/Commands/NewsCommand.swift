import ArgumentParser
import Sharing
import TodoCore
import Treesystem

/// `todo news`
struct NewsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "news",
    abstract: "Show what others did and offered you, and what became of your devices, since you last looked.",
    usage: "todo news [--count]",
    discussion: """
      Examples:
        todo news
        todo news --count
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Print only how many changes there are, and leave them unseen.")
  var count = false

  func run() async throws {
    let session = try Session.open(options)
    _ = try await session.freshen()
    let unseen = try session.read { try $0.unseen() }
    if count { return try session.voice.tell(CountPage(count: try session.read { try $0.count(unseen) })) }
    try session.voice.tell(
      session.read {
        NewsPage(
          groups: try $0.groups(of: unseen.items), items: try $0.named(unseen.items), invites: unseen.invites,
          devices: try $0.named(unseen.devices), messages: try $0.named(unseen.messages))
      })
    if unseen.isEmpty { return }
    // What was printed, and nothing that came since.
    try session.markTold { transaction in
      try transaction.mark(unseen.items, as: .seen)
      try transaction.mark(unseen.invites, asTold: NewsState.seen.rawValue)
      try transaction.mark(unseen.devices, as: .seen)
      try transaction.mark(unseen.messages.flatMap(\.posts), as: .told)
    }
  }
}

/// What this person has not met yet.
private struct Unseen {
  let items: [News]
  let invites: [Invite]
  let devices: [DeviceChange]
  let messages: [UnreadMessages]

  var isEmpty: Bool { items.isEmpty && invites.isEmpty && devices.isEmpty && messages.isEmpty }
}

extension CloudTransaction {
  fileprivate func unseen() throws -> Unseen {
    Unseen(
      items: try news(below: .seen), invites: try invites(toldBelow: NewsState.seen.rawValue),
      devices: try deviceNews(below: .seen), messages: try unreadMessages(below: .told))
  }

  /// How many there are: of messages each counts.
  fileprivate func count(_ unseen: Unseen) throws -> Int {
    let messages = unseen.messages.reduce(0) { $0 + $1.posts.count }
    return try named(unseen.items).count + unseen.invites.count + unseen.devices.count + messages
  }
}

/// A number.
struct CountPage: Page {
  let count: Int

  func lines(_ style: Style) -> [String] { [String(count)] }

  var members: [JSON.Member] { [.init(key: "count", value: .int(Int64(count)))] }
}
