import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

extension CloudTransaction {
  /// What the profile has that could stand there.
  /// - Parameter beginning: what was typed of it.
  func candidates(of kind: WordKind, beginning: String) throws -> [Candidate] {
    switch kind {
    case .list: return try listNames()
    case .filteredList: return try listNames() + filters(beginning)
    case .todo(let state): return try todoNames(state, beginning)
    case .filteredTodo(let state):
      return try TodoFilter.isFilter(beginning) ? filters(beginning) : todoNames(state, beginning)
    case .user: return try known().map { Candidate(value: $0) }
    case .member: return try ["me"].map { Candidate(value: $0) } + known().map { Candidate(value: $0) }
    case .invite:
      return try invites().map {
        Candidate(value: String($0.number), explanation: "\($0.title) from \($0.senderName)")
      }
    case .tag: return try tagsInUse().map { Candidate(value: beginning.hasPrefix("+") ? "+\($0)" : $0) }
    case .filter: return try filters(beginning)
    case .device: return try devices().map { Candidate(value: String($0.id.description.prefix(8))) }
    case .date, .file, .setting, .command, .one, .none: return []
    }
  }

  private func listNames() throws -> [Candidate] { try lists().map { Candidate(value: $0.name) } }

  private func filters(_ beginning: String) throws -> [Candidate] {
    if beginning.hasPrefix("@") {
      return try (["me", "none"] + known()).map { Candidate(value: "@\($0)") }
    }
    if beginning.hasPrefix("+") { return try tagsInUse().map { Candidate(value: "+\($0)") } }
    if beginning.hasPrefix("in:") { return try lists().map { Candidate(value: "in:\($0.name)") } }
    let priorities = Priority.allCases.map { "pri:\($0.rawValue)" } + ["pri:none"]
    return (["due:today", "due:any", "due:none", "before:tomorrow"] + priorities).map { Candidate(value: $0) }
  }

  /// Ids, or titles where one was begun.
  private func todoNames(_ state: TodoState, _ beginning: String) throws -> [Candidate] {
    let names = try Dictionary(lists().map { ($0.node, $0.name) }) { first, _ in first }
    let begun = beginning.utf8
    var candidates: [Candidate] = []
    if state == .trash { candidates += try listsInTrash().map { Candidate(value: $0.name) } }
    for brief in try briefs(state) {
      let list = names[brief.list] ?? ""
      if brief.shortID.utf8.begins(with: begun) {
        candidates.append(Candidate(value: brief.shortID, explanation: "\(brief.title) · \(list)"))
      }
      if begun.isEmpty { continue }
      if brief.title.utf8.begins(with: begun) { candidates.append(Candidate(value: brief.title, explanation: list)) }
      // Only where what was typed may reach into the name of its list.
      guard list.utf8.begins(with: begun.prefix(list.utf8.count)) else { continue }
      candidates.append(Candidate(value: "\(list)/\(brief.title)"))
    }
    return candidates
  }

  /// The handles of people on one's lists.
  private func known() throws -> [String] {
    guard try account() != nil else { return [] }
    return try Set(lists().flatMap { try otherMembers(of: $0) }).sorted()
  }
}
