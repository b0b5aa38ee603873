/// The backslashes of Markdown: one before punctuation takes its meaning away.
enum MarkdownText {
  static func unescaped(_ bytes: Bytes) -> Bytes {
    var text: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == .backslash, let next = rest.first, next.isPunctuation {
        text.append(next)
        rest.removeFirst()
      } else {
        text.append(byte)
      }
    }
    return text[...]
  }

  /// The title of an item: what stands at its end and would be read as a mark has a backslash, `\+x` and `due\:2026-01-01`.
  static func title(_ title: String) -> String {
    let bytes = escaped(title)
    let last = bytes[((bytes.lastIndex(of: .space) ?? bytes.startIndex - 1) + 1)...]
    guard MarkdownMark(last, zone: nil) != nil else { return String(bytes) }
    let isSign = last.first == .plus || last.first == .at
    let index = isSign ? last.startIndex : last.firstIndex(of: .colon) ?? last.startIndex
    return String(bytes[..<index]) + "\\" + String(bytes[index...])
  }

  /// A heading, whose end is not to be taken for its decoration.
  static func heading(_ name: String) -> String {
    let text = escaped(name)
    return text.last == .hash ? String(text.dropLast()) + "\\#" : String(text)
  }

  /// A line of a note, without indentation, which is not to become an item.
  static func note(_ line: Bytes) -> String {
    let text = escaped(String(line))
    guard case .item = MarkdownLine(text), let mark = text.firstIndex(where: { !$0.isDigit }) else {
      return String(text)
    }
    return String(text[..<mark]) + "\\" + String(text[mark...])
  }

  private static func escaped(_ text: String) -> Bytes {
    var escaped: [UInt8] = []
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      if byte == .backslash, index + 1 < bytes.count, bytes[index + 1].isPunctuation { escaped.append(.backslash) }
      escaped.append(byte)
    }
    return escaped[...]
  }
}
