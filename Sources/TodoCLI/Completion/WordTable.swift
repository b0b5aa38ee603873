import Dates
import TodoCore

/// Which kind of word goes where.
enum WordTable {
  /// By command: the kinds of its words in order, of which the last one repeats.
  static let arguments = [String: [WordKind]](uniqueKeysWithValues: [
    ("add", [.list, .none]), ("ls", [.filteredList]), ("list", [.filteredList]), ("today", [.filter]),
    ("search", [.filter]),
    ("show", [.todo(.open), .none]), ("log", [.filteredTodo(.open), .none]), ("done", [.filteredTodo(.open)]),
    ("undone", [.filteredTodo(.done)]), ("edit", [.filteredTodo(.open)]), ("mv", [.todo(.open)]),
    ("comment", [.todo(.open), .none]), ("rm", [.filteredTodo(.open)]), ("restore", [.todo(.trash)]),
    ("trash empty", [.list]), ("image add", [.todo(.open), .file]), ("image show", [.todo(.open), .none]),
    ("image save", [.todo(.open), .file]), ("image rm", [.todo(.open), .none]), ("lists rename", [.list, .none]),
    ("lists merge", [.list, .none]), ("lists clear", [.list]), ("lists rm", [.list, .none]),
    ("lists keep", [.list, .none]),
    ("share", [.list, .none]), ("unshare", [.list, .none]), ("members", [.list, .none]), ("leave", [.list, .none]),
    ("accept", [.invite, .none]), ("decline", [.invite, .none]), ("users", [.user, .none]),
    ("users verify", [.user, .none]),
    ("users block", [.user]), ("users unblock", [.user]), ("message", [.user, .none]), ("chat", [.user, .none]),
    ("watch", [.list, .none]), ("config", [.setting, .none]), ("devices revoke", [.device]),
    ("devices rename", [.device, .none]),
    ("help", [.command, .none]), ("completions", [.one(of: ["bash", "zsh", "fish"]), .none]),
    ("import", [.file, .none]), ("export", [.file, .none]),
  ])

  /// By option: the kind of what follows it.
  static let options = [String: WordKind](uniqueKeysWithValues: [
    ("--due", .date), ("--start", .date), ("--priority", .one(of: ["high", "medium", "low", "none"])),
    ("--assign", .member),
    ("--repeat", .one(of: ["daily", "weekly", "monthly", "yearly", "every workday", "every 2 weeks", "none"])),
    ("--tag", .tag), ("--untag", .tag), ("--under", .todo(.open)), ("--after", .todo(.open)), ("--to", .list),
    ("--into", .list),
    ("--with", .user), ("--role", .one(of: ["viewer", "editor", "admin", "owner"])), ("--image", .file),
    ("--out", .file),
    ("--sort", .one(of: TodoOrder.allCases.map(\.rawValue))), ("--list", .list),
    ("--format", .one(of: ["json", "todotxt", "taskwarrior", "ical", "markdown"])),
  ])

  /// Dates that are often meant.
  static let dates = ["today", "tomorrow", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "next week", "eom", "none"]
}
