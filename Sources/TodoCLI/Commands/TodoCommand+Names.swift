import ArgumentParser

extension TodoCommand {
  /// What to say of a list whose name is a command's: the first word is that.
  static func hints(ofListNamed name: String) -> [String] {
    guard name == "help" || command(named: name) != nil else { return [] }
    return ["'todo \(name)' is a command; the list is shown by: todo ls \(shellQuoted(name))"]
  }

  /// Parses the arguments of one command. Where something is wrong with them, the whole program says what.
  static func parse(command arguments: [String]) throws -> any ParsableCommand {
    if let name = arguments.first, let type = command(named: name),
      let command = try? type.parseAsRoot(Array(arguments.dropFirst())), isOne(command, of: type)
    {
      return command
    }
    return try parseAsRoot(arguments)
  }

  /// Whether it is the command or a verb of it, and not what ArgumentParser makes of a wish for help: that has to know the program.
  private static func isOne(_ command: any ParsableCommand, of type: any ParsableCommand.Type) -> Bool {
    ([type] + type.configuration.subcommands).contains { $0 == Swift.type(of: command) }
  }

  /// A command by one of its names. They stand here once more, because to ask every command for its own takes longer than to add a
  /// todo; a test compares.
  static func command(named name: String) -> (any ParsableCommand.Type)? {
    switch name {
    case "add": AddCommand.self
    case "ls", "list": LsCommand.self
    case "today": TodayCommand.self
    case "search": SearchCommand.self
    case "show": ShowCommand.self
    case "done", "complete": DoneCommand.self
    case "undone": UndoneCommand.self
    case "edit": EditCommand.self
    case "mv": MvCommand.self
    case "comment": CommentCommand.self
    case "rm": RmCommand.self
    case "restore": RestoreCommand.self
    case "undo": UndoCommand.self
    case "trash": TrashCommand.self
    case "image": ImageCommand.self
    case "lists": ListsCommand.self
    case "log": LogCommand.self
    case "import": ImportCommand.self
    case "export": ExportCommand.self
    case "share": ShareCommand.self
    case "unshare": UnshareCommand.self
    case "members": MembersCommand.self
    case "leave": LeaveCommand.self
    case "invites": InvitesCommand.self
    case "accept": AcceptCommand.self
    case "decline": DeclineCommand.self
    case "users": UsersCommand.self
    case "message": MessageCommand.self
    case "chat": ChatCommand.self
    case "news": NewsCommand.self
    case "watch": WatchCommand.self
    case "signup": SignupCommand.self
    case "login": LoginCommand.self
    case "logout": LogoutCommand.self
    case "recovery": RecoveryCommand.self
    case "whoami": WhoamiCommand.self
    case "account": AccountCommand.self
    case "devices": DevicesCommand.self
    case "sync": SyncCommand.self
    case "status": StatusCommand.self
    case "doctor": DoctorCommand.self
    case "lock": LockCommand.self
    case "unlock": UnlockCommand.self
    case "config": ConfigCommand.self
    case "completions": CompletionsCommand.self
    case FirstWord.overviewName: OverviewCommand.self
    case "version": VersionCommand.self
    case "complete-words": CompleteCommand.self
    default: nil
    }
  }
}
