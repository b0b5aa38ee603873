import TodoCore

extension Complaint {
  static let leaving = Complaint(
    "leaving", .notPermitted, "you are leaving this list",
    hint: "'todo sync' ends that; to stay: todo sync --discard <the number that 'todo status' shows>")

  static let takingOver = Complaint(
    "taking_over", .tryAgain, "you accepted to own this list, and its owner has not handed it over yet",
    hint: "'todo sync' once they have synced; delete it when it is yours, or leave it: todo leave <list>")

  static let deleting = Complaint(
    "deleting", .notPermitted, "you are deleting this list for everybody",
    hint: "'todo sync' ends that; to keep it: todo sync --discard <the number that 'todo status' shows>")

  static func unknownList(_ name: String, similar: [String]) -> Complaint {
    Complaint(
      "unknown_list", .notFound, "no list named '\(shortened(name))'",
      hint: similar.isEmpty ? "'todo lists' shows them all" : didYouMean(similar), candidates: similar)
  }

  static func listInTrash(_ name: String) -> Complaint {
    Complaint(
      "unknown_list", .notFound, "the list '\(shortened(name))' is in the trash",
      hint: "take it out with: todo restore \(shellQuoted(name))")
  }

  /// Nobody said that what is private may go there.
  static func defaultListShared(_ name: String, with others: [String]) -> Complaint {
    let people = others.isEmpty ? "others" : others.map { shortened($0) }.joined(separator: ", ")
    return Complaint(
      "default_list", .usage, "no list was named, and '\(shortened(name))' is shared with \(people)",
      hint: "say once where such todos go: todo config default-list <list>; or name the list", candidates: [name])
  }

  static let defaultListUnread = Complaint(
    "default_list", .tryAgain, "no list was named, and your default list has not come to this device yet",
    hint: "it comes with the next 'todo sync'; or name a list")

  static func unknownTodo(_ reference: String, wanted: TodoState = .open) -> Complaint {
    if wanted == .trash {
      return Complaint(
        "unknown_todo", .notFound, "no todo '\(shortened(reference))' in the trash",
        hint: "'todo trash' shows what is there, with the id of each")
    }
    let one = wanted == .open ? "an open one" : "a done one"
    return Complaint(
      "unknown_todo", .notFound, "no todo '\(shortened(reference))'",
      hint: "'todo ls --all' shows the id of each; the whole title of \(one) works too")
  }

  static func ambiguousTodo(_ reference: String, _ candidates: [String]) -> Complaint {
    let shown = candidates.prefix(5).map { shortened($0) }.joined(separator: ", ")
    let more = candidates.count > 5 ? " and \(candidates.count - 5) more" : ""
    return Complaint(
      "ambiguous", .notFound, "'\(shortened(reference))' can be \(candidates.count) todos",
      hint: "say which by its id: \(shown)\(more)", candidates: candidates)
  }

  static func otherState(_ reference: String, _ todos: [Todo], wanted: TodoState) -> Complaint {
    let ids = todos.map(\.shortID)
    let all = ids.joined(separator: " or ")
    let isInTrash = todos.first?.state == .trash
    let message =
      wanted == .trash
      ? "'\(shortened(reference))' is not in the trash" : "no \(wanted.rawValue) todo '\(shortened(reference))'"
    let hint =
      isInTrash
      ? "one in the trash has the id \(all): 'todo restore' takes it out"
      : "one that is \(todos.first?.state.rawValue ?? "there") has the id \(all)"
    return Complaint("not_\(wanted.rawValue)", .notFound, message, hint: hint, candidates: ids)
  }

  static func position(_ reference: String) -> Complaint {
    Complaint(
      "position", .notFound, "'\(reference)' is a position, not a todo",
      hint: "use the id that 'todo ls' shows, such as k3fa: positions shift when others add")
  }

  /// A proposal of at most three names.
  static func didYouMean(_ names: [String]) -> String {
    "did you mean " + names.prefix(3).map { "'\(shortened($0))'" }.joined(separator: " or ") + "?"
  }

  /// Enough of a long text to recognise it.
  static func shortened(_ text: String) -> String {
    text.count > 60 ? text.prefix(59) + "…" : text
  }
}
