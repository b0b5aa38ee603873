/// What a line of Markdown is, as far as a checklist goes.
enum MarkdownLine {
  case blank
  /// `# Groceries`; without a name an empty one.
  case heading(String?)
  /// `- [ ] milk`: the text behind the box, as it stands there.
  case item(isDone: Bool, text: Bytes)
  case text(Bytes)

  /// - Parameter bytes: the line without its indentation.
  init(_ bytes: Bytes) {
    if bytes.isBlank {
      self = .blank
    } else if let item = Self.item(bytes) {
      self = item
    } else if let heading = Self.heading(bytes) {
      self = heading
    } else {
      self = .text(bytes)
    }
  }

  /// How many columns a line is indented, and the rest of it. A tab goes to the next column that four divides.
  static func indent(_ line: Bytes) -> (columns: Int, rest: Bytes) {
    let rest = line.drop(while: \.isBlank)
    let columns = line[..<rest.startIndex].reduce(0) { $1 == .tab ? ($0 / 4 + 1) * 4 : $0 + 1 }
    return (columns, rest)
  }

  private static func heading(_ bytes: Bytes) -> MarkdownLine? {
    let marks = bytes.prefix { $0 == .hash }
    var name = bytes[marks.endIndex...]
    guard (1...2).contains(marks.count), name.isEmpty || name.first?.isBlank == true else { return nil }
    name = name.trimmed
    // A heading may end with a row of # after a space.
    let hashes = name.reversed().prefix { $0 == .hash }.count
    let before = name.dropLast(hashes)
    if hashes > 0, before.isEmpty || before.last?.isBlank == true { name = before }
    return .heading(OneLine.cleaned(MarkdownText.unescaped(name)))
  }

  private static func item(_ bytes: Bytes) -> MarkdownLine? {
    guard let marker = marker(bytes) else { return nil }
    let box = bytes[marker.endIndex...].drop(while: \.isBlank)
    guard box.startIndex > marker.endIndex, box.count >= 3, box.first == .bracket,
      box[box.startIndex + 2] == .closingBracket
    else { return nil }
    let rest = box.dropFirst(3)
    guard rest.isEmpty || rest.first?.isBlank == true else { return nil }
    switch box[box.startIndex + 1] {
    case .space: return .item(isDone: false, text: rest.trimmed)
    case UInt8(ascii: "x"), UInt8(ascii: "X"): return .item(isDone: true, text: rest.trimmed)
    default: return nil
    }
  }

  /// `-`, `*`, `+`, `1.` or `1)`.
  private static func marker(_ bytes: Bytes) -> Bytes? {
    if let first = bytes.first, first == .minus || first == .plus || first == UInt8(ascii: "*") {
      return bytes.prefix(1)
    }
    let number = bytes.prefix(10).prefix(while: \.isDigit)
    guard (1...9).contains(number.count), number.endIndex < bytes.endIndex,
      bytes[number.endIndex] == UInt8(ascii: ".") || bytes[number.endIndex] == UInt8(ascii: ")")
    else { return nil }
    return bytes[number.startIndex...number.endIndex]
  }
}
