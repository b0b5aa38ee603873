public import Treesystem

/// What a list's name refers to. Never a guess.
public enum ListResolution: Sendable {
  case one(TodoList)
  /// Several lists bear this title; each has a name of its own.
  case ambiguous([TodoList])
  /// None; those with a name like it.
  case unknown(similar: [String])
}

extension CloudTransaction {
  /// The list that is meant where none is named: one's own of that name, or one that this person called so. Nil where there is none.
  public func standardList(_ name: ListName = .standard) throws -> TodoList? {
    try lists().first { folded($0.name) == folded(name.text) }
  }

  /// Finds the list that somebody named: by its whole name, whatever its case and Unicode form.
  public func findList(_ name: String) throws -> ListResolution {
    let lists = try lists()
    if let list = lists.first(where: { folded($0.name) == folded(name) }) { return .one(list) }
    let titled = lists.filter { folded($0.title) == folded(name) }
    if titled.count > 1 { return .ambiguous(titled) }
    if let list = titled.first {
      // One that is called otherwise because another list had its title is not meant by that: the other one is, which went.
      let isRenamed = try pointer(to: list.node).flatMap { try alias(of: $0) } != nil
      return isRenamed ? .one(list) : .unknown(similar: [list.name])
    }
    return .unknown(similar: similar(to: name, among: lists.map(\.name)))
  }
}
