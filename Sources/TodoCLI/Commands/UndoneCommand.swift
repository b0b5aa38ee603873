import ArgumentParser
import TodoCore
import Treesystem

/// `todo undone <todo>…|-`
struct UndoneCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "undone",
    abstract: "Open todos again.",
    usage: "todo undone <todo>…|-",
    discussion: """
      Parts that were ticked along with it are opened, too.

      Examples:
        todo undone k3fa
        todo undone "oat milk"
      """)

  static let verb = "opened"
  static let wanted = TodoState.done

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func change(_ todo: Todo, in transaction: CloudTransaction, _ session: Session) throws -> StateChange {
    StateChange(todos: try transaction.open(todo))
  }
}
