import ArgumentParser
import TodoCore
import Treesystem

/// `todo done <todo>…|-`
struct DoneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "done",
    abstract: "Tick todos.",
    usage: "todo done <todo>…|-",
    discussion: """
      Examples:
        todo done k3fa b7qd
        todo done "Groceries/oat milk"
      """)

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func run() async throws {
    let references = try todos.references()
    let session = try Session.open(options)
    let page = try session.change { transaction in
      try transaction.changed("done", references) { try transaction.setDone(true, $0) }
    }
    try await session.finish(page)
  }
}

/// References to todos, at least one.
struct TodoArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Todos: an id or the beginning of it, List/title, or a title; '-' reads them from standard input.",
      valueName: "todo"))
  var words: [String]

  /// What was given, in arguments or through standard input.
  func references() throws -> [String] {
    let references = try TodoCLI.references(words)
    guard !references.isEmpty else {
      throw Complaint.usage("standard input names no todo", hint: "write one id a line")
    }
    return references
  }
}

extension CloudTransaction {
  /// Changes all that were referred to, or none.
  /// - Parameter wanted: the state that those referred to by title are in.
  func changed(
    _ verb: String, _ references: [String], wanted: TodoState = .open, _ change: (Todo) throws -> Todo
  ) throws -> ChangePage {
    let todos = try requireTodos(references, wanted: wanted)
    for list in Set(todos.map(\.list)) { try requireWrite(list) }
    return ChangePage(verb: verb, todos: try named(todos.map(change)))
  }
}
