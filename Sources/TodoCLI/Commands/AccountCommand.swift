import ArgumentParser
import Sharing
import Treesystem

/// `todo account`
struct AccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account",
    abstract: "Show your account and what it depends on, delete it, or follow its server to another address.",
    usage: "todo account [delete | move --server <host>]",
    discussion: """
      Shows its id, this device, whether the recovery words were checked, and when it was synced; 'todo whoami' shows only who you are.

      Examples:
        todo account
        todo account move --server todo.example.com
        todo account delete
      """,
    subcommands: [DeleteAccountCommand.self, MoveAccountCommand.self])

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    try await session.syncIfAsked()
    try session.voice.tell(session.read { try AccountStatePage($0) })
  }
}

/// `todo account move --server HOST`
struct MoveAccountCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move",
    abstract: "Use your server under another address.",
    usage: "todo account move --server <host>",
    discussion: """
      The server there has to be the same, with all that this device knows of it. Nothing is moved; your other devices \
      need the same command.

      Example:
        todo account move --server todo.example.com
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("The new address: a name, or a URL.", valueName: "host"))
  var server: String

  func run() async throws {
    let session = try Session.open(options)
    _ = try session.requireAccount()
    try await session.withNewCloud(at: server) { try await $0.moveAccount(to: server) }
    try session.voice.tell(AccountPage(verb: "moved", try session.read { try $0.accountFacts() }))
  }
}
