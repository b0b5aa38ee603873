import ArgumentParser
import CloudAPI

/// `todo`: the commands. Each is in a file of its own.
struct TodoCommand: AsyncParsableCommand {
  static let version = programVersion

  static let configuration = CommandConfiguration(
    commandName: "todo",
    abstract: "Todo lists for the terminal that people share, encrypted on their own machines.",
    usage: """
      todo                      what is open
      todo <list>               one list
      todo <command> …          see below
      """,
    discussion: """
      Examples:
        todo add "buy milk"
        todo add Groceries eggs "oat milk"
        todo done k3fa
        todo share Groceries --with bob

      There is more to read: 'todo help <command>', and 'todo help' dates, filters, references, scripts or exit.
      """,
    version: version,
    groupedSubcommands: [
      CommandGroup(
        name: "Todo",
        subcommands: [
          AddCommand.self, LsCommand.self, TodayCommand.self, SearchCommand.self, ShowCommand.self, DoneCommand.self,
          UndoneCommand.self, EditCommand.self,
          MvCommand.self, CommentCommand.self, RmCommand.self, RestoreCommand.self, UndoCommand.self, TrashCommand.self,
          ImageCommand.self,
          ListsCommand.self, LogCommand.self, ImportCommand.self, ExportCommand.self,
        ]),
      CommandGroup(
        name: "Sharing",
        subcommands: [
          ShareCommand.self, UnshareCommand.self, MembersCommand.self, LeaveCommand.self, InvitesCommand.self,
          AcceptCommand.self, DeclineCommand.self, UsersCommand.self, MessageCommand.self, ChatCommand.self,
          NewsCommand.self, WatchCommand.self,
        ]),
      CommandGroup(
        name: "Account",
        subcommands: [
          SignupCommand.self, LoginCommand.self, LogoutCommand.self, RecoveryCommand.self, WhoamiCommand.self,
          AccountCommand.self, DevicesCommand.self, SyncCommand.self, StatusCommand.self, DoctorCommand.self,
          LockCommand.self, UnlockCommand.self,
          ConfigCommand.self, CompletionsCommand.self,
        ]),
      CommandGroup(
        name: "Other",
        subcommands: [OverviewCommand.self, VersionCommand.self, CompleteCommand.self]),
    ])

  /// The verbs of each command, by all names of the command.
  static var verbs: [String: [String]] {
    var verbs: [String: [String]] = [:]
    for command in configuration.subcommands {
      for name in names(of: command) { verbs[name] = self.verbs(of: command) }
    }
    return verbs
  }

  /// All names of a command.
  static func names(of command: any ParsableCommand.Type) -> [String] {
    [command.configuration.commandName ?? ""] + command.configuration.aliases
  }

  /// The verbs of a command; none where it has none.
  static func verbs(of command: any ParsableCommand.Type) -> [String] {
    command.configuration.subcommands.map { $0.configuration.commandName ?? "" }
  }
}
