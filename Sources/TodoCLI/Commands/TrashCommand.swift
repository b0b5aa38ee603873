import ArgumentParser
import TodoCore
import Treesystem

/// `todo trash`
struct TrashCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trash",
    abstract: "Show what is in the trash; or empty it.",
    usage: "todo trash [empty [<list>…]]",
    discussion: """
      Examples:
        todo trash
        todo restore k3fa
        todo trash empty Groceries
      """,
    subcommands: [TrashEmptyCommand.self])

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    try await session.syncIfAsked()
    try session.voice.tell(
      try session.read { transaction in
        TrashPage(
          todos: try transaction.named(transaction.trash(of: transaction.lists())),
          lists: try transaction.summaries(of: transaction.listsInTrash()))
      })
  }
}

/// `todo trash empty [<list>…]`
struct TrashEmptyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "empty",
    abstract: "Delete what is in the trash, for good and for everybody who shares the lists.",
    usage: "todo trash empty [<list>…]",
    discussion: """
      Examples:
        todo trash empty
        todo trash empty Groceries --yes
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("Lists; all of them if none is named.", valueName: "list"))
  var lists: [String] = []

  func run() async throws {
    let session = try Session.open(options)
    let doomed = try session.read { try $0.doomed(on: lists) }
    if !doomed.isNothing { try session.confirm(doomed.question) }
    try session.change { transaction in
      try transaction.deleteForGood(doomed.lists.map(\.list))
      try transaction.deleteForGood(doomed.todos.map(\.todo))
    }
    try await session.finish(
      TrashPage(verb: "deleted", todos: doomed.todos, lists: doomed.lists, kept: doomed.kept))
  }
}

/// What would go if the trash were emptied.
private struct Doomed {
  let todos: [NamedTodo]
  let lists: [ListSummary]
  /// How many stay, because their lists may only be read.
  let kept: Int
  let isShared: Bool

  var isNothing: Bool { todos.isEmpty && lists.isEmpty }

  var question: String {
    let todos = todos.isEmpty ? [] : [counted(self.todos.count, "todo")]
    let lists = lists.map { "the list '\(harmless($0.list.name))' with \(counted($0.openCount, "open todo"))" }
    let all = (todos + lists).joined(separator: ", ")
    return "delete \(all) for good\(isShared ? ", for everybody who shares the list" : "")"
  }
}

extension CloudTransaction {
  /// What is in the trash of some lists, the latest first.
  fileprivate func trash(of lists: [TodoList]) throws -> [Todo] {
    try lists.flatMap(trash)
      .sorted { ($0.removedAt ?? 0, $0.createdAt) > ($1.removedAt ?? 0, $1.createdAt) }
  }

  /// A list that was named must be writable; of all lists, those that are not keep what they have.
  fileprivate func doomed(on names: [String]) throws -> Doomed {
    // Of two with one name the one that is shown is meant.
    let gone = try names.filter { name in
      if case .one = try findList(name) { return false }
      return try listInTrash(name) != nil
    }
    let doomed = try names.isEmpty ? listsInTrash() : gone.compactMap { try listInTrash($0) }
    let named = try names.filter { !gone.contains($0) }.map(requireList)
    for list in named { try requireWrite(list.node) }
    let lists = try names.isEmpty ? self.lists() : named
    let writable = try lists.filter { try mayWrite($0.node) }
    let todos = try trash(of: writable)
    let touched = Set(todos.map(\.list))
    return Doomed(
      todos: try self.named(todos), lists: try summaries(of: doomed), kept: try trash(of: lists).count - todos.count,
      isShared: try writable.contains { try touched.contains($0.node) && !otherMembers(of: $0).isEmpty })
  }
}
