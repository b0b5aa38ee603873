import TodoCore
import Treesystem

extension Seat {
  /// Has everything tried again that was refused.
  func retry(_ process: SimProcess) {
    change("retry", process) { transaction in
      try transaction.retryRefused()
      return []
    }
  }

  /// Gives up a change that waits, or that was refused, with all that waits for it.
  func discard(_ process: SimProcess) {
    var given: Set<String> = []
    change("discard", process) { transaction in
      guard
        let operation = world.dice.pick(try transaction.operations().filter { $0.state != .sealed })
      else {
        return []
      }
      let all = try [operation] + transaction.operations(waitingFor: operation.sequence)
      given = try todos(of: all, transaction)
      do {
        try transaction.discardOperation(operation.sequence)
      } catch TreeError.underWay, TreeError.noParent {
        given = []
        throw Declined()
      }
      log("gives up a \(operation.kind) that is \(operation.state), and \(all.count - 1) more")
      return []
    }
    world.oracle.discarded(given, on: device.name)
  }

  /// What the changes were about: todos, or all todos of lists that were never made.
  private func todos(of operations: [QueuedOperation], _ transaction: CloudTransaction) throws
    -> Set<String>
  {
    let lists = try transaction.lists()
    var found: Set<String> = []
    for list in lists {
      let isWhole = operations.contains { operation in
        operation.branch == list.branch
          && (operation.kind == .permit || operation.node == list.node)
      }
      for state in [TodoState.open, .done, .trash] {
        for todo in try transaction.todos(in: list.node, state)
        where isWhole || operations.contains(where: { $0.node == todo.node }) {
          found.insert(todo.id.text)
        }
      }
    }
    return found
  }
}

/// A verb said that it could not, and nothing was changed.
struct Declined: Error {}
