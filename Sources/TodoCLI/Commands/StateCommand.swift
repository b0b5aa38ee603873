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

  /// Does it.
  func change(_ todo: Todo, in transaction: CloudTransaction, _ session: Session) throws -> StateChange

  /// What one may want to know next.
  func hints(_ changed: [NamedTodo], in transaction: CloudTransaction) throws -> [String]
}

extension StateCommand {
  static var wanted: TodoState { .open }

  func hints(_ changed: [NamedTodo], in transaction: CloudTransaction) throws -> [String] { [] }

  func run() async throws { try await changeAll(todos.references()) }

  func changeAll(_ references: [String]) async throws {
    let session = try Session.open(options)
    let meant = try session.meant(by: references, wanted: Self.wanted)
    let page = try session.change { transaction in
      // What a filter found may have changed while somebody thought about the question.
      let todos = try meant ?? transaction.requireTodos(references, wanted: Self.wanted)
      for list in Set(todos.map(\.list)) { try transaction.requireWrite(list) }
      let changes = try todos.map { try change($0, in: transaction, session) }
      let changed = try transaction.named(changes.flatMap(\.todos).uniqued)
      return ChangePage(
        verb: Self.verb, todos: changed, next: try transaction.named(changes.flatMap(\.next)),
        hints: try hints(changed, in: transaction))
    }
    try await session.finish(page)
  }
}

/// What became of a todo that was referred to.
struct StateChange {
  /// It and what goes with it, as they are now.
  let todos: [Todo]
  /// What follows those.
  var next: [Todo] = []
}

/// References to todos, at least one.
struct TodoArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Todos: an id or the beginning of it, List/title, or a title; '-' reads them from standard input. Or filters, for all that pass them.",
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

extension Session {
  /// The todos that pass the filters among the references, once their number was agreed to; nil where there are no filters.
  fileprivate func meant(by references: [String], wanted: TodoState) throws -> [Todo]? {
    let filters = references.filter(TodoFilter.isFilter)
    if filters.isEmpty { return nil }
    guard filters.count == references.count, wanted != .trash else {
      throw Complaint.usage(
        wanted == .trash ? "what is in the trash cannot be filtered" : "filters and todos cannot stand together",
        hint: "name todos by their ids, or give filters alone")
    }
    let todos = try read { transaction in
      try transaction.contents(of: WantedTodos(filters, .all, dates)).flatMap(\.todos).map(\.todo)
        .filter { $0.state == wanted }
    }
    guard !todos.isEmpty else {
      // A title that reads like a filter.
      if filters.count == 1, case .one(let todo) = try read({ try $0.findTodo(filters[0], wanted: wanted) }) {
        return [todo]
      }
      throw Complaint(
        "unknown_todo", .notFound, "no \(wanted.rawValue) todo with \(filters.joined(separator: " "))",
        hint: "'todo ls \(filters.map(shellQuoted).joined(separator: " "))' shows what there is")
    }
    if options.yes { return todos }
    let question = "\(counted(todos.count, "todo")) with \(filters.map(harmless).joined(separator: " "))"
    guard voice.isConversation else {
      throw Complaint.usage("that would change \(question)", hint: "add --yes if that is what you want")
    }
    guard voice.agrees("change \(question)?") else {
      throw Complaint("not_confirmed", .usage, "nothing was changed", hint: "answer y, or add --yes")
    }
    return todos
  }
}

extension [Todo] {
  /// Each once: as it was last.
  fileprivate var uniqued: [Todo] {
    let last = Dictionary(map { ($0.node, $0) }) { $1 }
    var seen: Set<NodeID> = []
    return compactMap { seen.insert($0.node).inserted ? last[$0.node] : nil }
  }
}
