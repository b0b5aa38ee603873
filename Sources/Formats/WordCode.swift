/// Writes any text as one word, for formats in which a space ends it.
enum WordCode {
  /// A name: a space is `_`, and `_`, `%` and other white space are percent-encoded. Nil if nothing is left of it.
  static func name(_ text: String?) -> String? {
    guard let text = text.flatMap(OneLine.cleaned) else { return nil }
    return encoded(text, isName: true)
  }

  /// Text of several lines, or an id: everything that is not visible is percent-encoded. Nil for none.
  static func text(_ text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    return encoded(text, isName: false)
  }

  /// Reads a name; nil if nothing is left of it.
  static func name(from word: Bytes) -> String? { OneLine.cleaned(decoded(word, isName: true)) }

  /// Reads text; nil for none.
  static func text(from word: Bytes) -> String? { word.isEmpty ? nil : decoded(word, isName: false) }

  private static func encoded(_ text: String, isName: Bool) -> String {
    var word: [UInt8] = []
    for scalar in text.unicodeScalars {
      let bytes = UTF8.encode(scalar).map(Array.init) ?? []
      switch scalar {
      case " " where isName: word.append(.underscore)
      case "_" where isName, "%": word += bytes.flatMap(\.percentCode)
      case _ where isHidden(scalar): word += bytes.flatMap(\.percentCode)
      default: word += bytes
      }
    }
    return String(word[...])
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value <= 0x20 || scalar.value == 0x7F }
    return scalar.properties.isWhitespace || scalar.properties.generalCategory == .control || scalar == "\u{FEFF}"
  }

  /// A `%` that begins no code stands for itself.
  private static func decoded(_ word: Bytes, isName: Bool) -> String {
    var bytes: [UInt8] = []
    var rest = word
    while let byte = rest.popFirst() {
      if byte == .percent, rest.count > 1, let high = rest[rest.startIndex].hex,
        let low = rest[rest.startIndex + 1].hex
      {
        bytes.append(high * 16 + low)
        rest.removeFirst(2)
      } else {
        bytes.append(isName && byte == .underscore ? .space : byte)
      }
    }
    return String(bytes[...])
  }
}
