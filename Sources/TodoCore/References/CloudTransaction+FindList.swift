public import Treesystem

/// What a list's name refers to. Never a guess.
public enum ListResolution: Sendable {
  case one(TodoList)
  /// None; those with a name like it, or with this title.
  case unknown(similar: [String])
}

extension CloudTransaction {
  /// Finds the list that somebody named: by its whole name, whatever its case and Unicode form. A title means nothing: other members write it.
  public func findList(_ name: String) throws -> ListResolution {
    let lists = try lists()
    if let list = lists.first(where: { folded($0.name) == folded(name) }) { return .one(list) }
    let titled = lists.filter { folded($0.title) == folded(name) }
    if !titled.isEmpty { return .unknown(similar: titled.map(\.name)) }
    return .unknown(similar: similar(to: name, among: lists.map(\.name)))
  }
}
