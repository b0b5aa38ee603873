import ArgumentParser
import TodoCore
import Treesystem

/// `todo restore <todo>…|-`
struct RestoreCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Take todos out of the trash.",
    usage: "todo restore <todo>…|-",
    discussion: """
      Examples:
        todo restore k3fa
        todo restore "Groceries/oat milk"
      """)

  static let verb = "restored"
  static let wanted = TodoState.trash

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func change(_ todo: Todo, in transaction: CloudTransaction, _ session: Session) throws -> StateChange {
    let parts = try transaction.removedParts(of: todo)
    return StateChange(todos: try ([todo] + parts).map { try transaction.restoreTodo($0) })
  }
}
