import Sharing
import TodoCore
import Treesystem

extension Verdict {
  /// Writes into the history of a world that failed what everybody has in the end.
  func tell() {
    for seat in seats + ended {
      seen(seat) { transaction in
        for list in try transaction.allLists() {
          let states: [TodoState] = [.open, .done, .trash]
          let todos = try states.flatMap { state in
            try transaction.todos(in: list.node, state).map { "\($0.id.text.prefix(4)) \(state.rawValue) \($0.title)" }
          }
          let closed = try transaction.isClosed(list.branch) ? ", closed" : ""
          let trouble = try transaction.troubles().first { $0.branch == list.branch }.map { ", \($0.reason)" } ?? ""
          let members = try transaction.members(of: list.node).map { "\($0.name) \($0.role)" }
          seat.log("has \(list.id.prefix(4)) \(list.title)\(closed)\(trouble): \(members), \(todos)")
        }
        for operation in try transaction.operations() {
          let branch = try transaction.cloudID(of: operation.branch).map { "\($0)".prefix(4) } ?? ""
          seat.log(
            "still has to \(operation.kind) in \(branch): \(operation.state) \(operation.reason.map { "\($0)" } ?? "")")
        }
      }
    }
  }
}
