import Dates
import Signing
import TodoCore
import Treesystem

/// Which todos somebody wants to see: `+breakfast @bob due:today before:fri after:eom pri:high`.
struct TodoFilter {
  private(set) var tags: [Tag] = []
  /// Without the `@`.
  private var assignees: [String] = []
  private var due: [DueFilter] = []
  private var priorities: [Priority?] = []
  /// What was typed.
  private(set) var words: [String] = []

  var isEmpty: Bool { words.isEmpty }

  /// Whether nothing passes that has no due date.
  var asksForDue: Bool { due.contains { $0 != .none } }

  private enum DueFilter: Equatable {
    case on(Day)
    case before(Int64)
    case after(Int64)
    case some
    case none
  }

  /// Whether a word is a filter rather than the name of a list, which begins otherwise.
  static func isFilter(_ word: String) -> Bool {
    word.hasPrefix("+") || word.hasPrefix("@")
      || ["due:", "before:", "after:", "pri:", "in:"].contains { word.lowercased().hasPrefix($0) }
  }

  /// - Parameter words: those of which `isFilter` is true.
  init(_ words: [String] = [], _ dates: DatePhrase) throws {
    for word in words {
      if word.hasPrefix("+") {
        tags.append(try Tag(word))
      } else if word.hasPrefix("@") {
        assignees.append(String(word.dropFirst()).lowercased())
      } else {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        try add(parts[0].lowercased(), parts[1], dates)
      }
      self.words.append(word)
    }
  }

  private mutating func add(_ name: String, _ text: String, _ dates: DatePhrase) throws {
    if name == "pri" {
      return priorities.append(text.lowercased() == "none" ? nil : try FieldValues.priority(text))
    }
    if name == "due", text.lowercased() == "none" { return due.append(.none) }
    if name == "due", text.lowercased() == "any" { return due.append(.some) }
    let when = try dates.when(text)
    switch (name, when) {
    case ("due", _): due.append(.on(dates.zone.day(of: when)))
    case ("before", _): due.append(.before(dates.zone.start(of: when)))
    case (_, .day(let day)):
      // After a day means after its end.
      due.append(.after(day.adding(days: 1).map { dates.zone.start(of: $0) } ?? .max))
    case (_, .moment(let time)): due.append(.after(time + 1))
    }
  }

  /// - Parameter handle: of whose task it is, in lower case; nil where it is nobody's.
  func has(_ todo: Todo, handle: String?, isOwn: Bool, zone: Zone) -> Bool {
    tags.allSatisfy { tag in todo.tags.contains { areSameName($0, tag.text) } }
      && assignees.allSatisfy { name in
        switch name {
        case "none": todo.assignee == nil
        case "me": isOwn
        default: handle == name
        }
      } && priorities.allSatisfy { $0 == todo.priority } && due.allSatisfy { has(todo.due, $0, zone) }
  }

  private func has(_ when: When?, _ filter: DueFilter, _ zone: Zone) -> Bool {
    switch filter {
    case .none: when == nil
    case .some: when != nil
    case .on(let day): when.map { zone.day(of: $0) == day } ?? false
    case .before(let time): when.map { zone.start(of: $0) < time } ?? false
    case .after(let time): when.map { zone.start(of: $0) >= time } ?? false
    }
  }
}
