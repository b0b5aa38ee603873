import TodoCore

extension Unicode.Scalar {
  /// Moves the cursor, hides text, or turns it around: what another person's title must not do here.
  var isUnsafeOnTerminals: Bool {
    switch value {
    case 0x061C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
    default: isControl
    }
  }
}

/// Text from anybody, as one line that a terminal can show: line breaks and tabs become spaces, what steers a terminal
/// or turns the writing around goes.
func harmless(_ text: String) -> String {
  if text.utf8.hasNothingToHide { return text }
  var output = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    if !scalar.isUnsafeOnTerminals {
      output.append(scalar)
    } else if scalar.properties.isWhitespace {
      output.append(" ")
    }
  }
  return String(output)
}

extension Sequence<UInt8> {
  /// Whether none of these bytes of UTF-8 can belong to what steers a terminal. Where it says no, one may still be harmless; most text
  /// needs no other look.
  fileprivate var hasNothingToHide: Bool {
    var before: UInt8 = 0
    for byte in self {
      switch (before, byte) {
      case (_, ..<0x20), (_, 0x7F), (_, 0xD8), (_, 0xEF), (0xC2, ..<0xA0), (0xE2, 0x80...0x81): return false
      default: before = byte
      }
    }
    return true
  }
}

extension StringProtocol {
  /// Whether it is ASCII that can be seen: most text is, and needs no other look.
  var isPlainASCII: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}

/// Fills up with spaces to a width counted in columns of a terminal.
func pad(_ text: String, to width: Int, left: Bool = false) -> String {
  let fill = String(repeating: " ", count: max(0, width - displayWidth(text)))
  return left ? fill + text : text + fill
}
