import Formats
import TodoCore

/// Text from anybody, as one line that a terminal can show: line breaks and tabs become spaces, what steers a terminal
/// or turns the writing around goes.
func harmless(_ text: String) -> String {
  if text.utf8.hasNothingToHide() { return text }
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
  /// - Parameter butLineBreaks: whether line feeds may stand there.
  fileprivate func hasNothingToHide(butLineBreaks: Bool = false) -> Bool {
    var before: UInt8 = 0
    for byte in self {
      switch (before, byte) {
      case (_, 0x0A) where butLineBreaks: before = byte
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

/// Text of several lines from anybody, of a file that a terminal shows: what steers it or turns the writing around is written out, `\u{1b}`.
func visible(_ text: String) -> String {
  if text.utf8.hasNothingToHide(butLineBreaks: true) { return text }
  var output = ""
  for scalar in text.unicodeScalars {
    if scalar.isUnsafeOnTerminals, scalar != "\n", scalar != "\t" {
      output += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      output.unicodeScalars.append(scalar)
    }
  }
  return output
}

/// Fills up with spaces to a width counted in columns of a terminal.
func pad(_ text: String, to width: Int, left: Bool = false) -> String {
  let fill = String(repeating: " ", count: max(0, width - displayWidth(text)))
  return left ? fill + text : text + fill
}
