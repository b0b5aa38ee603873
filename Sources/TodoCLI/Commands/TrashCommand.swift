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
    try session.voice.tell(TrashPage(todos: try session.read { try $0.named($0.trash(of: $0.lists())) }))
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
    if !doomed.todos.isEmpty { try session.confirm(doomed.question) }
    try session.change { try $0.deleteForGood(doomed.todos.map(\.todo)) }
    try await session.finish(TrashPage(verb: "deleted", todos: doomed.todos, kept: doomed.kept))
  }
}

/// What would go if the trash were emptied.
private struct Doomed {
  let todos: [NamedTodo]
  /// How many stay, because their lists may only be read.
  let kept: Int
  let isShared: Bool

  var question: String {
    "delete \(counted(todos.count, "todo")) for good\(isShared ? ", for everybody who shares the list" : "")"
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
    let named = try names.map(requireList)
    for list in named { try requireWrite(list.node) }
    let lists = try names.isEmpty ? lists() : named
    let writable = try lists.filter { try mayWrite($0.node) }
    let todos = try trash(of: writable)
    let touched = Set(todos.map(\.list))
    return Doomed(
      todos: try self.named(todos), kept: try trash(of: lists).count - todos.count,
      isShared: try writable.contains { try touched.contains($0.node) && !otherMembers(of: $0).isEmpty })
  }
}
