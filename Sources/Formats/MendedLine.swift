/// A line of a calendar, written so that libical 3.0 reads it as it is meant.
///
/// Of a text it takes spaces off both ends, makes a space of a backslash and the letter behind it where they mean nothing, and loses its way
/// among commas of which some are escaped. What is written here in place of them, it reads as what was there.
struct MendedLine {
  /// In upper case; nil for what does not begin like a line.
  let name: String?
  /// Whether something stands between its name and its value.
  let hasParameters: Bool
  /// The line up to the value, and the value.
  let bytes: [UInt8]
  /// The value as it stood there, without spaces at its ends.
  let value: Bytes

  /// Where a space at an end counts.
  private static let texts: Set = ["UID", "RELATED-TO", "DESCRIPTION", "COMMENT"]

  init(_ line: Bytes) {
    let name = line.prefix { $0.isLetter || $0.isDigit || $0 == .minus || $0 == .underscore }
    var isQuoted = false
    let colon = line.firstIndex { byte in
      if byte == .quote { isQuoted.toggle() }
      return byte == .colon && !isQuoted
    }
    let next = name.endIndex < line.endIndex ? line[name.endIndex] : 0
    let isLine = !name.isEmpty && (next == .colon || next == .semicolon) && colon != nil
    self.name = isLine ? String(name).uppercased() : nil
    hasParameters = next == .semicolon
    let start = colon.map { $0 + 1 } ?? line.endIndex
    value = line[start...].trimmed
    var mended = line[..<start].map { $0 == 0 ? .space : $0 }
    Self.append(
      line[start...], to: &mended, isText: Self.texts.contains(self.name ?? ""), isList: self.name == "CATEGORIES")
    bytes = mended
  }

  /// - Parameter isList: whether the values between commas are texts of their own: they come back as lines.
  private static func append(_ value: Bytes, to bytes: inout [UInt8], isText: Bool, isList: Bool) {
    var rest = value
    while let byte = rest.popFirst() {
      let isAtEnd = rest.isEmpty || rest.startIndex == value.startIndex + 1
      switch byte {
      case .backslash:
        let isEscape = rest.first.map { Bytes("\\;,nN").contains($0) } ?? false
        bytes += [.backslash, isEscape ? rest.removeFirst() : .backslash]
      case .comma where isList: bytes += Bytes("\\n")
      // A backslash before a point is a space to libical.
      case .space where isText && isAtEnd: bytes += Bytes("\\.")
      case .tab where isText && isAtEnd: bytes += Bytes("\\t")
      case 0: bytes.append(.space)
      default: bytes.append(byte)
      }
    }
  }
}
