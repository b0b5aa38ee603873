public import Dates
public import Signing

/// Why what stands at a title's end does not say what it seems to say. Each names the word.
public enum InlineFieldError: Error, Equatable {
  case date(String, PhraseError)
  case priority(String)
  case nobody(String)
  case twice(String)
}

/// Reads what stands at a title's end and is no part of it: `oat milk due:fri pri:high +breakfast @bob`.
public struct InlineFields: Sendable {
  private let dates: DatePhrase
  private let members: [String: UserID]

  /// - Parameter members: who can be named, by their handles in lower case.
  public init(dates: DatePhrase, members: [String: UserID] = [:]) {
    self.dates = dates
    self.members = members
  }

  /// Takes words from the end as long as they say something. A title that is nothing else stays as it is.
  /// - Throws: `InlineFieldError` for a date, a priority or a person that cannot be read: it would be lost in the title.
  public func read(_ typed: Title) throws -> NewTodo {
    var words = typed.text.split(separator: " ", omittingEmptySubsequences: false)
    var new = NewTodo(typed)
    while let last = words.last, try take(last, into: &new) {
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
    return (try? typed.text.split(separator: " ").allSatisfy { try take($0, into: &new) }) ?? false
  }

  /// False for what says nothing.
  private func take(_ word: Substring, into new: inout NewTodo) throws -> Bool {
    if word.first == "+" {
      // A number with a `+` before it is one that somebody calls.
      guard word.dropFirst().first?.isLetter == true, let tag = try? Tag(word) else { return false }
      new.tags.insert(tag, at: 0)
      return true
    }
    if word.first == "@" {
      guard word.count > 1 else { return false }
      guard new.assignee == nil else { throw InlineFieldError.twice("@") }
      guard let user = members[word.dropFirst().lowercased()] else { throw InlineFieldError.nobody(String(word)) }
      new.assignee = user
      return true
    }
    let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return false }
    let key = parts[0].lowercased()
    func set<Value>(_ field: inout Value?, _ read: (String) throws -> Value) throws {
      guard field == nil else { throw InlineFieldError.twice("\(key):") }
      field = try read(parts[1])
    }
    switch key {
    case "due": try set(&new.due, when)
    case "start": try set(&new.start, when)
    case "pri":
      try set(&new.priority) { text in
        guard let priority = Priority(typed: text) else { throw InlineFieldError.priority(text) }
        return priority
      }
    default: return false
    }
    return true
  }

  private func when(_ text: String) throws -> When {
    do throws(PhraseError) {
      return try dates.read(text)
    } catch {
      throw InlineFieldError.date(text, error)
    }
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
