import ArgumentParser
import TodoCore
import Treesystem

/// `todo done <todo>…|-`
struct DoneCommand: StateCommand {
  static let configuration = CommandConfiguration(
    commandName: "done",
    abstract: "Tick todos.",
    usage: "todo done <todo>…|-",
    discussion: """
      Examples:
        todo done k3fa b7qd
        todo done "Groceries/oat milk"
      """)

  static let verb = "done"

  @OptionGroup var options: GlobalOptions
  @OptionGroup var todos: TodoArguments

  func change(_ todo: Todo, in transaction: CloudTransaction) throws -> Todo { try transaction.setDone(true, todo) }
}
