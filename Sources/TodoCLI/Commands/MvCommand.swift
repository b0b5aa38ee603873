import ArgumentParser
import Sharing
import TodoCore
import Treesystem

/// `todo mv <todo>… --to <list> | --top | --bottom | --after <todo> | --under <todo>`
struct MvCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mv",
    abstract: "Move todos to another list, or to another place on theirs.",
    usage: "todo mv <todo>… --to <list> | --top | --bottom | --after <todo> | --under <todo>",
    discussion: """
      Several keep the order in which they are given. Whoever shares the old list and not the new one sees them no more.
      A todo keeps its id, unless another one of that list has it.

      Examples:
        todo mv k3fa --to Work
        todo mv milk eggs --top
        todo mv k3fa --after m7qd
        todo mv k3fa --under m7qd
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("The list to move them to.", valueName: "list"))
  var to: String?

  @Flag(help: "Before all others on their list.")
  var top = false

  @Flag(help: "Behind all others on their list.")
  var bottom = false

  @Option(help: ArgumentHelp("Behind this one, on the same list.", valueName: "todo"))
  var after: String?

  @Option(help: ArgumentHelp("Makes them parts of this one. --to takes them away from there again.", valueName: "todo"))
  var under: String?

  @OptionGroup var todos: TodoArguments

  func validate() throws {
    guard [to != nil, top, bottom, after != nil, under != nil].filter({ $0 }).count == 1 else {
      throw ValidationError("say where to: --to <list>, --top, --bottom, --after <todo> or --under <todo>, one of them")
    }
  }

  func run() async throws {
    let references = try todos.references()
    let session = try Session.open(options)
    let page = try session.change { transaction in
      let todos = try transaction.requireTodos(references)
      for list in Set(todos.map(\.list)) { try transaction.requireWrite(list) }
      if let to { return try transaction.move(todos, to: transaction.requireList(to)) }
      if let under { return try transaction.move(todos, below: transaction.requireTodo(under)) }
      let other = try after.map { try transaction.requireTodo($0) }
      if let other { try transaction.requireTogether(todos, with: other) }
      let moved = top ? todos.reversed() : todos
      var last = other
      for todo in moved {
        if let before = last {
          last = try transaction.moveTodo(todo, after: before)
        } else {
          _ = try top ? transaction.moveTodoToTop(todo) : transaction.moveTodoToBottom(todo)
        }
      }
      return ChangePage(verb: "moved", todos: try transaction.named(todos.compactMap { try transaction.todo($0.node) }))
    }
    try await session.finish(page)
  }
}

extension CloudTransaction {
  fileprivate func move(_ todos: [Todo], to list: TodoList) throws -> ChangePage {
    try requireWrite(list.node)
    let readers = try Set(otherMembers(of: list))
    let before = try Set(todos.map(\.list)).compactMap { try self.list($0) }
    let lost = try Set(before.flatMap { try otherMembers(of: $0) }).subtracting(readers).sorted()
    let gained = try readers.subtracting(before.flatMap { try otherMembers(of: $0) }).sorted()
    let moved = try named(todos.map { try moveTodo($0, to: list.node) })
    func words(_ people: [String], _ what: String) -> String? {
      people.isEmpty ? nil : "\(people.joined(separator: ", ")) \(people.count == 1 ? "sees" : "see") \(what)"
    }
    let remark = [words(lost, "it no more, but for what they have read"), words(gained, "it from now on")]
    return ChangePage(verb: "moved", todos: moved, remark: remark.compactMap { $0 }.joined(separator: "; ").nonEmpty)
  }

  fileprivate func move(_ todos: [Todo], below parent: Todo) throws -> ChangePage {
    try requireWrite(parent.list)
    let moved = try todos.map { todo in
      do {
        return try moveTodo(todo, below: parent)
      } catch TreeError.parentInvalid {
        throw Complaint.usage(
          "'\(Complaint.shortened(todo.title))' cannot be a part of '\(Complaint.shortened(parent.title))'",
          hint: "it would be a part of itself, or too deep")
      }
    }
    return ChangePage(verb: "moved", todos: try named(moved))
  }

  fileprivate func requireTogether(_ todos: [Todo], with other: Todo) throws {
    guard let stray = todos.first(where: { $0.list != other.list || $0.node == other.node }) else { return }
    if stray.node == other.node {
      throw Complaint.usage(
        "'\(Complaint.shortened(other.title))' cannot stand behind itself", hint: "name another one")
    }
    let name = try list(other.list)?.name ?? ""
    throw Complaint.usage(
      "'\(Complaint.shortened(stray.title))' and '\(Complaint.shortened(other.title))' are on different lists",
      hint: "move it there first: todo mv \(stray.shortID) --to \(shellQuoted(name))")
  }
}

extension String {
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
