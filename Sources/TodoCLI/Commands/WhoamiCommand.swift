import ArgumentParser
import Treesystem

/// `todo whoami`
struct WhoamiCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "whoami",
    abstract: "Show who you are here: your name and your server.",
    usage: "todo whoami",
    discussion: """
      'todo account' shows more.

      Example:
        todo whoami --json
      """)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    try await session.syncIfAsked()
    try session.voice.tell(AccountPage(try session.read { try $0.accountFacts() }))
  }
}
