import ArgumentParser
import Dates
import TodoCore
import Treesystem

/// `todo done <todo>…|-`
struct DoneCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "done",
    abstract: "Tick todos.",
    usage: "todo done <todo>…|-  |  todo done <filter>… [--yes]",
    discussion: """
      The parts of a todo are ticked with it. One that comes back is followed by the next one.

      Examples:
        todo done k3fa b7qd
        todo done "Groceries/oat milk"
        todo done +bbq in:Groceries
      """)

  static let verb = "done"

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func change(_ todo: Todo, in transaction: CloudTransaction, _ session: Session) throws -> StateChange {
    let open = try ([todo] + transaction.allParts(of: todo)).filter { $0.state == .open }
    let done = try open.map { try transaction.setDone(true, $0) }
    return StateChange(
      todos: done.isEmpty ? [todo] : done,
      next: try done.compactMap { try transaction.addOccurrence(after: $0, zone: .system) { Zone(named: $0) } })
  }

  func hints(_ changed: [NamedTodo], in transaction: CloudTransaction) throws -> [String] {
    guard try transaction.account() == nil, try transaction.todoCount(.done, ofFew: 20) == 1 else { return [] }
    return [
      "the first one! 'todo undo' takes the last change back, 'todo help' shows what else there is",
      "with an account your lists are on all your devices, and can be shared: todo signup <name> --server <host>",
    ]
  }
}
