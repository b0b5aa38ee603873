import ArgumentParser
import Dates
import TodoCore
import Treesystem

/// In which order todos are shown.
enum TodoOrder: String, ExpressibleByArgument, CaseIterable {
  /// As they stand on the list.
  case list
  /// What is due first comes first, and what is not due at all last.
  case due
  case priority
  case created
  case title
}

extension [Todo] {
  /// In another order, what is done last; what is equal in it stays as it is.
  func sorted(_ order: TodoOrder, _ zone: Zone) -> [Todo] {
    func due(_ todo: Todo) -> Int64 { todo.due.map { zone.start(of: $0) } ?? .max }
    func rank(_ todo: Todo) -> Int { todo.priority.flatMap { Priority.allCases.reversed().firstIndex(of: $0) } ?? 3 }
    // Swift's sort is stable, though it does not promise so: places break ties.
    let numbered = enumerated().map { (index: $0, todo: $1) }
    let sorted: [(index: Int, todo: Todo)] =
      switch order {
      case .list: numbered
      case .due: numbered.sorted { (due($0.todo), rank($0.todo), $0.index) < (due($1.todo), rank($1.todo), $1.index) }
      case .priority:
        numbered.sorted { (rank($0.todo), due($0.todo), $0.index) < (rank($1.todo), due($1.todo), $1.index) }
      case .created: numbered.sorted { ($0.todo.createdAt, $0.index) < ($1.todo.createdAt, $1.index) }
      case .title: numbered.sorted { ($0.todo.title.lowercased(), $0.index) < ($1.todo.title.lowercased(), $1.index) }
      }
    let todos = sorted.map(\.todo)
    return order == .list ? todos : todos.filter { $0.state != .done } + todos.filter { $0.state == .done }
  }

  /// Parts behind what they are a part of, where that is among these too.
  var nested: [(todo: Todo, depth: Int)] {
    let here = Set(map(\.node))
    guard contains(where: { $0.parent.map(here.contains) ?? false }) else { return map { ($0, 0) } }
    let parts = Dictionary(grouping: self) { todo in todo.parent.flatMap { here.contains($0) ? $0 : nil } }
    var nested: [(todo: Todo, depth: Int)] = []
    var stack = (parts[nil] ?? []).reversed().map { ($0, 0) }
    while let (todo, depth) = stack.popLast() {
      nested.append((todo, depth))
      stack += (parts[todo.node] ?? []).reversed().map { ($0, depth + 1) }
    }
    return nested
  }
}
