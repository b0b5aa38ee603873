import ArgumentParser
import CloudAPI
import TodoCore
import Treesystem

/// `todo ls [<list>…] [+<tag>…]`
struct LsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "Show lists: open todos, and those done in the last 24 hours.",
    usage: "todo ls [<list>…] [+<tag>…] [--done | --all]",
    discussion: """
      Examples:
        todo ls
        todo ls Groceries --all
        todo ls +breakfast
        todo ls --json
      """,
    aliases: ["list"])

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Show only what is done, however long ago.")
  var done = false

  @Flag(help: "Show everything, open and done.")
  var all = false

  @Argument(
    help: ArgumentHelp(
      "Lists; all of them if none is named. With '+' before it a tag: only todos that have it.", valueName: "list"))
  var lists: [String] = []

  func validate() throws {
    if done, all { throw ValidationError("--done and --all exclude each other") }
  }

  func run() async throws {
    let session = try Session.open(options)
    try await session.show { transaction in
      let wanted = try WantedTodos(lists, done ? .done : all ? .all : .recent)
      let contents = try transaction.contents(of: wanted)
      return ListsPage(contents: contents, nothing: wanted.nothing, hints: contents.compactMap(\.end).hints)
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

/// What somebody wants to see.
struct WantedTodos {
  /// Empty: all.
  let lists: [String]
  let selection: Selection
  /// Only todos that have all of these.
  let tags: [Tag]

  /// - Parameter words: names of lists, and tags with a `+` before them.
  init(_ words: [String], _ selection: Selection) throws {
    lists = words.filter { !$0.hasPrefix("+") }
    tags = try words.filter { $0.hasPrefix("+") }.map { try Tag($0) }
    self.selection = selection
  }

  /// `nothing with +breakfast +bbq`
  fileprivate var nothing: String {
    tags.isEmpty ? "no lists yet" : "nothing with \(tags.map { "+\(harmless($0.text))" }.joined(separator: " "))"
  }

  fileprivate func has(_ todo: Todo) -> Bool {
    tags.allSatisfy { tag in todo.tags.contains { areSameName($0, tag.text) } }
  }
}

extension CloudTransaction {
  /// The lists that were named, or all, with their todos; with tags only those that have any such.
  func contents(of wanted: WantedTodos) throws -> [ListContents] {
    let lists = wanted.lists.isEmpty ? try lists() : try wanted.lists.map(requireList)
    let contents = try lists.map { try self.contents(of: $0, wanted) }
    return wanted.tags.isEmpty || !wanted.lists.isEmpty ? contents : contents.filter { !$0.todos.isEmpty }
  }

  private func contents(of list: TodoList, _ wanted: WantedTodos) throws -> ListContents {
    let day: Int64 = 24 * 60 * 60 * 1000
    let since = wanted.selection == .recent ? clock.now() - day : .min
    let open = wanted.selection == .done ? [] : try todos(in: list.node, .open).filter(wanted.has)
    let done = try todos(in: list.node, .done, since: since).filter(wanted.has)
    return ListContents(
      list: list, openCount: try todoCount(in: list.node, .open), others: try otherMembers(of: list, declining: false),
      todos: try named(open + done) { _ in list.name }, end: try end(of: list))
  }
}
