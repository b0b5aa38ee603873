import ArgumentParser
import TodoCore
import Treesystem

/// `todo log [<todo|list>]`
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "Show who did what when, the latest first: on all lists, on one, or to one todo.",
    usage: "todo log [<todo|list>] [-n <count>]",
    discussion: """
      The last 20 changes, yours and others', and what was said. This device keeps the last 300 of each kind that somebody did on a list, as long as that list \
      is here, and every comment as long as its todo is; what was done before it had the list it does not know.

      Examples:
        todo log
        todo log Groceries -n 100
        todo log k3fa
        todo log "Groceries/oat milk" --json
      """)

  @OptionGroup var options: GlobalOptions

  @Option(name: .customShort("n"), help: ArgumentHelp("How many changes to show.", valueName: "count"))
  var count: Int?

  @Argument(
    help: ArgumentHelp(
      "A list, or a todo: its id or the beginning of it, List/title, or its title.", valueName: "todo|list"))
  var subject: String?

  func validate() throws {
    if let count, count < 1 { throw ValidationError("-n takes a number from 1") }
  }

  func run() async throws {
    let session = try Session.open(options)
    try await session.show { transaction in
      LogPage(changes: try transaction.named(transaction.log(of: subject, limit: count ?? 20)))
    }
  }
}

extension CloudTransaction {
  /// What was done to whatever somebody named, or on all lists.
  fileprivate func log(of name: String?, limit: Int) throws -> [News] {
    guard let name else { return try log(limit: limit) }
    switch try findList(name) {
    case .one(let list): return try log(of: list.node, limit: limit)
    case .unknown(let similar):
      switch try findTodo(name) {
      // What is done or in the trash has a past as well.
      case .otherState(let todos) where todos.count == 1: return try log(of: todos[0], limit: limit)
      case .unknown where !similar.isEmpty: throw Complaint.unknownList(name, similar: similar)
      default: return try log(of: requireTodo(name), limit: limit)
      }
    }
  }
}
