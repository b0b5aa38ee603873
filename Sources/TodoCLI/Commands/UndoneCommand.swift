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

extension CloudTransaction {
  /// Opens a todo, and those of its parts that were ticked along with it. What was ticked before stays so: that was another deed.
  func open(_ todo: Todo) throws -> [Todo] {
    let along = try allParts(of: todo).filter { part in
      part.state == .done && todo.doneAt.map { time in part.doneAt.map { $0 >= time } ?? false } ?? false
    }
    return try ([todo] + along).map { try setDone(false, $0) }
  }
}
