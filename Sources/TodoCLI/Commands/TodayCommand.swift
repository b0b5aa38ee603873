import ArgumentParser
import CloudAPI
import Dates
import TodoCore
import Treesystem

/// `todo today`
struct TodayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "today",
    abstract: "Show what is due today or was before, on all lists.",
    usage: "todo today [<filter>…]",
    discussion: """
      Examples:
        todo today
        todo today @me
        todo today --json
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("Only such todos; see 'todo help filters'.", valueName: "filter"))
  var filters: [String] = []

  func run() async throws {
    if let stray = filters.first(where: { !TodoFilter.isFilter($0) }) {
      throw Complaint.usage(
        "'\(Complaint.shortened(stray))' is no filter",
        hint: "such as +breakfast, @me or pri:high; todo ls <list> before:tomorrow shows one list")
    }
    let session = try Session.open(options)
    try await session.show { try $0.dueToday(filters, session.dates) }
  }
}

extension CloudTransaction {
  /// What is due today or was before, what is late first.
  func dueToday(_ filters: [String], _ dates: DatePhrase) throws -> TodayPage {
    let wanted = try WantedTodos(filters + ["before:tomorrow"], .recent, dates)
    let due = try contents(of: wanted).flatMap(\.todos).filter { $0.todo.state == .open }
    let order = due.map(\.todo).sorted(.due, dates.zone).map(\.node)
    let places = Dictionary(zip(order, order.indices)) { first, _ in first }
    let sorted = due.sorted { (places[$0.todo.node] ?? 0) < (places[$1.todo.node] ?? 0) }
    let when = WhenWords(now: dates.now, zone: dates.zone)
    let isLate = { (todo: NamedTodo) in todo.todo.due.map(when.isOver) ?? false }
    return TodayPage(late: sorted.filter(isLate), today: sorted.filter { !isLate($0) })
  }
}
