/// A word that todos have in common.
public struct Tag: Hashable, Sendable {
  /// Of a tag, in bytes of UTF-8.
  public static let limit = 64
  /// Of the tags that one todo is given here.
  public static let countLimit = 64

  /// The word, without the `+` that stands before it.
  public let text: String

  /// Checks what somebody typed, with or without the `+`.
  public init(_ typed: some StringProtocol) throws(TagError) {
    let trimmed = typed.trimmed
    let text = trimmed.first == "+" ? String(trimmed.dropFirst()) : trimmed
    guard text.unicodeScalars.contains(where: \.isSeen) else { throw .empty }
    guard text.utf8.count <= Self.limit else { throw .tooLong(bytes: text.utf8.count) }
    guard !text.contains(where: { $0.isWhitespace || $0 == "+" }), !text.unicodeScalars.contains(where: \.isControl)
    else { throw .notAWord }
    self.text = text
  }
}

extension Tag {
  /// Each once, whatever its case.
  static func different(_ tags: [Tag]) throws(TagError) -> [Tag] {
    var different: [Tag] = []
    for tag in tags where !different.contains(where: { areSameName($0.text, tag.text) }) { different.append(tag) }
    guard different.count <= countLimit else { throw .tooMany }
    return different
  }
}

/// Why a text is no tag.
public enum TagError: Error, Equatable, Sendable {
  case empty
  case tooLong(bytes: Int)
  /// White space, `+` and control characters end a word.
  case notAWord
  /// The todo has as many as it may have.
  case tooMany
}
