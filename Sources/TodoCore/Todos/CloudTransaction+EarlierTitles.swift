public import Treesystem

extension CloudTransaction {
  /// Titles that a todo had before, the latest first: nobody's words vanish silently.
  public func earlierTitles(of todo: Todo) throws -> [String] {
    let history = try document(of: todo.node, in: .todos)?.history.overwritten ?? []
    var titles: [String] = []
    for register in history.reversed() where register.field == Field.title.rawValue {
      let title = String(decoding: register.value, as: UTF8.self)
      if title != todo.title, !titles.contains(title) { titles.append(title) }
    }
    return titles
  }
}
