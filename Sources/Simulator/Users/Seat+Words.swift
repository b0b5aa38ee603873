import Dates
import TodoCore
import Treesystem

/// What people do beside hostile members only.
extension Seat {
  func comment(_ process: SimProcess, _ list: TodoList) {
    let text = newTitle()
    change("comment in \(list.name)", process) { transaction in
      guard try transaction.mayWrite(list.node),
        let todo = world.dice.pick(try transaction.todos(in: list.node, .open))
      else { return [] }
      _ = try transaction.addComment(try Note(text), to: todo)
      return []
    }
  }

  /// Lets a todo come back each day, or ticks one that does.
  func tickRepeating(_ process: SimProcess, _ list: TodoList) {
    let comesBack = { (todo: Todo) in todo.repetition != nil }
    edit("tick what comes back", process, list, [.open], preferring: comesBack) { transaction, todo in
      guard todo.repetition != nil else {
        _ = try transaction.setRepetition(Repetition(every: 1, .day), of: todo)
        return
      }
      let done = try transaction.setDone(true, todo)
      let next = try transaction.addOccurrence(after: done, zone: .utc)
      try judge(next, after: done, list, transaction)
    }
  }

  /// Whatever others have written: where something comes back, there is one that follows, and it says the same.
  private func judge(_ next: Todo?, after done: Todo, _ list: TodoList, _ transaction: CloudTransaction) throws {
    if let next {
      // What has no title gets the one that it is shown with.
      let title = done.title.isEmpty ? "untitled" : done.title
      if next.title != title || next.repetition != done.repetition {
        fail("\(name) ticked '\(done.title)', and '\(next.title)' follows it")
      }
    } else if try !transaction.todos(in: list.node, .open).contains(where: {
      $0.title == done.title && $0.repetition == done.repetition
    }) {
      fail("\(name) ticked '\(done.title)', and nothing follows it")
    }
  }

  /// Takes back what was done last. What it takes back, nobody promised.
  func undo(_ process: SimProcess) {
    var undone: Set<String> = []
    let isDone = change("undo", process) { transaction in
      undone = try Set(transaction.undo()?.steps.compactMap(\.todo?.id.text) ?? [])
      return []
    }
    if isDone { world.oracle.discarded(undone, on: device.name) }
  }

  /// Adds a todo without saying to which list: to the one that this person chose, or to a private one.
  func addUnnamed(_ process: SimProcess) {
    let title = newTitle()
    change("add to the default list", process) { transaction in
      let isKnown = try transaction.hasChosenDefaultList()
      let found: TodoList
      switch try transaction.defaultList() {
      case .list(let list):
        if list.isShared { fail("\(name) would add to a list that others read, and never said so: \(list.name)") }
        found = list
      case .none:
        guard case .list(let list) = try transaction.addList(.standard) else { return [] }
        found = list
      case .shared, .unread: throw Declined()
      }
      guard try transaction.mayWrite(found.node) else { return [] }
      try transaction.settleDefaultList(found)
      let book = world.hostileMember?.listBook
      let person = device.person.handle
      if let complaint = try book?.choose(found.id, for: person, isKnown: isKnown, transaction) {
        fail("\(name): \(complaint)")
      }
      return try transaction.addTodos([try Title(title)], to: found.node).flatMap {
        try promises(of: $0, in: found, before: nil, transaction)
      }
    }
  }
}
