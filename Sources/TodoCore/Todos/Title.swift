/// What a person may call a todo or a list. Data from others is shown whatever it holds; only what is typed here is checked.
public struct Title: Hashable, Sendable {
  /// Of a title, in bytes of UTF-8: a page of text, well below what travels with a batch.
  public static let limit = 10_000

  /// The text, without spaces around it.
  public let text: String

  /// Checks what somebody typed.
  public init(_ typed: some StringProtocol) throws(TitleError) {
    let text = typed.trimmed
    guard text.unicodeScalars.contains(where: \.isSeen) else { throw .empty }
    guard text.utf8.count <= Self.limit else { throw .tooLong(bytes: text.utf8.count) }
    guard !text.unicodeScalars.contains(where: \.isControl) else { throw .controlCharacter }
    self.text = text
  }

  /// What somebody else's words can be copied as: without what nobody can type, and never empty.
  public init(suiting words: String) {
    let text = String(words.unicodeScalars.filter { !$0.isControl }).trimmed.cut(to: Self.limit)
    self.text = text.unicodeScalars.contains(where: \.isSeen) ? text : "untitled"
  }
}

/// Why a text is no title.
public enum TitleError: Error, Equatable, Sendable {
  case empty
  case tooLong(bytes: Int)
  case controlCharacter
}

extension String {
  /// Its beginning that fits into so many bytes of UTF-8. To take one character after another from the end would take a time that grows with the
  /// square of a row of flags.
  func cut(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var end = utf8.index(startIndex, offsetBy: limit)
    while end > startIndex, end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return String(unicodeScalars[..<end])
  }
}

extension Unicode.Scalar {
  /// Whether there is something to see: a title of what is not is nobody's to find.
  var isSeen: Bool {
    if isASCII { return value > 0x20 }
    // An empty cell of Braille is a sign like any other, by its properties.
    return value != 0x2800 && !properties.isDefaultIgnorableCodePoint && !properties.isWhitespace
      && properties.generalCategory != .nonspacingMark
  }

  /// Control characters and line breaks: what moves a cursor or ends a line instead of being read.
  public var isControl: Bool {
    // The general categories Cc, Zl and Zp, which Unicode adds nothing to; to look a category up takes far longer.
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
    default: false
    }
  }
}

extension StringProtocol {
  /// Without white space at both ends.
  package var trimmed: String {
    let tail = drop(while: \.isWhitespace)
    guard let last = tail.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(tail[...last])
  }
}
