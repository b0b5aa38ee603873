import ArgumentParser
import Glibc
import TodoCore
import Treesystem

/// `todo watch [<list>]`
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show what others do, as it happens; Ctrl-C ends it.",
    usage: "todo watch [<list>]",
    discussion: """
      With --json each change is one line, for scripts. What you change meanwhile is sent too.

      Examples:
        todo watch
        todo watch Groceries --json
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "Only this list.")
  var list: String?

  func run() async throws {
    guard options.sync != false else {
      throw Complaint.usage("'todo watch' cannot keep off the network", hint: "leave out --no-sync")
    }
    let session = try Session.open(options)
    let account = try session.requireAccount()
    let list = try list.map { name in try session.read { try $0.requireList(name) } }
    let (cloud, answers) = try session.cloud(at: account.server)
    let output = try WatchOutput(session: session, list: list?.node)
    let watch = Watch(session: session, account: account, cloud: cloud, answers: answers, screen: output)
    if try await Interruption.of({ try await watch.run() }) { Glibc.exit(Exit.interrupted.rawValue) }
  }
}
