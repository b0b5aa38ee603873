import ArgumentParser
import CloudAPI
import Dates
import Signing
import TodoCore
import Treesystem

/// `todo ls [<list>…] [<filter>…]`
struct LsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "Show lists: open todos, and those done in the last 24 hours.",
    usage: "todo ls [<list>…] [<filter>…] [--done | --all] [--sort <order>]",
    discussion: """
      Filters are +<tag>, @<user> (@me, @none), due:<date> (due:none, due:any), before:<date>, after:<date>, \
      pri:<priority> (pri:none) and in:<list>; a todo has to pass all of them. What is put off until later is shown with --all.

      Examples:
        todo ls
        todo ls Groceries --all
        todo ls +breakfast @me
        todo ls before:fri pri:high --sort due
        todo ls --json
      """,
    aliases: ["list"])

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Show only what is done, however long ago.")
  var done = false

  @Flag(help: "Show everything, open, done and put off.")
  var all = false

  @Option(help: ArgumentHelp("list (as they stand there), due, priority, created or title.", valueName: "order"))
  var sort = TodoOrder.list

  @Argument(
    help: ArgumentHelp(
      "Lists, all of them if none is named; and filters.", valueName: "list"))
  var lists: [String] = []

  func validate() throws {
    if done, all { throw ValidationError("--done and --all exclude each other") }
  }

  func run() async throws {
    let session = try Session.open(options)
    try await session.show { transaction in
      let wanted = try WantedTodos(lists, done ? .done : all ? .all : .recent, session.dates, by: sort)
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
  let filter: TodoFilter
  var order = TodoOrder.list
  /// What is searched for; nil: nothing is.
  var text: String?

  /// - Parameter words: names of lists, and filters.
  init(_ words: [String], _ selection: Selection, _ dates: DatePhrase, by order: TodoOrder = .list) throws {
    let filters = words.filter(TodoFilter.isFilter)
    let named = filters.filter { $0.lowercased().hasPrefix("in:") }
    lists = words.filter { !TodoFilter.isFilter($0) } + named.map { String($0.dropFirst(3)) }
    filter = try TodoFilter(filters.filter { !named.contains($0) }, dates)
    self.selection = selection
    self.order = order
  }

  /// Whether lists without any such todo are left out.
  fileprivate var isSelective: Bool { (!filter.isEmpty || text != nil) && lists.isEmpty }

  /// `nothing with +breakfast +bbq`
  var nothing: String {
    let words = filter.words + [text].compactMap { $0 }
    return words.isEmpty ? "no lists yet" : "nothing with \(words.map(harmless).joined(separator: " "))"
  }
}

extension CloudTransaction {
  /// The lists that were named, or all, with their todos; with a filter only those that have any such.
  func contents(of wanted: WantedTodos) throws -> [ListContents] {
    let lists = wanted.lists.isEmpty ? try lists() : try wanted.lists.map(requireList)
    let found = try wanted.text.map { try searchByList($0) }
    var sieve = try Sieve(self, wanted, found)
    let contents = try lists.map { try self.contents(of: $0, wanted, &sieve) }
    return wanted.isSelective ? contents.filter { !$0.todos.isEmpty } : contents
  }

  private func contents(of list: TodoList, _ wanted: WantedTodos, _ sieve: inout Sieve) throws -> ListContents {
    let day: Int64 = 24 * 60 * 60 * 1000
    let since = wanted.selection == .recent ? clock.now() - day : .min
    let range = sieve.range(in: list)
    let open = wanted.selection == .done ? [] : try todos(in: list.node, .open, range: range)
    let shown = try open.filter { try sieve.lets($0) }
    let done = try todos(in: list.node, .done, since: since, range: range).filter { try sieve.lets($0) }
    let sorted = (shown + done).sorted(wanted.order, .system).nested
    let depths = Dictionary(sorted.map { ($0.todo.node, $0.depth) }) { first, _ in first }
    return ListContents(
      list: list, openCount: try todoCount(in: list.node, .open), laterCount: sieve.takeLater(),
      others: try otherMembers(of: list, declining: false),
      todos: try named(sorted.map(\.todo)) { _ in list.name }, depths: depths, end: try end(of: list))
  }
}

/// Lets through what somebody wants to see.
private struct Sieve {
  private let wanted: WantedTodos
  /// By the lists they are on; nil: nothing is searched for.
  private let found: [NodeID: Set<NodeID>]?
  private let me: UserID?
  private let now: Int64
  private var handles: Handles
  /// How many were held back because they are put off.
  private var later = 0

  init(_ transaction: CloudTransaction, _ wanted: WantedTodos, _ found: [NodeID: Set<NodeID>]?) throws {
    (self.wanted, self.found) = (wanted, found)
    me = try transaction.account()?.user
    now = transaction.clock.now()
    handles = try Handles(transaction)
  }

  /// Which todos of a list have a chance.
  func range(in list: TodoList) -> TodoRange {
    found.map { .only($0[list.node] ?? []) } ?? (wanted.filter.asksForDue ? .due : .all)
  }

  mutating func lets(_ todo: Todo) throws -> Bool {
    let handle = try wanted.filter.isEmpty ? nil : todo.assignee.map { try handles.handle(of: $0).lowercased() }
    guard wanted.filter.has(todo, handle: handle, isOwn: me != nil && todo.assignee == me, zone: .system) else {
      return false
    }
    // Who searches or wants all sees all.
    guard wanted.selection == .recent, found == nil, todo.state == .open, let start = todo.start,
      Zone.system.start(of: start) > now
    else { return true }
    later += 1
    return false
  }

  mutating func takeLater() -> Int {
    defer { later = 0 }
    return later
  }
}
