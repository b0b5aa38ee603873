import ArgumentParser
import TodoCore
import Treesystem

/// `todo rm <todo>…|-`
struct RmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Put todos into the trash.",
    usage: "todo rm <todo>…|-",
    discussion: """
      What another member changes at the same time stays.

      Example:
        todo rm k3fa
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func run() async throws {
    let references = try todos.references()
    let session = try Session.open(options)
    let page = try session.change { transaction in
      try transaction.changed("removed", references) { try transaction.removeTodo($0) }
    }
    try await session.finish(page)
  }
}
