/// What a title, a name and a tag must be: one line of visible text.
enum OneLine {
  /// What stands for a title of which nothing is left, so that no todo is lost.
  static let untitled = "untitled"

  /// The text with spaces for control characters and line breaks, and without white space at both ends; nil if nothing is left.
  static func cleaned(_ text: String) -> String? {
    let bytes = text.utf8
    guard let first = bytes.first, let last = bytes.last else { return nil }
    if first != .space, last != .space, bytes.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(breaks(scalar) ? " " : scalar) }
    let rest = scalars.drop(while: isSpace)
    guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return nil }
    return String(String.UnicodeScalarView(rest[...last]))
  }

  static func cleaned(_ bytes: Bytes) -> String? { cleaned(String(bytes)) }

  /// What is written as a title.
  static func title(of todo: PortableTodo) -> String { cleaned(todo.title) ?? untitled }

  private static func breaks(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    return switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    // A byte order mark at the beginning of a file would be gone.
    scalar.properties.isWhitespace || scalar == "\u{FEFF}"
  }
}
