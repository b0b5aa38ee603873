/// A line of iCalendar: `DUE;TZID=Europe/Berlin:20261201T180000`.
struct ContentLine {
  /// From 1: where it begins in the file.
  let number: Int
  /// In upper case.
  let name: String
  /// By their names in upper case, without quotes.
  let parameters: [String: String]
  /// As it stands there.
  let value: Bytes

  /// Nil for what is no such line.
  init?(number: Int, _ bytes: Bytes) {
    let name = bytes.prefix { $0.isLetter || $0.isDigit || $0 == .minus || $0 == .underscore }
    guard !name.isEmpty else { return nil }
    var rest = bytes[name.endIndex...]
    var parameters: [String: String] = [:]
    while rest.first == .semicolon {
      rest.removeFirst()
      let key = rest.prefix { $0 != .equals && $0 != .colon && $0 != .semicolon }
      rest = rest[key.endIndex...]
      guard rest.popFirst() == .equals else { return nil }
      parameters[String(key).uppercased()] = String(Self.takeValue(&rest))
    }
    guard rest.popFirst() == .colon else { return nil }
    (self.number, self.name, self.parameters, value) = (number, String(name).uppercased(), parameters, rest)
  }

  /// The value of a parameter, up to a `;` or `:` that does not stand between quotes.
  private static func takeValue(_ rest: inout Bytes) -> Bytes {
    var value: [UInt8] = []
    var isQuoted = false
    while let byte = rest.first, isQuoted || (byte != .semicolon && byte != .colon) {
      if byte == .quote { isQuoted.toggle() } else { value.append(byte) }
      rest.removeFirst()
    }
    return value[...]
  }

  /// The value as text without its backslashes.
  var text: String { Self.unescaped(value) }

  /// The values as texts between commas.
  var texts: [String] {
    var texts: [String] = []
    var start = value.startIndex
    var isEscaped = false
    for (index, byte) in zip(value.indices, value) {
      if byte == .comma, !isEscaped {
        texts.append(Self.unescaped(value[start..<index]))
        start = index + 1
      }
      isEscaped = byte == .backslash && !isEscaped
    }
    return texts + [Self.unescaped(value[start...])]
  }

  /// A backslash before anything else stands for itself.
  private static func unescaped(_ value: Bytes) -> String {
    var text: [UInt8] = []
    var rest = value
    while let byte = rest.popFirst() {
      guard byte == .backslash, let next = rest.first else {
        text.append(byte)
        continue
      }
      switch next {
      case .backslash, .semicolon, .comma: text.append(next)
      case UInt8(ascii: "n"), UInt8(ascii: "N"): text.append(.lineFeed)
      default:
        text.append(.backslash)
        continue
      }
      rest.removeFirst()
    }
    return String(text[...])
  }
}

/// The lines of a file, put together again where they were folded. Empty ones are left out.
struct UnfoldedLines: Sequence, IteratorProtocol {
  private var lines: Lines
  private var ahead: (number: Int, bytes: Bytes)?

  init(_ text: String) {
    lines = Lines(text)
    ahead = lines.next()
  }

  mutating func next() -> (number: Int, bytes: Bytes)? {
    while ahead?.bytes.isEmpty == true { ahead = lines.next() }
    guard let (number, first) = ahead else { return nil }
    var whole = Array(first)
    ahead = lines.next()
    while let more = ahead?.bytes, more.first?.isBlank == true {
      whole += more.dropFirst()
      ahead = lines.next()
    }
    return (number, whole[...])
  }
}
