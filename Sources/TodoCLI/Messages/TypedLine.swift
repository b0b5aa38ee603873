/// A line that somebody types while other things appear on the screen: the terminal does not keep it, so it is kept here.
struct TypedLine {
  /// What a key came to.
  enum Key: Equatable {
    /// The line is another, or the same.
    case changed
    /// It is to be sent.
    case entered(String)
    /// Nothing more comes.
    case ended
  }

  private static let mark = "> "

  private var bytes: [UInt8] = []
  /// Where an arrow or another key that says nothing here is coming in.
  private var escape: Escape?

  private enum Escape {
    case begun
    case sequence
  }

  /// What stands there; the bytes of a letter that has not come whole are not shown.
  var text: String {
    var whole = bytes[...]
    while let last = whole.last, last >= 0x80, String(validating: whole, as: UTF8.self) == nil { whole.removeLast() }
    return String(decoding: whole, as: UTF8.self)
  }

  /// Takes one byte of what is typed.
  mutating func take(_ byte: UInt8) -> Key {
    if skips(byte) { return .changed }
    switch byte {
    case 0x0A, 0x0D:
      defer { bytes = [] }
      return text.allSatisfy(\.isWhitespace) ? .ended : .entered(text)
    case 0x04 where bytes.isEmpty: return .ended
    case 0x7F, 0x08: bytes = Array(text.dropLast().utf8)
    // Ctrl-U and Ctrl-W, as every shell has them.
    case 0x15: bytes = []
    case 0x17: bytes = Array(text.withoutLastWord.utf8)
    case 0x1B: escape = .begun
    case 0x09: bytes.append(0x20)
    case 0x00..<0x20: break
    default: bytes.append(byte)
    }
    return .changed
  }

  /// What to draw in a row of so many columns: of a long line its end.
  func row(columns: Int) -> String {
    let room = max(1, columns - Self.mark.count - 1)
    let shown = harmless(text)
    return Self.mark + (shown.count <= room ? shown : "…" + shown.suffix(room - 1))
  }

  private mutating func skips(_ byte: UInt8) -> Bool {
    switch escape {
    case nil: return false
    case .begun: escape = byte == 0x5B || byte == 0x4F ? .sequence : nil
    case .sequence: if (0x40...0x7E).contains(byte) { escape = nil }
    }
    return true
  }
}

extension String {
  fileprivate var withoutLastWord: Substring {
    var rest = self[...]
    while rest.last?.isWhitespace == true { rest.removeLast() }
    while let last = rest.last, !last.isWhitespace { rest.removeLast() }
    return rest
  }
}
