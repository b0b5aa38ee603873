/// What a setting can be.
enum ConfigValue: Equatable, ExpressibleByBooleanLiteral {
  case flag(Bool)
  case number(Int)
  case text(String)

  init(booleanLiteral value: Bool) { self = .flag(value) }

  /// As TOML has it.
  var encoded: String {
    switch self {
    case .flag(let isOn): isOn ? "true" : "false"
    case .number(let number): String(number)
    case .text(let text): "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
  }
}

/// A line of `config.toml`.
enum ConfigLine {
  /// Nil for an empty line and a comment.
  static func read(_ line: Substring, at place: String) throws(Complaint) -> (name: String, value: ConfigValue)? {
    let content = trimmed(line)
    if content.isEmpty || content.hasPrefix("#") { return nil }
    let parts = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { trimmed($0) }
    guard parts.count == 2, !parts[0].contains("#") else { throw .config("this is no setting", at: place) }
    guard let value = value(parts[1]) else {
      let word = Complaint.shortened(trimmed(parts[1].prefix { $0 != "#" }))
      throw .config("'\(word)' is neither true nor false, nor a number, nor text in quotes", at: place)
    }
    return (parts[0], value)
  }

  private static func value(_ text: String) -> ConfigValue? {
    guard let quote = text.first, quote == "\"" || quote == "'" else {
      switch trimmed(text.prefix { $0 != "#" }) {
      case "true": return .flag(true)
      case "false": return .flag(false)
      case let word:
        let digits = word.hasPrefix("-") ? word.dropFirst() : word[...]
        return digits.allSatisfy { $0.isASCII && $0.isNumber } ? Int(word).map { .number($0) } : nil
      }
    }
    var content = ""
    var rest = text.dropFirst()
    while let character = rest.popFirst() {
      if character == quote {
        let after = trimmed(rest)
        return after.isEmpty || after.hasPrefix("#") ? .text(content) : nil
      }
      guard character == "\\", quote == "\"" else {
        content.append(character)
        continue
      }
      // Of what TOML can escape, only what a command needs.
      guard let escaped = rest.popFirst(), escaped == "\\" || escaped == "\"" else { return nil }
      content.append(escaped)
    }
    return nil
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let tail = text.drop(while: \.isWhitespace)
    return tail.lastIndex { !$0.isWhitespace }.map { String(tail[...$0]) } ?? ""
  }
}
