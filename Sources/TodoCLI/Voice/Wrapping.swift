/// Breaks a line between words so that it fits into a terminal; what follows stands below the line's text, not below its id.
///
/// Colours take no room. A word that is longer than a line is left to the terminal.
func wrapped(_ line: String, to width: Int) -> String {
  let words = line.split(separator: " ", omittingEmptySubsequences: false)
  guard width >= 20, visibleWidth(line) > width else { return line }
  let indent = min(hangingIndent(words), width / 2)
  var lines: [String] = []
  var current = ""
  var used = 0
  for (index, word) in words.enumerated() {
    let room = visibleWidth(word)
    if index > 0, used + 1 + room > width, used > indent {
      lines.append(current)
      current = String(repeating: " ", count: indent) + word
      used = indent + room
    } else {
      current += (index > 0 ? " " : "") + word
      used += (index > 0 ? 1 : 0) + room
    }
  }
  return (lines + [current]).joined(separator: "\n")
}

/// Up to the second word of a line that is indented, as behind an id; else two columns.
private func hangingIndent(_ words: [Substring]) -> Int {
  let leading = words.prefix { $0.isEmpty }.count
  let first = words.dropFirst(leading).first.map(visibleWidth) ?? 0
  let isMarked = leading == 0 && words.first.map(visibleWidth) == 1
  if isMarked, words.count > 1 { return 2 + visibleWidth(words[1]) + 1 }
  return leading == 0 ? 2 : leading + first + 1
}

/// How many columns a text takes, without the colours in it.
private func visibleWidth(_ text: some StringProtocol) -> Int {
  guard text.utf8.contains(0x1B) else { return displayWidth(text) }
  var plain = ""
  var isCode = false
  for scalar in text.unicodeScalars {
    if scalar == "\u{1B}" {
      isCode = true
    } else if !isCode {
      plain.unicodeScalars.append(scalar)
    } else if scalar == "m" {
      isCode = false
    }
  }
  return displayWidth(plain)
}
