import TodoCore

/// How many columns of a terminal a text takes; what steers the terminal takes none.
func displayWidth(_ text: some StringProtocol) -> Int {
  if text.isPlainASCII { return text.utf8.count }
  return text.reduce(0) { $0 + $1.displayWidth }
}

extension Character {
  /// 2 for East Asian wide characters and emoji, 0 for what only joins or marks others, else 1.
  var displayWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    if first.isControl { return 0 }
    if first.isWide || first.properties.isEmojiPresentation { return 2 }
    // An emoji that looks like text by itself, and does not here.
    if unicodeScalars.contains(where: { $0.value == 0xFE0F }), first.properties.isEmoji { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return 1
    }
  }
}

extension Unicode.Scalar {
  /// What Unicode's East Asian Width counts as wide or full width (UAX 11), by its blocks.
  fileprivate var isWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
