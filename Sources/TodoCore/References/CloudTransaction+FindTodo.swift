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
  /// Only todos in another state fit: done ones where an open one was wanted, or the reverse, or ones in the trash; a few
  /// of them, all in one state.
  case otherState([Todo])
  /// A number: positions shift when others add, so they refer to nothing.
  case position
}

extension CloudTransaction {
  /// Finds the todo that somebody referred to: by the beginning of its id, by `List/title`, or by a title that only
  /// one todo in the wanted state has. An id may be that of a todo that is open or done, whichever was wanted; what is in
  /// the trash is found there only.
  public func findTodo(_ reference: String, wanted: TodoState = .open) throws -> TodoResolution {
    let text = reference.trimmed
    var found = try todosByID(text, inTrash: wanted == .trash) + todos(titled: text, wanted)
    var missing: TodoResolution = .unknown
    if let slash = text.firstIndex(of: "/") {
      let name = String(text[..<slash])
      let title = String(text[text.index(after: slash)...])
      switch try findList(name) {
      case .one(let list): found += try todos(titled: title, wanted, in: list.node)
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
    let others = try inOtherState(text, than: wanted).suffix(5)
    return others.isEmpty ? missing : .otherState(others.reversed())
  }

  private func inOtherState(_ text: String, than wanted: TodoState) throws -> [Todo] {
    for state in [TodoState.open, .done, .trash] where state != wanted {
      let titled = try todos(titled: text, state)
      if !titled.isEmpty { return titled }
    }
    let byID = try todosByID(text, inTrash: wanted != .trash)
    return byID.filter { $0.state == byID[0].state }
  }

  private func todosByID(_ text: String, inTrash: Bool) throws -> [Todo] {
    let prefix = text.lowercased()
    let digits = Set("abcdefghijklmnopqrstuvwxyz234567")
    guard prefix.count >= TodoID.shortestReference, prefix.allSatisfy(digits.contains) else { return [] }
    return try todos(withIDPrefix: prefix, inTrash: inTrash)
  }
}
