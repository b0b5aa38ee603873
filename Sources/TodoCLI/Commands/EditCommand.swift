import ArgumentParser
import TodoCore
import Treesystem

/// `todo edit <todo>… [--title <title>] [--note <text>] [--tag <word>]… [--untag <word>]…`
struct EditCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a todo.",
    usage: "todo edit <todo>… [--title <title>] [--note <text>] [--tag <word>]… [--untag <word>]…",
    discussion: """
      A note takes the place of every note that is there. An empty one takes it away.

      Examples:
        todo edit k3fa --title "oat milk"
        todo edit k3fa --note "2 litres, not the red one"
        todo edit k3fa m7qd --tag breakfast
      """)

  static let verb = "edited"

  @OptionGroup var options: GlobalOptions

  @Option(help: "The new title.")
  var title: String?

  @Option(help: ArgumentHelp("What is to stand beside the title.", valueName: "text"))
  var note: String?

  @Option(help: ArgumentHelp("A tag to give it; several times for several.", valueName: "word"))
  var tag: [String] = []

  @Option(help: ArgumentHelp("A tag to take from it.", valueName: "word"))
  var untag: [String] = []

  @OptionGroup var todos: TodoArguments

  func validate() throws {
    if title == nil, note == nil, tag.isEmpty, untag.isEmpty {
      throw ValidationError("give a new --title, a --note, a --tag or an --untag")
    }
  }

  func change(_ todo: Todo, in transaction: CloudTransaction) throws -> Todo {
    var todo = try title.map { try transaction.setTitle(Title($0), of: todo) } ?? todo
    todo = try note.map { try transaction.setNote(Note($0), of: todo) } ?? todo
    for word in untag { todo = try transaction.removeTag(Tag(word), from: todo) }
    for word in tag { todo = try transaction.addTag(Tag(word), to: todo) }
    return todo
  }
}
