import ArgumentParser
import CloudAPI
import TodoCore
import Treesystem

/// `todo ls [<list>…]`
struct LsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "Show lists: open todos, and those done in the last 24 hours.",
    usage: "todo ls [<list>…] [--done | --all]",
    discussion: """
      Examples:
        todo ls
        todo ls Groceries --all
        todo ls --json
      """,
    aliases: ["list"])

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Show only what is done, however long ago.")
  var done = false

  @Flag(help: "Show everything, open and done.")
  var all = false

  @Argument(help: ArgumentHelp("Lists; all of them if none is named.", valueName: "list"))
  var lists: [String] = []

  func validate() throws {
    if done, all { throw ValidationError("--done and --all exclude each other") }
  }

  func run() async throws {
    let session = try Session.open(options)
    try await session.show { transaction in
      let contents = try transaction.contents(of: lists, done ? .done : all ? .all : .recent)
      return ListsPage(contents: contents, hints: contents.compactMap(\.end).hints)
    }
  }
}

/// Which todos of a list are shown.
enum Selection {
  /// Open ones, and those done in the last 24 hours.
  case recent
  case done
  case all
}

extension CloudTransaction {
  /// The lists that were named, or all, with their todos.
  func contents(of names: [String], _ selection: Selection) throws -> [ListContents] {
    let lists = names.isEmpty ? try lists() : try names.map(requireList)
    return try lists.map { try contents(of: $0, selection) }
  }

  private func contents(of list: TodoList, _ selection: Selection) throws -> ListContents {
    let day: Int64 = 24 * 60 * 60 * 1000
    let since = selection == .recent ? clock.now() - day : .min
    let open = selection == .done ? [] : try todos(in: list.node, .open)
    let done = try todos(in: list.node, .done, since: since)
    return ListContents(
      list: list, openCount: try todoCount(in: list.node, .open), others: try otherMembers(of: list, declining: false),
      todos: try named(open + done) { _ in list.name }, end: try end(of: list))
  }
}
