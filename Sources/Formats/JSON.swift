/// A value of JSON, as far as a reader of tasks asks for it.
enum JSON: Equatable {
  case text(String)
  case list([JSON])
  case object([String: JSON])
  /// A number, `true`, `false` or `null`.
  case other

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var list: [JSON]? { if case .list(let list) = self { list } else { nil } }
  var object: [String: JSON]? { if case .object(let object) = self { object } else { nil } }
}

/// Why a value of JSON could not be read.
enum JSONFailure: String, Error {
  case syntax = "the task is not valid JSON"
  case early = "the file ends within the task"
  case depth = "the task is nested too deeply"
}

/// Reads values of JSON one by one, knows the line it stands on, and finds its way behind a broken one.
struct JSONReader {
  /// No task nests deeper than its annotations, and each level costs a stack frame.
  static let deepest = 64

  let bytes: [UInt8]
  var position = 0
  /// From 1.
  private(set) var line = 1
  /// How far the current line is indented.
  private(set) var indent = 0
  private var isAtIndent = true

  init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// The next byte.
  var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while let byte, byte.isBlank || byte == .lineFeed || byte == .carriageReturn {
      position += 1
      if byte == .lineFeed { startLine() } else if isAtIndent { indent += 1 }
    }
    if byte != nil { isAtIndent = false }
  }

  private mutating func startLine() {
    line += 1
    indent = 0
    isAtIndent = true
  }

  mutating func value(depth: Int = 0) throws(JSONFailure) -> JSON {
    guard depth < Self.deepest else { throw .depth }
    skipSpace()
    switch byte {
    case .brace: return .object(try object(depth))
    case .bracket: return .list(try list(depth))
    case .quote: return .text(try text())
    case nil: throw .early
    default: return try other()
    }
  }

  private mutating func object(_ depth: Int) throws(JSONFailure) -> [String: JSON] {
    var object: [String: JSON] = [:]
    try elements(until: .closingBrace) { (reader) throws(JSONFailure) in
      guard reader.byte == .quote else { throw reader.byte == nil ? .early : .syntax }
      let key = try reader.text()
      reader.skipSpace()
      try reader.take(.colon)
      object[key] = try reader.value(depth: depth + 1)
    }
    return object
  }

  private mutating func list(_ depth: Int) throws(JSONFailure) -> [JSON] {
    var list: [JSON] = []
    try elements(until: .closingBracket) { (reader) throws(JSONFailure) in
      list.append(try reader.value(depth: depth + 1))
    }
    return list
  }

  private mutating func elements(
    until end: UInt8, read: (inout JSONReader) throws(JSONFailure) -> Void
  ) throws(JSONFailure) {
    position += 1
    skipSpace()
    if byte == end {
      position += 1
      return
    }
    while true {
      skipSpace()
      try read(&self)
      skipSpace()
      if byte == end { break }
      try take(.comma)
    }
    position += 1
  }

  private mutating func take(_ expected: UInt8) throws(JSONFailure) {
    guard let byte else { throw .early }
    guard byte == expected else { throw .syntax }
    position += 1
  }

  /// Skips a number or a word.
  private mutating func other() throws(JSONFailure) -> JSON {
    let start = position
    while let byte, byte.isDigit || byte.isLetter || byte == .minus || byte == .plus || byte == UInt8(ascii: ".") {
      position += 1
    }
    let word = bytes[start..<position]
    let isNumber = word.contains(where: \.isDigit) && word.allSatisfy { !$0.isLetter || $0 | 0x20 == UInt8(ascii: "e") }
    guard isNumber || ["true", "false", "null"].contains(String(word)) else { throw .syntax }
    return .other
  }
}

extension JSONReader {
  /// Reads a string. Only a line break may not stand in it raw; half a surrogate pair becomes U+FFFD.
  private mutating func text() throws(JSONFailure) -> String {
    position += 1
    var text: [UInt8] = []
    var start = position
    while let byte {
      switch byte {
      case .quote:
        text += bytes[start..<position]
        position += 1
        return String(text[...])
      case .backslash:
        text += bytes[start..<position]
        position += 1
        text += try escaped()
        start = position
      case .lineFeed: throw .syntax
      default: position += 1
      }
    }
    throw .early
  }

  private mutating func escaped() throws(JSONFailure) -> [UInt8] {
    guard let byte else { throw .early }
    position += 1
    switch byte {
    case .quote, .backslash, UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [.lineFeed]
    case UInt8(ascii: "r"): return [.carriageReturn]
    case UInt8(ascii: "t"): return [.tab]
    case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
    default: throw .syntax
    }
  }

  private mutating func scalar() throws(JSONFailure) -> Unicode.Scalar {
    let first = try unit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    let isPair =
      first < 0xDC00 && byte == .backslash && position + 1 < bytes.count
      && bytes[position + 1] == UInt8(ascii: "u")
    guard isPair else { return "\u{FFFD}" }
    let before = position
    position += 2
    let second = try unit()
    guard (0xDC00..<0xE000).contains(second) else {
      position = before
      return "\u{FFFD}"
    }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
  }

  private mutating func unit() throws(JSONFailure) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      guard let byte else { throw .early }
      guard let digit = byte.hex else { throw .syntax }
      unit = unit * 16 + UInt32(digit)
      position += 1
    }
    return unit
  }

  /// Moves behind the broken object that begins at a position: to its closing brace, or to a line that begins with another
  /// object which is not indented further, whichever comes first.
  mutating func skipObject(at start: Int, line startLine: Int, indent startIndent: Int) {
    (position, line, indent, isAtIndent) = (start, startLine, startIndent, false)
    var depth = 0
    var isText = false
    while let byte {
      position += 1
      switch byte {
      case .lineFeed:
        isText = false
        self.startLine()
        let next = bytes[position...].prefix(startIndent + 1).firstIndex { !$0.isBlank }
        if let next, bytes[next] == .brace || bytes[next] == .closingBracket { return }
      case .backslash where isText && self.byte != .lineFeed: position = min(position + 1, bytes.count)
      case .quote: isText.toggle()
      case .brace where !isText, .bracket where !isText: depth += 1
      case .closingBrace where !isText, .closingBracket where !isText:
        depth -= 1
        if depth <= 0 { return }
      default: break
      }
    }
  }

  /// Moves behind what is no object: to the next one, or to the end of the line.
  mutating func skipRubbish() {
    position += 1
    while let byte, byte != .lineFeed, byte != .brace { position += 1 }
  }
}
