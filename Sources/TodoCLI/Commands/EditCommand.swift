import ArgumentParser
import TodoCore
import Treesystem

/// `todo edit <todo>… [--title <title>] [--note <text>] [--tag <word>]… [--untag <word>]…`
struct EditCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a todo.",
    usage: """
      todo edit <todo>… [--title <title>] [--note <text>] [--due <date>] [--start <date>]
                [--priority <priority>] [--assign <user>] [--repeat <phrase>] [--tag <word>]… [--untag <word>]…
      """,
    discussion: """
      A note takes the place of every note that is there. An empty one takes it away. For dates, \
      priority, user and repetition 'none' does.

      Examples:
        todo edit k3fa --title "oat milk"
        todo edit k3fa --note "2 litres, not the red one"
        todo edit k3fa m7qd --tag breakfast --due fri
        todo edit k3fa --due none --priority high
      """)

  static let verb = "edited"

  @OptionGroup var options: GlobalOptions

  @Option(help: "The new title.")
  var title: String?

  @OptionGroup var fields: FieldOptions

  @Option(help: ArgumentHelp("A tag to take from it.", valueName: "word"))
  var untag: [String] = []

  @OptionGroup var todos: TodoArguments

  func validate() throws {
    if title == nil, fields.isEmpty, untag.isEmpty {
      throw ValidationError(
        "say what to change: --title, --note, --due, --start, --priority, --assign, --repeat, --tag or --untag")
    }
  }

  func change(_ todo: Todo, in transaction: CloudTransaction, _ session: Session) throws -> StateChange {
    var todo = try title.map { try transaction.setTitle(Title($0), of: todo) } ?? todo
    for word in untag { todo = try transaction.removeTag(Tag(word), from: todo) }
    return StateChange(todos: [try FieldValues(fields, session.dates).change(todo, in: transaction)])
  }
}
