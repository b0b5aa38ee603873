import ArgumentParser
import TodoCore
import Treesystem

/// `todo edit <todo>… [--title <title>] [--note <text>]`
struct EditCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a todo.",
    usage: "todo edit <todo>… [--title <title>] [--note <text>]",
    discussion: """
      A note takes the place of every note that is there. An empty one takes it away.

      Examples:
        todo edit k3fa --title "oat milk"
        todo edit k3fa --note "2 litres, not the red one"
      """)

  static let verb = "edited"

  @OptionGroup var options: GlobalOptions

  @Option(help: "The new title.")
  var title: String?

  @Option(help: ArgumentHelp("What is to stand beside the title.", valueName: "text"))
  var note: String?

  @OptionGroup var todos: TodoArguments

  func validate() throws {
    if title == nil, note == nil { throw ValidationError("give a new --title, or a --note") }
  }

  func change(_ todo: Todo, in transaction: CloudTransaction) throws -> Todo {
    let titled = try title.map { try transaction.setTitle(Title($0), of: todo) } ?? todo
    return try note.map { try transaction.setNote(Note($0), of: titled) } ?? titled
  }
}
