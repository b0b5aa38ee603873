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
      'todo restore' takes them out again. What another member changes at the same time stays.

      Examples:
        todo rm k3fa
        todo rm "oat milk" && todo restore "oat milk"
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func run() async throws {
    let references = try todos.references()
    let session = try Session.open(options)
    let page = try session.change { transaction in
      var page = try transaction.changed("removed", references) { try transaction.removeTodo($0) }
      page.hints = ["take back with: todo restore \(page.todos.map(\.todo.shortID).joined(separator: " "))"]
      return page
    }
    try await session.finish(page)
  }
}
