import ArgumentParser
import TodoCore
import Treesystem

/// `todo restore <todo>…|-`
struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Take todos out of the trash.",
    usage: "todo restore <todo>…|-",
    discussion: """
      Examples:
        todo restore k3fa
        todo restore "Groceries/oat milk"
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func run() async throws {
    let references = try todos.references()
    let session = try Session.open(options)
    let page = try session.change { transaction in
      try transaction.changed("restored", references, wanted: .trash) { try transaction.restoreTodo($0) }
    }
    try await session.finish(page)
  }
}
