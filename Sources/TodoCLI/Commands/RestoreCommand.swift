import ArgumentParser
import TodoCore
import Treesystem

/// `todo restore <todo or list>…|-`
struct RestoreCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Take todos and lists out of the trash.",
    usage: "todo restore <todo or list>…|-",
    discussion: """
      Examples:
        todo restore k3fa
        todo restore "Groceries/oat milk"
        todo restore Groceries
      """)

  static let verb = "restored"
  static let wanted = TodoState.trash

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func run() async throws {
    let references = try todos.references()
    let session = try Session.open(options)
    let lists = try session.read { transaction in
      // A list of this person's own comes before a todo that somebody has called like it.
      try references.compactMap { try transaction.listInTrash($0) }
    }
    guard !lists.isEmpty, lists.count == references.count else { return try await changeAll(references) }
    let page = try session.change { transaction in
      let restored = try lists.map { try transaction.restoreList($0) }
      return NamesPage(verb: "restored list", lists: try transaction.summaries(of: restored))
    }
    try await session.finish(page)
  }

  func change(_ todo: Todo, in transaction: CloudTransaction, _ session: Session) throws -> StateChange {
    let parts = try transaction.removedParts(of: todo)
    return StateChange(todos: try ([todo] + parts).map { try transaction.restoreTodo($0) })
  }
}
