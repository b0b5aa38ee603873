public import Dates
public import Signing

/// Reads what stands at a title's end and is no part of it: `oat milk due:fri pri:high +breakfast @bob`.
public struct InlineFields: Sendable {
  private let dates: DatePhrase
  private let members: [String: UserID]

  /// - Parameter members: who can be named, by their handles in lower case.
  public init(dates: DatePhrase, members: [String: UserID] = [:]) {
    self.dates = dates
    self.members = members
  }

  /// Takes words from the end as long as they say something. What does not, stays, and a title that is nothing else stays as it is.
  public func read(_ typed: Title) -> NewTodo {
    var words = typed.text.split(separator: " ", omittingEmptySubsequences: false)
    var new = NewTodo(typed)
    while let last = words.last, take(last, into: &new) {
      words.removeLast()
      while words.last?.isEmpty == true { words.removeLast() }
    }
    guard !words.isEmpty, let title = try? Title(words.joined(separator: " ")) else { return NewTodo(typed) }
    new.title = title
    return new
  }

  /// Whether a title is nothing but what would say something at the end of another.
  public func areAll(of typed: Title) -> Bool {
    var new = NewTodo(typed)
    return typed.text.split(separator: " ").allSatisfy { take($0, into: &new) }
  }

  /// False for what is not understood, and for what stands there a second time.
  private func take(_ word: Substring, into new: inout NewTodo) -> Bool {
    if word.first == "+" {
      // A number with a `+` before it is one that somebody calls.
      guard word.dropFirst().first?.isLetter == true, let tag = try? Tag(word) else { return false }
      new.tags.insert(tag, at: 0)
      return true
    }
    if word.first == "@" {
      guard new.assignee == nil, let user = members[word.dropFirst().lowercased()] else { return false }
      new.assignee = user
      return true
    }
    let parts = word.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return false }
    switch parts[0].lowercased() {
    case "due":
      guard new.due == nil, let when = try? dates.read(String(parts[1])) else { return false }
      new.due = when
    case "start":
      guard new.start == nil, let when = try? dates.read(String(parts[1])) else { return false }
      new.start = when
    case "pri":
      guard new.priority == nil, let priority = Priority(typed: String(parts[1])) else { return false }
      new.priority = priority
    default: return false
    }
    return true
  }
}

extension Priority {
  /// `high`, or what it begins with.
  public init?(typed: String) {
    let text = typed.lowercased()
    guard !text.isEmpty, let priority = Priority.allCases.first(where: { $0.rawValue.hasPrefix(text) }) else {
      return nil
    }
    self = priority
  }
}
