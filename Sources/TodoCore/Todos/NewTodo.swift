/// What somebody wants to put on a list.
public struct NewTodo: Hashable, Sendable {
  public let title: Title
  public var tags: [Tag]
  public var note: Note?

  public init(_ title: Title, tags: [Tag] = [], note: Note? = nil) {
    self.title = title
    self.tags = tags
    self.note = note
  }

  /// Reads the tags at a title's end, `oat milk +breakfast`; a title that is nothing else stays as it is.
  public init(typed: Title) throws {
    var words = typed.text.split(separator: " ", omittingEmptySubsequences: false)
    var tags: [Tag] = []
    while let last = words.last, let tag = Self.tag(last) {
      tags.insert(tag, at: 0)
      words.removeLast()
      while words.last?.isEmpty == true { words.removeLast() }
    }
    guard !tags.isEmpty, !words.isEmpty, let title = try? Title(words.joined(separator: " ")) else {
      self.init(typed)
      return
    }
    self.init(title, tags: tags)
  }

  /// A number with a `+` before it is one that somebody calls.
  private static func tag(_ word: Substring) -> Tag? {
    guard word.first == "+", word.dropFirst().first?.isLetter == true else { return nil }
    return try? Tag(word)
  }
}
