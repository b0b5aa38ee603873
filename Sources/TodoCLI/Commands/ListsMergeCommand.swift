import ArgumentParser
import TodoCore
import Treesystem

/// `todo lists merge <list> --into <list>`
struct ListsMergeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Move everything from one list to another, and remove the one that is empty then.",
    usage: "todo lists merge <list> --into <list>",
    discussion: """
      A list that others share stays, empty: they may have something to add. What is in the trash stays there.

      Example:
        todo lists merge "Groceries (2)" --into Groceries
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list that is to go.")
  var list: String

  @Option(help: ArgumentHelp("The list that gets everything.", valueName: "list"))
  var into: String

  func run() async throws {
    let session = try Session.open(options)
    let page = try session.change { transaction in
      let list = try transaction.requireList(list)
      let target = try transaction.requireList(into)
      guard list.node != target.node else {
        throw Complaint.usage("that is one list", hint: "name another one after --into")
      }
      for node in [list.node, target.node] { try transaction.requireWrite(node) }
      let todos = try [TodoState.open, .done].flatMap { try transaction.todos(in: list.node, $0) }
      let others = try transaction.otherMembers(of: list)
      // Parts go with what they are a part of.
      let nodes = Set(todos.map(\.node))
      let moved = try todos.filter { !($0.parent.map(nodes.contains) ?? false) }
        .map { try transaction.moveTodo($0, to: target.node) }
      let trash = try transaction.todos(in: list.node, .trash)
      let stays = !others.isEmpty || !trash.isEmpty
      if !stays { try transaction.removeList(list) }
      let name = harmless(list.name)
      return ChangePage(
        verb: "moved", todos: try transaction.named(moved),
        remark: stays
          ? "\(name) stays: \(others.isEmpty ? "something is in its trash" : "\(others.map(harmless).joined(separator: ", ")) \(others.count == 1 ? "shares" : "share") it")"
          : "removed list \(name)")
    }
    try await session.finish(page)
  }
}

/// `todo lists clear [<list>…]`
struct ListsClearCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear",
    abstract: "Put everything that is done into the trash.",
    usage: "todo lists clear [<list>…]",
    discussion: """
      Examples:
        todo lists clear Groceries
        todo lists clear && todo undo
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("Lists; all that you may change if none is named.", valueName: "list"))
  var lists: [String] = []

  func run() async throws {
    let session = try Session.open(options)
    let page = try session.change { transaction in
      let named = try lists.map(transaction.requireList)
      for list in named { try transaction.requireWrite(list.node) }
      let meant = try lists.isEmpty ? transaction.lists().filter { try transaction.mayWrite($0.node) } : named
      let done = try meant.flatMap { try transaction.todos(in: $0.node, .done) }
      return ChangePage(
        verb: "removed", todos: try transaction.named(done.map { try transaction.removeTodo($0) }),
        remark: done.isEmpty ? "nothing is done" : nil)
    }
    try await session.finish(page)
  }
}
