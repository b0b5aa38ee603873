import ArgumentParser
import TodoCore
import Treesystem

/// `todo undone <todo>…|-`
struct UndoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undone",
    abstract: "Open todos again.",
    usage: "todo undone <todo>…|-",
    discussion: """
      Examples:
        todo undone k3fa
        todo undone "oat milk"
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func run() async throws {
    let references = try todos.references()
    let session = try Session.open(options)
    let page = try session.change { transaction in
      try transaction.changed("opened", references, wanted: .done) { try transaction.setDone(false, $0) }
    }
    try await session.finish(page)
  }
}
