import ArgumentParser
import TodoCore
import Treesystem

/// `todo edit <todo>… --title <title>`
struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a todo.",
    usage: "todo edit <todo>… --title <title>",
    discussion: """
      Example:
        todo edit k3fa --title "oat milk"
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: "The new title.")
  var title: String

  @OptionGroup var todos: TodoArguments

  func run() async throws {
    let references = try todos.references()
    let title = try titles([(nil, title)])[0]
    let session = try Session.open(options)
    let page = try session.change { transaction in
      try transaction.changed("edited", references) { try transaction.setTitle(title, of: $0) }
    }
    try await session.finish(page)
  }
}
