import ArgumentParser
import TodoCore
import Treesystem

/// `todo comment <todo> <text>|-`
struct CommentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "comment",
    abstract: "Say something about a todo, to everybody on its list.",
    usage: "todo comment <todo> <text>|-",
    discussion: """
      'todo show' shows it, with who said it and when. It is not changed any more. '-' reads it from standard input.

      Examples:
        todo comment k3fa "they have only the small one"
        todo comment "Groceries/oat milk" - < answer.txt
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("A todo: its id or the beginning of it, List/title, or its title.", valueName: "todo"))
  var todo: String

  @Argument(help: ArgumentHelp("What to say; '-' reads standard input.", valueName: "text"))
  var text: String

  func run() async throws {
    let note = try Self.note(text == "-" ? StandardInput.text() : text)
    let session = try Session.open(options)
    let page = try session.change { transaction in
      let todo = try transaction.requireTodo(todo)
      try transaction.requireWrite(todo.list)
      try transaction.addComment(note, to: todo)
      return ChangePage(verb: "commented on", todos: try transaction.named([todo]))
    }
    try await session.finish(page)
  }

  /// What may stand in a note may be said.
  private static func note(_ text: String) throws -> Note {
    do {
      let note = try Note(text)
      if !note.text.isEmpty { return note }
      throw Complaint(
        "empty", .badData, "the comment is empty", hint: "say something: todo comment <todo> \"half fat\"")
    } catch let error as NoteError {
      var complaint = Complaint(error)
      complaint.message = complaint.message.replacing("note", with: "comment")
      if complaint.kind == "note_too_long" {
        (complaint.kind, complaint.hint) = ("comment_too_long", "shorten it, or say it in parts")
      }
      throw complaint
    }
  }
}
