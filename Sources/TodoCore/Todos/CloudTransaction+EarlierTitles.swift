public import Treesystem

extension CloudTransaction {
  /// Titles that a todo had before, the latest first: nobody's words vanish silently.
  public func earlierTitles(of todo: Todo) throws -> [String] {
    try earlierTexts(of: todo, .title, now: [todo.title])
  }
}
