import ArgumentParser
import TodoCore
import Treesystem

/// `todo image rm <todo>`
struct ImageRmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Take the image off a todo.",
    usage: "todo image rm <todo>",
    discussion: """
      It stays as an earlier one ('todo image show <todo> --earlier 1') until the todo is deleted for good, for everybody who shares the \
      list. One that was never sent is gone: nobody gets to see it.

      Example:
        todo image rm k3fa
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("A todo: its id or the beginning of it, List/title, or its title.", valueName: "todo"))
  var todo: String

  func run() async throws {
    let session = try Session.open(options)
    let page = try session.change { transaction in
      let todo = try transaction.requireTodo(todo)
      try transaction.requireWrite(todo.list)
      guard todo.image != nil else { throw Complaint.nothingToTakeOff(todo) }
      let changed = try transaction.named([transaction.removeImage(of: todo)])
      let stays = try todo.image.flatMap { try transaction.node($0) } != nil
      return ChangePage(
        verb: "took the image off", todos: changed,
        hints: [
          stays
            ? "it stays as an earlier one, for everybody who shares the list: todo image show \(todo.shortID) --earlier 1"
            : "it was never sent, and is gone"
        ])
    }
    try await session.finish(page)
  }
}
