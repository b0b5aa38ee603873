/// What a line of Markdown is, as far as a checklist goes.
enum MarkdownLine {
  case blank
  /// `# Groceries`; without a name an empty one.
  case heading(String?)
  /// `- [ ] milk`: the text behind the box, as it stands there. A box may hold other signs than `x`, and `-` for what was given up.
  case item(PortableTodo.State, text: Bytes)
  /// `- milk`: an item without a box.
  case plainItem
  case text(Bytes)

  /// - Parameter bytes: the line without its indentation.
  init(_ bytes: Bytes) {
    if bytes.isBlank {
      self = .blank
    } else if let item = Self.item(bytes) {
      self = item
    } else if let heading = Self.heading(bytes) {
      self = heading
    } else if let marker = Self.marker(bytes), bytes[marker.endIndex...].first?.isBlank == true {
      self = .plainItem
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
    guard (1...6).contains(marks.count), name.isEmpty || name.first?.isBlank == true else { return nil }
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
    guard box.startIndex > marker.endIndex, box.first == .bracket,
      let end = box.prefix(6).firstIndex(of: .closingBracket)
    else { return nil }
    let rest = box[(end + 1)...]
    guard rest.isEmpty || rest.first?.isBlank == true else { return nil }
    let sign = String(box[(box.startIndex + 1)..<end])
    guard sign.count <= 1, !sign.allSatisfy(\.isNumber) || sign.isEmpty else { return nil }
    let states: [String: PortableTodo.State] = ["x": .done, "X": .done, "-": .removed]
    return .item(states[sign] ?? .open, text: rest.trimmed)
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
