import ArgumentParser
import TodoCore
import Treesystem

/// `todo news`
struct NewsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "news",
    abstract: "Show what others did since you last looked.",
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
    let items = try session.read { try $0.news(below: .seen) }
    if count { return try session.voice.tell(CountPage(count: try session.read { try $0.named(items).count })) }
    try session.voice.tell(
      session.read { NewsPage(groups: try $0.groups(of: items), items: try $0.named(items)) })
    // What was printed, and nothing that came since.
    if !items.isEmpty { try session.database.write { try $0.mark(items, as: .seen) } }
  }
}

/// A number.
struct CountPage: Page {
  let count: Int

  func lines(_ style: Style) -> [String] { [String(count)] }

  var members: [JSON.Member] { [.init(key: "count", value: .int(Int64(count)))] }
}
