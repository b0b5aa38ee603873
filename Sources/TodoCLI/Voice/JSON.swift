import Formats

/// A JSON value whose members stay in the order they were written in.
enum JSON: Equatable {
  case null
  case bool(Bool)
  case int(Int64)
  case string(String)
  case array([JSON])
  case object([Member])

  struct Member: Equatable {
    let key: String
    let value: JSON
  }

  /// A text, or null where there is none: a member is never left out.
  static func text(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }

  /// A time as RFC 3339 in UTC, or null.
  static func time(_ milliseconds: Int64?) -> JSON { milliseconds.map { .string(rfc3339($0)) } ?? .null }

  /// On one line. Text is escaped, never stripped.
  var encoded: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .string(let text): Self.quoted(text)
    case .array(let values): "[" + values.map(\.encoded).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quoted($0.key) + ":" + $0.value.encoded }.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    if text.isPlainASCII, !text.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) {
      return "\"\(text)\""
    }
    var output = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      // A terminal may see this too, so what could steer it travels escaped.
      case _ where scalar.isUnsafeOnTerminals: output += utf16Escape(scalar)
      default: output.unicodeScalars.append(scalar)
      }
    }
    return output + "\""
  }

  private static func utf16Escape(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }.joined()
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .string(text) }
  init(integerLiteral value: Int64) { self = .int(value) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(arrayLiteral values: JSON...) { self = .array(values) }
  init(dictionaryLiteral members: (String, JSON)...) {
    self = .object(members.map { Member(key: $0.0, value: $0.1) })
  }
}
