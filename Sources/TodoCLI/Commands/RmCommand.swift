import ArgumentParser
import TodoCore
import Treesystem

/// `todo rm <todo>…|-`
struct RmCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Put todos into the trash.",
    usage: "todo rm <todo>…|-",
    discussion: """
      The parts of a todo go with it. 'todo restore' takes them out again. What another member changes at the same time stays.

      Examples:
        todo rm k3fa
        todo rm "oat milk" && todo restore "oat milk"
      """)

  static let verb = "removed"

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func change(_ todo: Todo, in transaction: CloudTransaction, _ session: Session) throws -> StateChange {
    let parts = try transaction.allParts(of: todo)
    return StateChange(todos: try ([todo] + parts).map { try transaction.removeTodo($0) })
  }

  func hints(_ changed: [NamedTodo], in transaction: CloudTransaction) -> [String] {
    ["take back with: todo restore \(changed.map(\.todo.shortID).joined(separator: " "))"]
  }
}
