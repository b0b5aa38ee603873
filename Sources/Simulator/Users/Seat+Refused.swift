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
    let isDone = change("discard", process) { transaction in
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
        throw Declined()
      }
      log("gives up a \(operation.kind) that is \(operation.state), and \(all.count - 1) more")
      return []
    }
    if isDone { world.oracle.discarded(given, on: device.name) }
  }

  /// The todos that the changes were about.
  private func todos(of operations: [QueuedOperation], _ transaction: CloudTransaction) throws -> Set<String> {
    let nodes = Set(operations.compactMap(\.node))
    let found = try transaction.allLists().flatMap { list in
      try [.open, .done, .trash].flatMap { try transaction.todos(in: list.node, $0) }
    }
    return Set(found.filter { nodes.contains($0.node) }.map(\.id.text))
  }
}

/// A verb said that it could not, and nothing was changed.
struct Declined: Error {}
