import ArgumentParser
import TodoCore
import Treesystem

/// `todo show <todo>`
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show everything about a todo.",
    usage: "todo show <todo>",
    discussion: """
      Examples:
        todo show k3fa
        todo show "Groceries/oat milk"
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("A todo: its id or the beginning of it, List/title, or its title.", valueName: "todo"))
  var todo: String

  func run() async throws {
    let session = try Session.open(options)
    try await session.show { transaction in
      let todo = try transaction.requireTodo(todo)
      var handles = try Handles(transaction)
      return TodoPage(
        todo: try transaction.named([todo])[0], notes: try transaction.namedNotes(of: todo),
        earlierTitles: try transaction.earlierTitles(of: todo),
        earlierNotes: try transaction.earlierNotes(of: todo),
        earlierImages: try transaction.earlierImages(of: todo).map {
          try handles.named($0, of: todo, in: transaction)
        }, comments: try transaction.comments(of: todo).map { try handles.named($0) },
        parent: try todo.parent.flatMap { try transaction.todo($0) },
        parts: try transaction.named(transaction.parts(of: todo)))
    }
  }
}
