public import Treesystem

/// What a reference to a todo refers to. Never a guess.
public enum TodoResolution: Sendable {
  case one(Todo)
  /// It can be read in several ways.
  case ambiguous([Todo])
  /// Nothing fits.
  case unknown
  /// The list before the slash does not exist.
  case unknownList(String, similar: [String])
  /// Only ticked todos have this title.
  case onlyDone([Todo])
  /// A number: positions shift when others add, so they refer to nothing.
  case position
}

extension CloudTransaction {
  /// Finds the todo that somebody referred to: by the beginning of its id, by `List/title`, or by a title that only
  /// one open todo has.
  public func findTodo(_ reference: String) throws -> TodoResolution {
    let text = reference.trimmed
    var found = try todosByID(text) + openTodos(titled: text)
    var missing: TodoResolution = .unknown
    if let slash = text.firstIndex(of: "/") {
      let name = String(text[..<slash])
      let title = String(text[text.index(after: slash)...])
      switch try findList(name) {
      case .one(let list): found += try openTodos(titled: title, in: list.node)
      case .ambiguous(let lists): found += try lists.flatMap { try openTodos(titled: title, in: $0.node) }
      case .unknown(let similar): missing = .unknownList(name.trimmed, similar: similar)
      }
    }
    let different = Dictionary(found.map { ($0.node, $0) }) { first, _ in first }.values
      .sorted { ($0.list.rawValue, $0.createdAt) < ($1.list.rawValue, $1.createdAt) }
    switch different.count {
    case 1: return .one(different[0])
    case 2...: return .ambiguous(different)
    default: break
    }
    if !text.isEmpty, text.allSatisfy(\.isNumber) { return .position }
    let done = try doneTodos(titled: text)
    return done.isEmpty ? missing : .onlyDone(done)
  }

  private func todosByID(_ text: String) throws -> [Todo] {
    let prefix = text.lowercased()
    let digits = Set("abcdefghijklmnopqrstuvwxyz234567")
    guard prefix.count >= TodoID.shortestReference, prefix.allSatisfy(digits.contains) else { return [] }
    return try todos(withIDPrefix: prefix)
  }
}
