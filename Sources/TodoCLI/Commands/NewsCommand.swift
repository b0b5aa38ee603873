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
    let (items, invites, devices) = try session.read { transaction in
      (
        try transaction.news(below: .seen), try transaction.invites(toldBelow: NewsState.seen.rawValue),
        try transaction.deviceNews(below: .seen)
      )
    }
    if count {
      return try session.voice.tell(
        CountPage(count: try session.read { try $0.named(items).count } + invites.count + devices.count))
    }
    try session.voice.tell(
      session.read {
        NewsPage(
          groups: try $0.groups(of: items), items: try $0.named(items), invites: invites, devices: try $0.named(devices)
        )
      })
    if items.isEmpty, invites.isEmpty, devices.isEmpty { return }
    // What was printed, and nothing that came since.
    try session.database.write { transaction in
      try transaction.mark(items, as: .seen)
      try transaction.mark(invites, asTold: NewsState.seen.rawValue)
      try transaction.mark(devices, as: .seen)
    }
  }
}

/// A number.
struct CountPage: Page {
  let count: Int

  func lines(_ style: Style) -> [String] { [String(count)] }

  var members: [JSON.Member] { [.init(key: "count", value: .int(Int64(count)))] }
}
