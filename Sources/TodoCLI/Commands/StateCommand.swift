import ArgumentParser
import TodoCore
import Treesystem

/// A command that does one thing to each todo that was referred to.
protocol StateCommand: AsyncParsableCommand {
  /// What has happened then, in the past tense.
  static var verb: String { get }
  /// The state that those referred to by title are in.
  static var wanted: TodoState { get }

  var options: GlobalOptions { get }
  var todos: TodoArguments { get }

  /// Does it. Returns the todo as it is now.
  func change(_ todo: Todo, in transaction: CloudTransaction) throws -> Todo

  /// What one may want to know next.
  func hints(_ changed: [NamedTodo]) -> [String]
}

extension StateCommand {
  static var wanted: TodoState { .open }

  func hints(_ changed: [NamedTodo]) -> [String] { [] }

  func run() async throws {
    let references = try todos.references()
    let session = try Session.open(options)
    var page = try session.change { transaction in
      try transaction.changed(Self.verb, references, wanted: Self.wanted) { try change($0, in: transaction) }
    }
    page.hints = hints(page.todos)
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
