/// What a person may write beside a title: text of several lines.
public struct Note: Hashable, Sendable {
  /// Of a note, in bytes of UTF-8: several pages, and two of them still fit into one document.
  public static let limit = Bounds.textBytes

  /// The text, without white space around it; empty for none.
  public let text: String

  /// Checks what somebody typed.
  public init(_ typed: some StringProtocol) throws(NoteError) {
    let text = typed.trimmed
    guard text.utf8.count <= Self.limit else { throw .tooLong(bytes: text.utf8.count) }
    guard !text.unicodeScalars.contains(where: { $0.isControl && $0 != "\n" && $0 != "\t" }) else {
      throw .controlCharacter
    }
    self.text = text
  }

  /// What somebody else's words can be copied as: without what nobody can type. Where nothing else was said a replacement character is left.
  public init(suiting words: String) {
    let rest = words.unicodeScalars.filter { !$0.isControl || $0 == "\n" || $0 == "\t" }
    let text = String(String.UnicodeScalarView(rest)).trimmed.cut(to: Self.limit)
    self.text = text.isEmpty && !words.trimmed.isEmpty ? "\u{FFFD}" : text
  }
}

/// Why a text is no note.
public enum NoteError: Error, Equatable, Sendable {
  case tooLong(bytes: Int)
  case controlCharacter
}

/// What somebody wrote beside a title.
public struct WrittenNote: Hashable, Sendable {
  /// As its author wrote it: not safe for a terminal.
  public let text: String
  /// When, as its author's clock said; in milliseconds since 1970.
  public let time: Int64
  /// Whether it was written with this profile.
  public let isOwn: Bool
  /// Whose deed it is.
  public let deed: Deed
}
